package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type orderIn struct {
	ID string `json:"id"`
}

type orderOut struct {
	Done bool `json:"done"`
}

// cancel is a handler as authors write it for mcp-go.
func cancel(context.Context, mcp.CallToolRequest, orderIn) (orderOut, error) {
	return orderOut{true}, nil
}

func cancelTool(name string, opts ...mcp.ToolOption) mcp.Tool {
	return mcp.NewTool(name, append(opts, mcp.WithDescription("Cancels an order."))...)
}

func newBare() *server.MCPServer { return server.NewMCPServer("orders", "3.2.1") }

var reads = contract.Base{Effect: risk.ReadOnly}

// anna returns a guard that takes every caller for one user.
func anna(t *testing.T, opts ...guard.Option) *guard.Guard {
	t.Helper()
	g, err := guard.New(append(opts, guard.WithAudit(&audit.Recorder{}),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
			return guard.Principal{Subject: "anna", Permissions: []string{"orders:write"}}, nil
		})))...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	return g
}

// rules returns the rules of an error's declaration errors.
func rules(err error) []string {
	all := []string{}
	for _, e := range contract.DeclarationErrors(err) {
		all = append(all, e.Rule)
	}
	return all
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"test","version":"1"}}}`
	listAll = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

// listed returns the tools of a server's list.
func listed(t *testing.T, s *server.MCPServer) map[string]mcp.Tool {
	t.Helper()
	var answer struct{ Result struct{ Tools []mcp.Tool } }
	sdktest.Unmarshal(t, handle(t, s, listAll), &answer)
	all := map[string]mcp.Tool{}
	for _, tool := range answer.Result.Tools {
		all[tool.Name] = tool
	}
	return all
}

func TestAddTool_HasTheDocumentOfNew(t *testing.T) {
	t.Parallel()
	base := contract.Base{
		Effect: risk.HighRiskWrite, Permissions: []string{"orders:write"}, Category: "orders", Trust: trust.Trusted,
		Failures: []*contract.Failure{contract.Fatal("gone", "The order is gone.")},
	}
	const in = `{"type":"object","properties":{"id":{"type":"string","description":"An order."}},"required":["id"],` +
		`"additionalProperties":false}`
	const out = `{"type":"object","properties":{"done":{"type":"boolean"}},"required":["done"],"additionalProperties":false}`
	withVersion := base
	withVersion.Version = "1.0.0"
	tool, err := contract.New("cancel_order", func(context.Context, orderIn) (orderOut, error) { return orderOut{}, nil }).
		FlatName().Description("Cancels an order.").InputSchema(json.RawMessage(in)).OutputSchema(json.RawMessage(out)).
		From(withVersion).Build()
	require.NoError(t, err)
	document := func(tool mcp.Tool) contract.Document {
		s := newBare()
		require.NoError(t, mcpgo.AddTool(s, anna(t), tool, cancel, base))
		require.Len(t, mcpgo.ToolsOf(s), 1)
		return mcpgo.ToolsOf(s)[0].Document()
	}
	asJSON := func(d contract.Document) string {
		raw, err := json.Marshal(d)
		require.NoError(t, err)
		return string(raw)
	}
	want := tool.Document()
	given := mcp.NewToolWithRawSchema("cancel_order", "Cancels an order.", json.RawMessage(in))
	given.RawOutputSchema = json.RawMessage(out)
	assert.Equal(t, asJSON(want), asJSON(document(given)))

	derived := document(cancelTool("cancel_order"))
	declared := document(cancelTool("cancel_order", mcp.WithInputSchema[orderIn](), mcp.WithOutputSchema[orderOut]()))
	assert.Equal(t, asJSON(declared), asJSON(derived), "the schemas are those that mcp-go derives")
	want.InputSchema, want.OutputSchema = derived.InputSchema, derived.OutputSchema
	assert.Equal(t, asJSON(want), asJSON(derived))
	written := document(cancelTool("cancel_order", mcp.WithString("id", mcp.MinLength(2))))
	assert.Contains(t, string(written.InputSchema), `"minLength":2`)
}

func TestAddTool_ReportsTheOneMissingDecision(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base contract.Base
		rule string
	}{
		{contract.Base{}, "effect.missing"},
		{contract.Base{Effect: risk.HighRiskWrite}, "permissions.missing"},
		{contract.Base{Effect: risk.HighRiskWrite, Permissions: []string{"orders:write"}}, "protect.principal"}, // of the guard
	} {
		s := newBare()
		err := mcpgo.AddTool(s, nil, cancelTool("cancel_order"), cancel, c.base)
		mistakes := contract.DeclarationErrors(err)
		require.Len(t, mistakes, 1, "%v", err)
		assert.Equal(t, c.rule, mistakes[0].Rule)
		assert.Equal(t, "cancel_order", mistakes[0].Tool)
		assert.NotEmpty(t, mistakes[0].Remedy)
		assert.Empty(t, mcpgo.ToolsOf(s))
	}
}

func TestAddTool_KeepsWhatNoClauseDecides(t *testing.T) {
	t.Parallel()
	s := newBare()
	tool := cancelTool("cancel_order", mcp.WithToolIcons(mcp.Icon{Src: "https://example.com/i.png"}), mcp.WithDeferLoading(true),
		mcp.WithReadOnlyHintAnnotation(true), mcp.WithDestructiveHintAnnotation(false), mcp.WithOpenWorldHintAnnotation(false))
	tool.Meta = &mcp.Meta{AdditionalFields: map[string]any{"ui": "x", contract.MetaKeyContract: "not ours"}}
	require.NoError(t, mcpgo.AddTool(s, anna(t), tool, cancel, contract.Base{Effect: risk.HighRiskWrite,
		Permissions: []string{"orders:write"}}))
	found := listed(t, s)["cancel_order"]
	assert.Equal(t, tool.Icons, found.Icons)
	assert.True(t, found.DeferLoading)
	assert.Equal(t, "x", found.Meta.AdditionalFields["ui"])
	assert.IsType(t, map[string]any{}, found.Meta.AdditionalFields[contract.MetaKeyContract])
	assert.False(t, *found.Annotations.ReadOnlyHint, "the effect decides it")
	assert.False(t, *found.Annotations.DestructiveHint)
	assert.False(t, *found.Annotations.OpenWorldHint)
}

func TestAddTool_RunsTheHandlerUnderItsContract(t *testing.T) {
	t.Parallel()
	gone := contract.Fatal("gone", "The order is gone.")
	for id, code := range map[string]string{"a1": "", "gone": "gone", "broken": contract.CodeInternalError} {
		s := newBare()
		base := contract.Base{Effect: risk.ReadOnly, Failures: []*contract.Failure{gone}}
		require.NoError(t, mcpgo.AddTool(s, nil, cancelTool("cancel_order"),
			func(_ context.Context, _ mcp.CallToolRequest, in orderIn) (orderOut, error) {
				switch in.ID {
				case "gone":
					return orderOut{}, gone
				case "broken":
					return orderOut{}, errors.New("password hunter2")
				}
				return orderOut{true}, nil
			}, base))
		answer := handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cancel_order","arguments":{"id":"`+id+`"}}}`)
		assert.NotContains(t, answer, "hunter2")
		var of struct {
			Result struct {
				Meta              map[string]contract.Outcome `json:"_meta"`
				StructuredContent orderOut
				Content           []struct{ Text string }
			}
		}
		sdktest.Unmarshal(t, answer, &of)
		assert.Equal(t, code, of.Result.Meta[contract.MetaKeyOutcome].Code)
		require.Len(t, of.Result.Content, 1)
		if code == "" {
			assert.True(t, of.Result.StructuredContent.Done)
			assert.JSONEq(t, `{"done":true}`, of.Result.Content[0].Text)
		}
	}
}

func TestAddTool_RefusesAnotherGuardAndNamesThatAreTaken(t *testing.T) {
	t.Parallel()
	s, g := newBare(), anna(t)
	plain, _ := intruder("old")
	s.AddTools(plain)
	require.NoError(t, mcpgo.AddTool(s, g, cancelTool("cancel_order"), cancel, reads))
	renamed := reads
	renamed.Aliases = []string{"cancel"}
	require.NoError(t, mcpgo.AddTool(s, g, cancelTool("cancel_all"), cancel, renamed))
	s.AddTaskTool(mcp.NewTool("task", mcp.WithTaskSupport(mcp.TaskSupportRequired)), nil)
	aliased := reads
	aliased.Aliases = []string{"old"}
	for _, again := range []func() error{ // before the first request, and while the server serves
		func() error { return nil }, func() error { return mcpgo.Verify(s) },
	} {
		require.NoError(t, again())
		assert.Equal(t, []string{"serve.registered"}, rules(mcpgo.AddTool(s, anna(t), cancelTool("second"), cancel, reads)))
		for _, name := range []string{"cancel_order", "cancel", "old", "task"} {
			assert.Equal(t, []string{"serve.taken"}, rules(mcpgo.AddTool(s, g, cancelTool(name), cancel, reads)), name)
		}
		assert.Equal(t, []string{"serve.taken"}, rules(mcpgo.AddTool(s, g, cancelTool("second"), cancel, aliased)))
		assert.Equal(t, []string{"serve.registered"}, rules(mcpgo.Register(s, g)))
	}
	assert.Len(t, listed(t, s), 4, "other tools stay as they are")
	assert.Equal(t, []string{"serve.server"}, rules(mcpgo.AddTool(nil, g, cancelTool("a"), cancel, reads)))
	assert.NotEmpty(t, rules(mcpgo.AddTool[orderIn, orderOut](s, g, cancelTool("a"), nil, reads)))
}

func TestAddTool_JoinsAServerThatHasContracts(t *testing.T) {
	t.Parallel()
	g, n := anna(t), &tools{}
	registered := newBare()
	require.NoError(t, mcpgo.Register(registered, g, mcpgo.WithTools(n.All()...)))
	made, err := mcpgo.NewServer("orders", "1.0.0", g)
	require.NoError(t, err)
	for _, s := range []*server.MCPServer{registered, made} {
		require.NoError(t, mcpgo.AddTool(s, g, cancelTool("cancel_order"), cancel, reads))
		require.NoError(t, mcpgo.AddTool(s, nil, cancelTool("cancel_order2"), cancel, reads), "nil is the server's guard")
		assert.Contains(t, handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cancel_order",`+
			`"arguments":{"id":"a1"}}}`), `"done":true`)
		require.NoError(t, mcpgo.Verify(s))
		assert.Contains(t, listed(t, s), "cancel_order2")
		require.NoError(t, mcpgo.AddTool(s, g, cancelTool("late"), cancel, reads))
		assert.Contains(t, listed(t, s), "late")
	}
}

func TestAddTool_IsThereFromTheFirstRequestOn(t *testing.T) {
	t.Parallel()
	for _, first := range []string{initialize, listAll} {
		s := newBare()
		for i := range 30 {
			require.NoError(t, mcpgo.AddTool(s, nil, cancelTool(fmt.Sprintf("cancel_%02d", i)), cancel, reads))
		}
		answer := handle(t, s, first)
		if first == initialize {
			assert.Contains(t, answer, `"tools":{"listChanged":true}`)
		}
		assert.Len(t, listed(t, s), 30)
	}
}

// Clients of 2026-07-28 send no request that comes before all others.
func TestAddTool_IsThereForAllOfTheFirstRequests(t *testing.T) {
	t.Parallel()
	for range 10 {
		s := newBare()
		for i := range 30 {
			require.NoError(t, mcpgo.AddTool(s, nil, cancelTool(fmt.Sprintf("cancel_%02d", i)), cancel, reads))
		}
		var first sync.WaitGroup
		for range 8 {
			first.Go(func() { assert.Equal(t, 30, strings.Count(handle(t, s, listAll), `"name":"cancel_`)) })
		}
		first.Wait()
	}
}

// The tools leak only together, which shows when the table is built.
func TestAddTool_BuildsTheTableOnce(t *testing.T) {
	t.Parallel()
	g, s := anna(t, guard.WithTrifectaConfirmation()), newBare()
	sends := contract.Base{Effect: risk.ReadOnly, Sends: true}
	require.NoError(t, mcpgo.AddTool(s, g, cancelTool("fetch"), cancel,
		contract.Base{Effect: risk.ReadOnly, Trust: trust.PromptInjectionProne}))
	require.NoError(t, mcpgo.AddTool(s, g, cancelTool("mails"), cancel,
		contract.Base{Effect: risk.ReadOnly, Trust: trust.Sensitive}))
	require.NoError(t, mcpgo.AddTool(s, g, cancelTool("post"), cancel, sends))
	assert.Empty(t, listed(t, s), "nothing is served without its contract")
	assert.Equal(t, []string{"protect.trifecta"}, rules(mcpgo.Verify(s)))
	require.NoError(t, mcpgo.AddTool(s, g, cancelTool("fetch"), cancel,
		contract.Base{Effect: risk.ReadOnly, Trust: trust.Untrusted}))
	require.NoError(t, mcpgo.AddTool(s, g, cancelTool("mails"), cancel,
		contract.Base{Effect: risk.ReadOnly, Trust: trust.Sensitive}))
	assert.Equal(t, []string{"protect.trifecta"}, rules(mcpgo.AddTool(s, g, cancelTool("post"), cancel, sends)),
		"while the server serves, the error comes at once")
	assert.Len(t, listed(t, s), 2)
	assert.Equal(t, []string{"protect.trifecta"}, rules(mcpgo.Verify(s)), "one of the three is still missing")
	require.NoError(t, mcpgo.AddTool(s, g, cancelTool("post"), cancel, reads))
	assert.NoError(t, mcpgo.Verify(s), "the author corrected it")
}

func TestAddTool_ATableThatCannotBeBuiltLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	g, s := anna(t, guard.WithTrifectaConfirmation()), newBare()
	for name, base := range map[string]contract.Base{
		"fetch": {Effect: risk.ReadOnly, Trust: trust.PromptInjectionProne}, "mails": {Effect: risk.ReadOnly, Trust: trust.Sensitive},
		"post": {Effect: risk.ReadOnly, Sends: true},
	} {
		require.NoError(t, mcpgo.AddTool(s, g, cancelTool(name), cancel, base))
	}
	assert.Equal(t, []string{"protect.trifecta"}, rules(mcpgo.Verify(s)))
	assert.Empty(t, s.ListTools())
	assert.Contains(t, handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"post","arguments":{"id":"1"}}}`),
		"not found")
}

// A program removes a tool for a reason, before the first request too.
func TestAddTool_ADeletedToolStaysAway(t *testing.T) {
	t.Parallel()
	s, g := newBare(), anna(t)
	for _, name := range []string{"first", "second"} {
		require.NoError(t, mcpgo.AddTool(s, g, cancelTool(name), cancel, reads))
	}
	s.DeleteTools("first", "second")
	require.NoError(t, mcpgo.AddTool(s, g, cancelTool("second"), cancel, reads), "its name is free")
	require.NoError(t, mcpgo.AddTool(s, g, cancelTool("wipe"), cancel,
		contract.Base{Effect: risk.Destructive, Risk: risk.Forbidden, NoPermissions: "Nobody may."}))
	assert.Equal(t, []string{"serve.taken"}, rules(mcpgo.AddTool(s, g, cancelTool("wipe"), cancel, reads)))
	assert.Equal(t, []string{"second"}, slices.Collect(maps.Keys(listed(t, s))))
	assert.NoError(t, mcpgo.Verify(s))
}

func TestAddTool_KeepsItsContractUnderProtect(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]func(s *server.MCPServer, g *guard.Guard){
		"before": func(s *server.MCPServer, g *guard.Guard) {
			_, err := mcpgo.Protect(s, belt.Settings{Guard: g})
			require.NoError(t, err)
			require.NoError(t, mcpgo.AddTool(s, g, cancelTool("cancel_order"), cancel, reads))
		},
		"after": func(s *server.MCPServer, g *guard.Guard) {
			require.NoError(t, mcpgo.AddTool(s, g, cancelTool("cancel_order"), cancel, reads))
			report, err := mcpgo.Protect(s, belt.Settings{Guard: g})
			require.NoError(t, err)
			assert.Empty(t, report.Tools, "the only tool has a contract")
		},
	} {
		s := newBare()
		order(s, anna(t))
		o := sdktest.Outcome(t, handle(t, s,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cancel_order","arguments":{"id":"a1"}}}`))
		assert.Equal(t, "1.0.0", o.ContractVersion, name)
	}
}

func TestAddTool_IsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	s, g := newBare(), anna(t)
	var all sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		all.Go(func() { errs[i] = mcpgo.AddTool(s, g, cancelTool(fmt.Sprintf("cancel_%02d", i)), cancel, reads) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	for i := range errs { // while the server serves
		all.Go(func() {
			errs[i] = errors.Join(mcpgo.AddTool(s, g, cancelTool(fmt.Sprintf("late_%02d", i)), cancel, reads), mcpgo.Verify(s))
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	assert.Len(t, listed(t, s), 2*len(errs))
}

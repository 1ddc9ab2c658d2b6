package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type orderIn struct {
	ID string `json:"id"`
}

type orderOut struct {
	Done bool `json:"done"`
}

// cancel is a handler as authors write it for mcp.AddTool.
func cancel(context.Context, *mcp.CallToolRequest, orderIn) (*mcp.CallToolResult, orderOut, error) {
	return nil, orderOut{true}, nil
}

func cancelTool(name string) *mcp.Tool {
	return &mcp.Tool{Name: name, Description: "Cancels an order."}
}

func bare() *mcp.Server {
	return mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "3.2.1"}, nil)
}

var reads = contract.Base{Effect: risk.ReadOnly}

// rules returns the rules of an error's declaration errors.
func rules(err error) []string {
	all := []string{}
	for _, e := range contract.DeclarationErrors(err) {
		all = append(all, e.Rule)
	}
	return all
}

func TestAddTool_HasTheDocumentOfNew(t *testing.T) {
	t.Parallel()
	base := contract.Base{
		Effect: risk.HighRiskWrite, Permissions: []string{"orders:write"}, Category: "orders", Trust: trust.Trusted,
		Failures: []*contract.Failure{contract.Fatal("gone", "The order is gone.")},
		SideEffects: []contract.SideEffect{{
			Description: "The order is cancelled.", Reach: contract.Internal, Undo: contract.Irreversible,
		}},
	}
	const in = `{"type":"object","properties":{"id":{"type":"string","description":"An order."}},"required":["id"],` +
		`"additionalProperties":false}`
	const out = `{"type":"object","properties":{"done":{"type":"boolean"}},"required":["done"],"additionalProperties":false}`
	written := func(version string) contract.Document {
		base := base
		base.Version = version
		tool, err := contract.New("cancel_order", func(context.Context, orderIn) (orderOut, error) { return orderOut{}, nil }).
			FlatName().Description("Cancels an order.").InputSchema(json.RawMessage(in)).OutputSchema(json.RawMessage(out)).
			From(base).Build()
		require.NoError(t, err)
		return tool.Document()
	}
	document := func(tool *mcp.Tool, base contract.Base) contract.Document {
		s := bare()
		g, _ := newGuard(t)
		require.NoError(t, gosdk.AddTool(s, g, tool, cancel, base))
		require.Len(t, gosdk.ToolsOf(s), 1)
		return gosdk.ToolsOf(s)[0].Document()
	}
	asJSON := func(d contract.Document) string {
		raw, err := json.Marshal(d)
		require.NoError(t, err)
		return string(raw)
	}

	given := cancelTool("cancel_order")
	given.InputSchema, given.OutputSchema = json.RawMessage(in), json.RawMessage(out)
	assert.Equal(t, asJSON(written("1.0.0")), asJSON(document(given, base)), "the version is 1.0.0, and not that of the server")
	base.Version = "4.0.0"
	assert.Equal(t, asJSON(written("4.0.0")), asJSON(document(given, base)))

	derived := document(cancelTool("cancel_order"), base)
	want := written("4.0.0")
	assert.JSONEq(t, `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}`,
		string(derived.InputSchema), "the schema is the SDK's")
	want.InputSchema, want.OutputSchema = derived.InputSchema, derived.OutputSchema
	assert.Equal(t, asJSON(want), asJSON(derived))
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
		s := bare()
		g, err := guard.New()
		require.NoError(t, err)
		err = gosdk.AddTool(s, g, cancelTool("cancel_order"), cancel, c.base)
		mistakes := contract.DeclarationErrors(err)
		require.Len(t, mistakes, 1, "%v", err)
		assert.Equal(t, c.rule, mistakes[0].Rule)
		assert.Equal(t, "cancel_order", mistakes[0].Tool)
		assert.NotEmpty(t, mistakes[0].Where)
		assert.NotEmpty(t, mistakes[0].Remedy)
		assert.Empty(t, gosdk.ToolsOf(s))
		assert.Empty(t, listedNames(t, inMemory(t, s, legacy, nil)))
	}
}

func TestAddTool_KeepsWhatNoClauseDecides(t *testing.T) {
	t.Parallel()
	s := bare()
	g, _ := newGuard(t)
	tool := cancelTool("cancel_order")
	tool.Title = "Cancel"
	tool.Icons = []mcp.Icon{{Source: "https://example.com/i.png"}}
	tool.Meta = mcp.Meta{"ui": "x", contract.MetaKeyContract: "not ours"}
	tool.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)}
	before := *tool
	require.NoError(t, gosdk.AddTool(s, g, tool, cancel, contract.Base{Effect: risk.LowRiskWrite, NoPermissions: "A test."}))
	c := inMemory(t, s, legacy, nil)
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 1)
	listed := list.Tools[0]
	assert.Equal(t, tool.Icons, listed.Icons)
	assert.Equal(t, "Cancel", listed.Title)
	assert.Equal(t, "x", listed.Meta["ui"])
	assert.IsType(t, map[string]any{}, listed.Meta[contract.MetaKeyContract])
	assert.False(t, listed.Annotations.ReadOnlyHint, "the effect decides it")
	assert.False(t, *listed.Annotations.DestructiveHint)
	assert.False(t, *listed.Annotations.OpenWorldHint)
	assert.Equal(t, before, *tool)

	tool.Name = "late" // while the server serves
	require.NoError(t, gosdk.AddTool(s, g, tool, cancel, contract.Base{Effect: risk.LowRiskWrite, NoPermissions: "A test."}))
	list, err = c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 2)
	assert.Equal(t, tool.Icons, list.Tools[1].Icons)
}

// outcome returns the outcome in a result's _meta.
func outcome(t *testing.T, r *mcp.CallToolResult) contract.Outcome {
	t.Helper()
	var o contract.Outcome
	raw, err := json.Marshal(r.Meta[contract.MetaKeyOutcome])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &o))
	return o
}

// handOver returns a handler that returns a result and an error.
func handOver(r *mcp.CallToolResult, err error) mcp.ToolHandlerFor[orderIn, any] {
	return func(context.Context, *mcp.CallToolRequest, orderIn) (*mcp.CallToolResult, any, error) {
		return r, nil, err
	}
}

func TestAddTool_ErrorResultsStayAsTheHandlerMadeThem(t *testing.T) {
	t.Parallel()
	failed := &mcp.CallToolResult{IsError: true, StructuredContent: map[string]any{"status": 404}, Content: []mcp.Content{
		&mcp.TextContent{Text: "404: no such order"}, &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"},
		&mcp.TextContent{Text: "Try another ID.\n"}}}
	writes := contract.Base{Effect: risk.HighRiskWrite, NoPermissions: "A test.", Confirmation: contract.ConfirmationNever,
		ConfirmationReason: "A test."}
	for name, c := range map[string]struct {
		base  contract.Base
		code  string
		class contract.Class
	}{
		"read":         {reads, contract.CodeToolRetry, contract.ClassRetryable},
		"write":        {writes, contract.CodeToolRetry, contract.ClassRetryable},
		"other errors": {contract.Base{Effect: risk.ReadOnly, OtherErrors: contract.ClassFatal}, contract.CodeToolFatal, contract.ClassFatal},
	} {
		sdktest.EachEra(t, func(t *testing.T, e era) {
			s, plain := bare(), bare()
			g, _ := newGuard(t, guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
				return guard.Principal{Subject: "anna"}, nil
			})))
			require.NoError(t, gosdk.AddTool(s, g, cancelTool("cancel_order"), handOver(failed, nil), c.base))
			mcp.AddTool(plain, cancelTool("cancel_order"), handOver(failed, nil))
			want, err := callTool(t.Context(), inMemory(t, plain, e, nil), "cancel_order", orderIn{"a1"})
			require.NoError(t, err)
			got, err := callTool(t.Context(), inMemory(t, s, e, nil), "cancel_order", orderIn{"a1"})
			require.NoError(t, err)
			assert.Equal(t, want.Content, got.Content, name)
			assert.Equal(t, want.StructuredContent, got.StructuredContent, name)
			assert.True(t, got.IsError)
			o := outcome(t, got)
			assert.Equal(t, c.code, o.Code, name)
			assert.Equal(t, c.class, o.Class, name)
		})
	}
}

func TestAddTool_CleansErrorResultsAsItsContractDemands(t *testing.T) {
	t.Parallel()
	call := func(base contract.Base, text string) (string, contract.Outcome) {
		s := bare()
		g, _ := newGuard(t)
		require.NoError(t, gosdk.AddTool(s, g, cancelTool("cancel_order"),
			handOver(&mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil), base))
		r, err := callTool(t.Context(), inMemory(t, s, legacy, nil), "cancel_order", orderIn{"a1"})
		require.NoError(t, err)
		require.Len(t, r.Content, 1)
		return r.Content[0].(*mcp.TextContent).Text, outcome(t, r)
	}
	text, o := call(reads, "no\u202e order")
	assert.Equal(t, "no order", text)
	assert.Equal(t, 1, o.Sanitized)
	text, _ = call(reads, "[FATAL] stop")
	assert.Equal(t, "(FATAL) stop", text, "no text can abort an agent's run")
	text, _ = call(contract.Base{Effect: risk.ReadOnly, Trust: trust.Untrusted}, "no order")
	assert.Contains(t, text, "no order")
	assert.NotEqual(t, "no order", text, "the declared trust demands that texts are delimited")
	text, o = call(reads, "")
	assert.Empty(t, text)
	assert.Equal(t, contract.CodeToolRetry, o.Code)
}

// A result with IsError keeps its content, but not the values that the contract
// tags of the input protect.
func TestAddTool_ErrorResultsHideProtectedArguments(t *testing.T) {
	t.Parallel()
	type keys struct {
		Token string `json:"token" contract:"secret"`
	}
	s := bare()
	g, log := newGuard(t)
	require.NoError(t, gosdk.AddTool(s, g, cancelTool("cancel_order"),
		func(_ context.Context, _ *mcp.CallToolRequest, in keys) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{IsError: true, StructuredContent: map[string]any{"token": in.Token},
				Content: []mcp.Content{&mcp.TextContent{Text: "no order for " + in.Token}}}, nil, nil
		}, reads))
	r, err := callTool(t.Context(), inMemory(t, s, legacy, nil), "cancel_order", keys{"ghp_abcdef"})
	require.NoError(t, err)
	raw, err := json.Marshal([]any{r, log.Events(audit.Terminal)})
	require.NoError(t, err)
	assert.Contains(t, string(raw), "no order for")
	assert.NotContains(t, string(raw), "ghp_abcdef")
}

func TestAddTool_MasksGoErrors(t *testing.T) {
	t.Parallel()
	gone := contract.Fatal("gone", "The order is gone.")
	declares := contract.Base{Effect: risk.ReadOnly, Failures: []*contract.Failure{gone}}
	for code, c := range map[string]struct {
		base contract.Base
		err  error
	}{
		contract.CodeInternalError: {reads, errors.New("password hunter2")},
		"gone":                     {declares, gone},
		contract.CodeToolFatal:     {contract.Base{Effect: risk.ReadOnly, OtherErrors: contract.ClassFatal}, errors.New("plain")},
	} {
		s := bare()
		g, _ := newGuard(t)
		require.NoError(t, gosdk.AddTool(s, g, cancelTool("cancel_order"), handOver(nil, c.err), c.base))
		r, err := callTool(t.Context(), inMemory(t, s, legacy, nil), "cancel_order", orderIn{"a1"})
		require.NoError(t, err)
		assert.True(t, r.IsError)
		assert.Equal(t, code, outcome(t, r).Code)
		raw, err := json.Marshal(r)
		require.NoError(t, err)
		assert.NotContains(t, string(raw), "hunter2")
	}
}

func TestAddTool_RefusesAnotherGuardAndNamesThatAreTaken(t *testing.T) {
	t.Parallel()
	s := bare()
	mcp.AddTool(s, cancelTool("old"), cancel)
	g, _ := newGuard(t)
	other, _ := newGuard(t)
	require.NoError(t, gosdk.AddTool(s, g, cancelTool("cancel_order"), cancel, reads))
	renamed := reads
	renamed.Aliases = []string{"cancel"}
	require.NoError(t, gosdk.AddTool(s, g, cancelTool("cancel_all"), cancel, renamed))
	mcp.AddTool(s, cancelTool("old2"), cancel)
	aliased := reads
	aliased.Aliases = []string{"old"}
	for _, again := range []func() error{ // before the first request, and while the server serves
		func() error { return nil }, func() error { return gosdk.Verify(s) },
		func() error { listedNames(t, inMemory(t, s, legacy, nil)); return nil },
	} {
		require.NoError(t, again())
		assert.Equal(t, []string{"serve.registered"}, rules(gosdk.AddTool(s, other, cancelTool("second"), cancel, reads)))
		for _, name := range []string{"cancel_order", "cancel", "old", "old2"} {
			assert.Equal(t, []string{"serve.taken"}, rules(gosdk.AddTool(s, g, cancelTool(name), cancel, reads)), name)
		}
		assert.Equal(t, []string{"serve.taken"}, rules(gosdk.AddTool(s, g, cancelTool("second"), cancel, aliased)))
		assert.Equal(t, []string{"serve.registered"}, rules(gosdk.Register(s, g)))
	}
	assert.Equal(t, []string{"cancel_all", "cancel_order", "old", "old2"}, listedNames(t, inMemory(t, s, legacy, nil)))
	assert.Equal(t, []string{"serve.server"}, rules(gosdk.AddTool(nil, g, cancelTool("a"), cancel, reads)))
	assert.Contains(t, rules(gosdk.AddTool(s, g, nil, cancel, reads)), "serve.nil")
}

func TestAddTool_JoinsAServerThatHasContracts(t *testing.T) {
	t.Parallel()
	g, _ := newGuard(t)
	n := &tools{}
	registered, table := bare(), bare()
	require.NoError(t, gosdk.Register(registered, g, gosdk.WithTools(n.All()...)))
	made, err := gosdk.NewTable("orders", "1.0.0", g)
	require.NoError(t, err)
	require.NoError(t, made.Register(table))
	closed, err := made.NewServer()
	require.NoError(t, err)
	for _, s := range []*mcp.Server{registered, table, closed} {
		require.NoError(t, gosdk.AddTool(s, g, cancelTool("cancel_order"), cancel, reads))
		require.NoError(t, gosdk.AddTool(s, nil, cancelTool("cancel_order2"), cancel, reads), "nil is the server's guard")
		require.NoError(t, gosdk.Verify(s))
		c := inMemory(t, s, modern, nil)
		assert.Contains(t, listedNames(t, c), "cancel_order2")
		r, err := callTool(t.Context(), c, "cancel_order", orderIn{"a1"})
		require.NoError(t, err)
		assert.Equal(t, contract.StatusOK, outcome(t, r).Status)
	}
}

func TestAddTool_KeepsItsContractUnderProtect(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]func(s *mcp.Server, g *guard.Guard){
		"before": func(s *mcp.Server, g *guard.Guard) {
			_, err := gosdk.Protect(s, belt.Settings{Guard: g})
			require.NoError(t, err)
			require.NoError(t, gosdk.AddTool(s, g, cancelTool("cancel_order"), cancel, reads))
		},
		"after": func(s *mcp.Server, g *guard.Guard) {
			require.NoError(t, gosdk.AddTool(s, g, cancelTool("cancel_order"), cancel, reads))
			report, err := gosdk.Protect(s, belt.Settings{Guard: g})
			require.NoError(t, err)
			assert.Empty(t, report.Tools, "the only tool has a contract")
		},
	} {
		s := bare()
		g, _ := newGuard(t)
		order(s, g)
		r, err := callTool(t.Context(), inMemory(t, s, legacy, nil), "cancel_order", orderIn{"a1"})
		require.NoError(t, err, name)
		assert.Equal(t, "1.0.0", outcome(t, r).ContractVersion, name)
	}
}

func TestAddTool_IsThereFromTheFirstRequestOn(t *testing.T) {
	t.Parallel()
	s := bare()
	g, _ := newGuard(t)
	for i := range 30 {
		require.NoError(t, gosdk.AddTool(s, g, cancelTool(fmt.Sprintf("cancel_%02d", i)), cancel, reads))
	}
	s.RemoveTools("cancel_07")
	w := newWireOf(t, s, "")
	answer := w.request(string(sdktest.Message(t, legacy, 1, "initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)))
	assert.Contains(t, answer, `"tools":{"listChanged":true}`)
	w.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	w.write(string(sdktest.Message(t, legacy, 2, "tools/list", `{}`)))
	list := w.read() // nothing comes before it
	var listed struct{ Result mcp.ListToolsResult }
	sdktest.Unmarshal(t, list, &listed)
	assert.Len(t, listed.Result.Tools, 29, "a removed tool stays away")
	assert.NotContains(t, list, "cancel_07")

	require.NoError(t, gosdk.AddTool(s, g, cancelTool("late"), cancel, reads))
	assert.Contains(t, w.read(), "notifications/tools/list_changed")
	assert.Contains(t, w.request(string(sdktest.Message(t, legacy, 3, "tools/call", `{"name":"late","arguments":{"id":"a1"}}`))),
		`"done":true`)
	s.RemoveTools("late")
	require.NoError(t, gosdk.AddTool(s, g, cancelTool("late"), handOver(&mcp.CallToolResult{}, nil), reads), "its name is free")
	require.NoError(t, gosdk.Verify(s))
}

// The tools leak only together, which shows when the table is built.
func TestAddTool_BuildsTheTableOnce(t *testing.T) {
	t.Parallel()
	leaking := func(g *guard.Guard) *mcp.Server {
		s := bare()
		require.NoError(t, gosdk.AddTool(s, g, cancelTool("fetch"), cancel,
			contract.Base{Effect: risk.ReadOnly, Trust: trust.PromptInjectionProne}))
		require.NoError(t, gosdk.AddTool(s, g, cancelTool("mails"), cancel,
			contract.Base{Effect: risk.ReadOnly, Trust: trust.Sensitive}))
		require.NoError(t, gosdk.AddTool(s, g, cancelTool("post"), cancel, contract.Base{Effect: risk.ReadOnly, Sends: true}))
		return s
	}
	g, _ := newGuard(t, guard.WithTrifectaConfirmation())
	_, err := gosdk.HandlerOf(leaking(g))
	assert.Equal(t, []string{"protect.trifecta"}, rules(err))
	assert.Equal(t, []string{"protect.trifecta"}, rules(gosdk.ServeStdioServer(leaking(g))))
	s := leaking(g)
	assert.Equal(t, []string{"protect.trifecta"}, rules(gosdk.Verify(s)))
	w := newWireOf(t, s, "")
	assert.Contains(t, w.request(string(sdktest.Message(t, legacy, 1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},`+
		`"clientInfo":{"name":"test","version":"1"}}`))), `"code":-32603`, "nothing is served without its contract")
	s.RemoveTools("post")
	assert.NoError(t, gosdk.Verify(s), "the author corrected it")
	assert.Equal(t, []string{"fetch", "mails"}, listedNames(t, inMemory(t, s, legacy, nil)))
	err = gosdk.AddTool(s, g, cancelTool("post"), cancel, contract.Base{Effect: risk.ReadOnly, Sends: true})
	assert.Equal(t, []string{"protect.trifecta"}, rules(err), "while the server serves, the error comes at once")
	assert.Equal(t, []string{"fetch", "mails"}, listedNames(t, inMemory(t, s, legacy, nil)))
}

func TestAddTool_IsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	s := bare()
	g, _ := newGuard(t)
	var all sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		all.Go(func() { errs[i] = gosdk.AddTool(s, g, cancelTool(fmt.Sprintf("cancel_%02d", i)), cancel, reads) })
	}
	all.Go(func() { _ = gosdk.ToolsOf(s) })
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	assert.Len(t, listedNames(t, inMemory(t, s, legacy, nil)), len(errs))
	for i := range errs { // while the server serves
		all.Go(func() {
			errs[i] = errors.Join(gosdk.AddTool(s, g, cancelTool(fmt.Sprintf("late_%02d", i)), cancel, reads), gosdk.Verify(s))
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	assert.Len(t, listedNames(t, inMemory(t, s, legacy, nil)), 2*len(errs))
}

func TestAddTool_ForbiddenToolsAreNeitherListedNorRun(t *testing.T) {
	t.Parallel()
	s := bare()
	g, _ := newGuard(t)
	require.NoError(t, gosdk.AddTool(s, g, cancelTool("cancel_order"), cancel, reads))
	require.NoError(t, gosdk.AddTool(s, g, cancelTool("wipe"), cancel,
		contract.Base{Effect: risk.Destructive, Risk: risk.Forbidden, NoPermissions: "Nobody may."}))
	mcp.AddTool(s, cancelTool("wipe"), cancel) // its name is taken
	c := inMemory(t, s, legacy, nil)
	assert.Equal(t, []string{"cancel_order"}, listedNames(t, c))
	_, err := callTool(t.Context(), c, "wipe", orderIn{"a1"})
	assert.Error(t, err)
}

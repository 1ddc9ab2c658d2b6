package mcpgo_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// orders returns a server as its author wrote it, without contracts.
func orders(more ...server.ServerTool) *server.MCPServer {
	s := server.NewMCPServer("orders", "1.0.0")
	s.AddTool(plain("find_order", mcp.WithReadOnlyHintAnnotation(true), mcp.WithString("id", mcp.Required()), mcp.WithNumber("page",
		mcp.DefaultNumber(1))), echo)
	s.AddTool(plain("cancel_order", mcp.WithString("id", mcp.Required())), echo)
	s.AddTools(more...)
	return s
}

// echo returns the arguments that it got.
func echo(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText(string(req.Params.RawArguments)), nil
}

func tool(t mcp.Tool) server.ServerTool { return server.ServerTool{Tool: t, Handler: echo} }

// forAlice returns a guard that knows the tokens of the kit.
func forAlice(t *testing.T) *guard.Guard {
	t.Helper()
	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)), guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	return g
}

func versioned() contract.Base {
	return contract.Base{Version: "1.0.0", Trust: trust.Trusted, Permissions: []string{"notes:write"}}
}

// listOf returns the raw tools of a list by name, as a caller sees them.
func listOf(t *testing.T, s *server.MCPServer) map[string]string {
	t.Helper()
	listed := map[string]string{}
	for _, raw := range sdktest.Parse(t, handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)).Result.Tools {
		var named struct{ Name string }
		require.NoError(t, json.Unmarshal(raw, &named))
		listed[named.Name] = string(raw)
	}
	return listed
}

// hints returns the option that sets the hints; nil leaves one out.
func hints(readOnly, destructive, idempotent, open *bool) mcp.ToolOption {
	return func(t *mcp.Tool) {
		t.Annotations = mcp.ToolAnnotation{ReadOnlyHint: readOnly, DestructiveHint: destructive, IdempotentHint: idempotent,
			OpenWorldHint: open}
	}
}

// In mcp-go a hint can be left out, so that false says something.
func TestWrapAll_AToolThatIsNoReadIsDestructive(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1")
	s.AddTools(tool(plain("do", hints(new(false), nil, nil, new(false)))))
	report, err := mcpgo.WrapAll(s, forAlice(t), wrap.Rules{Base: versioned()})
	require.NoError(t, err)
	require.Len(t, report.Tools[0].Guesses, 1)
	assert.Equal(t, "effect destructive, from readOnlyHint", report.Tools[0].Guesses[0].String())
	assert.Equal(t, risk.Destructive, report.Tools[0].Contract.Document().Effect)
}

// Clients see the hints and titles of the tool author, whatever follows from
// them, until a rule declares otherwise.
func TestWrapAll_ListsTheHintsAndTitlesOfTheToolAuthor(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1")
	values := map[string]*bool{"Yes": new(true), "No": new(false), "None": nil}
	for readOnly, r := range values {
		for destructive, d := range values {
			for idempotent, i := range values {
				for open, o := range values {
					s.AddTools(tool(plain("r"+readOnly+"_d"+destructive+"_i"+idempotent+"_o"+open, hints(r, d, i, o))))
				}
			}
		}
	}
	above, inside, both := plain("above"), plain("inside"), plain("both")
	above.Title, inside.Annotations.Title = "Above", "Inside"
	both.Title, both.Annotations.Title = "One", "Other"
	s.AddTools(tool(above), tool(inside), tool(both))
	before := annotationsIn(t, s)
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser()), guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	_, err = mcpgo.WrapAll(s, g, wrap.Rules{Base: contract.Base{Version: "1.0.0", NoPermissions: "All callers are colleagues."}})
	require.NoError(t, err)
	after := annotationsIn(t, s)
	require.Len(t, after, 84)
	for name, was := range before {
		is := after[name]
		assert.Equal(t, was.titles, is.titles, name)
		for hint, value := range was.hints {
			assert.Equal(t, value, is.hints[hint], "%s of %s", hint, name)
		}
	}
}

// A listedAs is what a list has of the words and hints of a tool.
type listedAs struct {
	titles [2]string
	hints  map[string]bool
}

// annotationsIn lists the tools of a server for a local user.
func annotationsIn(t *testing.T, s *server.MCPServer) map[string]listedAs {
	t.Helper()
	all := map[string]listedAs{}
	for _, raw := range sdktest.Parse(t, handleAs(t, within(server.NewInProcessSession("any", nil)), s,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)).Result.Tools {
		var read struct {
			Name, Title string
			Annotations map[string]any
		}
		require.NoError(t, json.Unmarshal(raw, &read))
		l := listedAs{titles: [2]string{read.Title, ""}, hints: map[string]bool{}}
		for name, value := range read.Annotations {
			switch value := value.(type) {
			case string:
				l.titles[1] = value
			case bool:
				l.hints[name] = value
			}
		}
		all[read.Name] = l
	}
	return all
}

func TestWrapAll_ReportsToolsThatCanRunAsTasks(t *testing.T) {
	t.Parallel()
	s := orders(tool(plain("task", mcp.WithTaskSupport(mcp.TaskSupportOptional))))
	before := listOf(t, s)
	_, err := mcpgo.WrapAll(s, forAlice(t), wrap.Rules{Base: versioned()})
	assert.Equal(t, []string{"serve.task task"}, sdktest.Rules(err))
	assert.Equal(t, before, listOf(t, s))
	assert.Nil(t, s.GetHooks(), "no hook is left behind")
	_, err = mcpgo.WrapAll(s, forAlice(t), wrap.Rules{Base: versioned(), Tools: map[string]wrap.Rule{"task": {Uncontracted: true}}})
	require.NoError(t, err, "a failed call leaves nothing behind")
	assert.Equal(t, before["task"], listOf(t, s)["task"], "its rule leaves it as it is")
	assert.NoError(t, mcpgo.Verify(s))
}

// Task tools of AddTaskTool are not among the tools that mcp-go lists.
func TestWrapAll_FindsToolsThatOnlyRunAsTasks(t *testing.T) {
	t.Parallel()
	withTask := func() *server.MCPServer {
		s := orders()
		s.AddTaskTool(plain("export", mcp.WithTaskSupport(mcp.TaskSupportRequired)), func(context.Context,
			mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
			return nil, nil //nolint:nilnil // never called
		})
		return s
	}
	_, err := mcpgo.WrapAll(withTask(), forAlice(t), wrap.Rules{Base: versioned()})
	assert.Equal(t, []string{"serve.task export"}, sdktest.Rules(err))
	s := withTask()
	_, err = mcpgo.WrapAll(s, forAlice(t), wrap.Rules{Base: versioned(),
		Tools: map[string]wrap.Rule{"export": {Uncontracted: true}}})
	require.NoError(t, err)
	assert.Equal(t, []string{"export"}, slices.Collect(maps.Keys(listOf(t, s))), "an anonymous caller sees no other")
}

func TestWrapAll_ReportsWhatChangesForClients(t *testing.T) {
	t.Parallel()
	nested := mcp.NewToolWithRawSchema("nested.tool", "Does it.", json.RawMessage(`{"type":"object","additionalProperties":false,
		"properties":{"a/b":{"type":"object","properties":{"c":{"type":"string","default":"x"}}}}}`))
	nested.RawOutputSchema = json.RawMessage(`{"type":"object"}`)
	s := orders(tool(nested))
	report, err := mcpgo.WrapAll(s, forAlice(t), wrap.Rules{
		Base: contract.Base{Version: "1.0.0"},
		Tools: map[string]wrap.Rule{
			"cancel_order": {Base: contract.Base{NoPermissions: "All callers are colleagues.", Trust: trust.Trusted}},
			"nested.tool": {
				Options: []wrap.Option{wrap.WithDefaults()},
				Base: contract.Base{
					Effect:      risk.LowRiskWrite,
					Permissions: []string{"notes:write"},
					Delimit:     trust.DelimitAll,
					OtherErrors: contract.ClassFatal,
					Idempotency: contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true},
				},
				Declare: func(b *wrap.Builder) {
					b.DryRun(dryrun.By(func(context.Context, json.RawMessage) (dryrun.Preview[struct{}], error) {
						return dryrun.Preview[struct{}]{}, nil
					}))
				},
			},
		},
	})
	require.NoError(t, err)
	changes := map[string][]string{}
	for _, tool := range report.Tools {
		changes[tool.Name] = tool.Changes
	}
	assert.Equal(t, map[string][]string{
		"cancel_order": {
			"arguments must fit the schema, and those that it does not name reach the handler",
			"structured content is not checked, because there is no output schema",
			"error results keep their texts under the code tool_retry, and say that effects may have happened",
			"Go errors that are not declared become internal_error without their texts",
			"a person is asked before every call",
			"anonymous callers are refused",
		},
		"find_order": {
			"arguments must fit the schema, and those that it does not name reach the handler",
			"structured content is not checked, because there is no output schema",
			"plain texts are delimited as untrusted data",
			"error results keep their texts under the code tool_retry",
			"Go errors that are not declared become internal_error without their texts",
		},
		"nested.tool": {
			"is listed as nested_tool",
			"idempotentHint becomes true",
			"arguments must fit the schema, and those that it does not name are refused",
			"/a~1b/c gets its default if it is left out",
			"the argument dryRun asks for a preview",
			"structured content must fit the output schema",
			"all texts are delimited as untrusted data",
			"callers need the permissions notes:write",
			"a repeated call gets the recorded result",
			"a call without an idempotency key is refused",
		},
	}, changes)
}

// A wrapped tool whose arguments can waive the question does not ask before
// every call.
func TestWrapAll_ReportsThatSomeCallsAskNoPerson(t *testing.T) {
	t.Parallel()
	for least, want := range map[contract.Confirmation]string{
		contract.ConfirmationNever: "a person is asked before some calls", 0: "a person is asked before every call",
	} {
		report, err := mcpgo.WrapAll(orders(), forAlice(t), wrap.Rules{
			Base: contract.Base{Version: "1.0.0"},
			Tools: map[string]wrap.Rule{"cancel_order": {
				Base: contract.Base{NoPermissions: "All callers are colleagues.", Trust: trust.Trusted},
				Declare: func(b *wrap.Builder) {
					b.Resolve(contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Low, Confirmation: least},
						func(json.RawMessage) contract.Resolution { return contract.Resolution{} })
				},
			}},
		})
		require.NoError(t, err)
		i := slices.IndexFunc(report.Tools, func(tool wrap.Tool) bool { return tool.Name == "cancel_order" })
		assert.Contains(t, report.Tools[i].Changes, want)
	}
}

func TestWrapAll_ReportsSchemasThatAreListedInAnotherForm(t *testing.T) {
	t.Parallel()
	const (
		converted = "a schema of an older draft is listed in draft 2020-12"
		unchecked = "patterns that RE2 cannot check are listed as x-uncheckedPattern, and nothing checks them"
	)
	for name, test := range map[string]struct {
		in, out string
		changes []string
	}{
		"draft 2020-12": {in: `{"type":"object","properties":{"id":{"type":"string","pattern":"^[a-z]+$"}}}`},
		"an older input": {
			in: `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",` +
				`"properties":{"at":{"items":[{"type":"string"}]}}}`,
			changes: []string{converted},
		},
		"an older output": {
			in: `{"type":"object"}`, out: `{"type":"object","properties":{"at":{"items":[{"type":"string"}]}}}`,
			changes: []string{converted},
		},
		"an unchecked pattern in an older input": {
			in: `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"id":{"type":"string",` +
				`"pattern":"^(?=x)"}}}`,
			changes: []string{converted, unchecked},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := mcp.NewToolWithRawSchema("old", "Does it.", json.RawMessage(test.in))
			if test.out != "" {
				old.RawOutputSchema = json.RawMessage(test.out)
			}
			report, err := mcpgo.WrapAll(orders(tool(old)), forAlice(t), wrap.Rules{
				Base: contract.Base{Version: "1.0.0", NoPermissions: "All callers are colleagues."},
				Tools: map[string]wrap.Rule{"old": {
					Base:    contract.Base{Effect: risk.ReadOnly},
					Declare: func(b *wrap.Builder) { b.UncheckedPatterns() },
				}},
			})
			require.NoError(t, err)
			var changes []string
			for _, wrapped := range report.Tools {
				for _, c := range wrapped.Changes {
					if wrapped.Name == "old" && (c == converted || c == unchecked) {
						changes = append(changes, c)
					}
				}
			}
			assert.Equal(t, test.changes, changes)
		})
	}
}

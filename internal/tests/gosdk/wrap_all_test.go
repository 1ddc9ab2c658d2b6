package gosdk_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// wordTool returns a typed tool that answers with a word. Equal names have
// equal contracts.
func wordTool(name, word string) *contract.Builder[empty, string] {
	return contract.New(name, func(context.Context, empty) (string, error) { return word, nil }).
		Description("Returns a word.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// firstText returns the first text of an answer.
func firstText(t *testing.T, raw string) string {
	t.Helper()
	a := sdktest.Parse(t, raw)
	require.NotNil(t, a.Result, "no result: %s", raw)
	require.NotEmpty(t, a.Result.Content)
	return a.Result.Content[0].Text
}

func TestWrapAll_PutsEveryToolUnderAContract(t *testing.T) {
	t.Parallel()
	s := orders()
	var seen []string
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.CallToolRequest); ok {
				seen = append(seen, r.Params.Name+string(r.Params.Arguments))
			}
			return next(ctx, method, req)
		}
	})
	k := newKitOf(t, s)
	report, err := gosdk.WrapAll(s, k.guard, wrap.Rules{
		Base: versioned(),
		Tools: map[string]wrap.Rule{
			"cancel_order": {
				Base: contract.Base{Effect: risk.LowRiskWrite},
				Declare: func(b *wrap.Builder) {
					b.ConfirmWhen(func(in json.RawMessage) bool { return strings.Contains(string(in), "big") }).Aliases("orders.cancel")
				},
			},
			"drop_orders": {Base: contract.Base{Risk: risk.Forbidden}},
		},
	})
	require.NoError(t, err)
	require.NoError(t, gosdk.Verify(s))
	sdktest.EachEra(t, func(t *testing.T, e era) {
		listed, err := k.client(e, "alice").ListTools(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"cancel_order", "find_order"}, names(listed.Tools))
		assert.Contains(t, listed.Tools[0].Meta, contract.MetaKeyContract)
		assert.Empty(t, listedNames(t, k.client(e, "bob")))
		raw := k.call(e, "alice", "find_order", `{"id":"1"}`)
		assert.JSONEq(t, `{"id":"1","state":"open"}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
		if e == modern {
			assert.Equal(t, "complete", sdktest.Parse(t, raw).Result.ResultType)
		}
		sdktest.AssertRefused(t, k.call(e, "alice", "find_order", `{}`), contract.CodeInvalidInput)
		sdktest.AssertRefused(t, k.call(e, "bob", "find_order", `{"id":"1"}`), contract.CodePermissionDenied)
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, k.call(e, "alice", "cancel_order", `{"id":"small"}`)).Status)
		assert.Equal(t, "cancel_order", sdktest.Outcome(t, k.call(e, "alice", "orders_cancel", `{"id":"small"}`)).UseName)
		sdktest.AssertRefused(t, k.call(e, "alice", "cancel_order", `{"id":"big"}`), contract.CodeConfirmationRequired)
		assertUnknown(t, k.call(e, "alice", "drop_orders", `{}`), "drop_orders")
	})
	want := []string{`find_order{"id":"1"}`, `cancel_order{"id":"small"}`, `cancel_order{"id":"small"}`}
	assert.Equal(t, append(want, want...), seen, "earlier middleware sees what the guard lets pass")
	require.Len(t, report.Tools, 3)
	assert.Equal(t, "effect read-only, from readOnlyHint", report.Tools[2].Guesses[0].String())
	var of []string
	for _, built := range gosdk.ToolsOf(s) {
		of = append(of, built.Name())
	}
	assert.Equal(t, []string{"cancel_order", "drop_orders", "find_order"}, of)
	assert.NotNil(t, contracttest.Inspect(gosdk.ToolsOf(s)...))
	assert.Nil(t, gosdk.ToolsOf(orders()), "the server has no contracts")
	assert.Nil(t, gosdk.ToolsOf(nil))
}

// An adopted tool asks a person in each era, and its question passes the SDK's
// own multi round trip.
// A countedSchema counts how often it is written as JSON.
type countedSchema struct{ written int }

func (s *countedSchema) MarshalJSON() ([]byte, error) {
	s.written++
	return []byte(`{"type":"object"}`), nil
}

// The schemas of typed tools are slow to write.
func TestWrapAll_WritesTheSchemasOfAToolSeldom(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	in, out := &countedSchema{}, &countedSchema{}
	s.AddTool(&mcp.Tool{
		Name: "find_order", Description: "Shows an order.", InputSchema: in, OutputSchema: out,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, nil)
	in.written, out.written = 0, 0
	_, err := gosdk.WrapAll(s, newKitOf(t, s).guard, wrap.Rules{Base: versioned()})
	require.NoError(t, err)
	assert.LessOrEqual(t, in.written, 2, "for the contract, and for x-mcp-header")
	assert.LessOrEqual(t, out.written, 1)
}

func TestWrapAll_AsksBeforeAnAdoptedTool(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		s := orders()
		k := newKitOf(t, s)
		_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: versioned(),
			Tools: map[string]wrap.Rule{"drop_orders": {Base: contract.Base{
				Confirmation: contract.ConfirmationAlways,
			}}}})
		require.NoError(t, err)
		for answer, status := range map[*mcp.ElicitResult]contract.Status{&declines: contract.StatusError,
			&approves: contract.StatusOK} {
			p := &person{answer: *answer}
			r, err := callTool(t.Context(), k.clientOf(e, "alice", p), "drop_orders", map[string]any{"n": answer.Action})
			require.NoError(t, err)
			assert.Equal(t, status, outcomeOf(t, r).Status)
			assert.EqualValues(t, 1, p.asked.Load())
		}
	})
}

// No hint declares whether a change can be undone.
func TestWrapAll_AGuessedSideEffectIsAskedAsAGuess(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		s := orders()
		k := newKitOf(t, s)
		_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: versioned()})
		require.NoError(t, err)
		p := &person{answer: declines}
		_, err = callTool(t.Context(), k.clientOf(e, "alice", p), "cancel_order", nil)
		require.NoError(t, err)
		require.NotNil(t, p.last.Load())
		assert.Contains(t, p.last.Load().Message, "- Guessed from the tool's hints, not declared: "+
			"it adds or changes data, also outside the system (outside this system; can be undone)")
	})
}

func TestWrapAll_GuessesTheStrictestThatTheHintsAllow(t *testing.T) {
	t.Parallel()
	yes, no := new(true), new(false)
	for name, test := range map[string]struct {
		hints       *mcp.ToolAnnotations
		effect      risk.Effect
		idempotency idempotency.Mode
		guesses     []string
	}{
		"no hints": {nil, risk.Destructive, 0, []string{"effect destructive, because there is no hint"}},
		"a read": {&mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}, risk.ReadOnly, 0,
			[]string{"effect read-only, from readOnlyHint"}},
		"destructive": {&mcp.ToolAnnotations{DestructiveHint: yes}, risk.Destructive, 0,
			[]string{"effect destructive, from destructiveHint"}},
		"not destructive, open": {&mcp.ToolAnnotations{DestructiveHint: no}, risk.HighRiskWrite, 0,
			[]string{"effect high-risk-write, from destructiveHint", "sideEffects external and reversible, from destructiveHint"}},
		"not destructive, closed": {&mcp.ToolAnnotations{DestructiveHint: no, OpenWorldHint: no}, risk.HighRiskWrite, 0,
			[]string{"effect high-risk-write, from destructiveHint and openWorldHint",
				"sideEffects internal and reversible, from destructiveHint and openWorldHint"}},
		"idempotent": {
			&mcp.ToolAnnotations{DestructiveHint: yes, IdempotentHint: true}, risk.Destructive, idempotency.Native,
			[]string{"effect destructive, from destructiveHint", "idempotency native, from idempotentHint"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1.0.0"}, nil)
			tool := plain("do")
			tool.Annotations = test.hints
			s.AddTool(tool, answering("done"))
			g, _ := newGuard(t)
			report, err := gosdk.WrapAll(s, g, wrap.Rules{Base: contract.Base{
				Version:     "1.0.0",
				Permissions: []string{"notes:write"},
			}})
			require.NoError(t, err)
			var guesses []string
			for _, g := range report.Tools[0].Guesses {
				guesses = append(guesses, g.String())
			}
			assert.Equal(t, test.guesses, guesses)
			doc := report.Tools[0].Contract.Document()
			assert.Equal(t, test.effect, doc.Effect)
			assert.Zero(t, doc.ContentTrust, "no hint raises the trust")
			if test.idempotency != 0 {
				require.NotNil(t, doc.Idempotency)
				assert.Equal(t, test.idempotency, doc.Idempotency.Mode)
			} else {
				assert.Nil(t, doc.Idempotency)
			}
		})
	}
}

// A server author with many tools sees all that is left to decide after one
// call, and the server is as it was.
func TestWrapAll_ReportsAllMistakesAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := orders()
	undescribed := plain("undescribed")
	undescribed.Description = ""
	s.AddTool(undescribed, answering("x"))
	before := handle(t, s, list)
	g, _ := newGuard(t)
	report, err := gosdk.WrapAll(s, g, wrap.Rules{
		Base:  contract.Base{Version: "1.0.0"},
		Tools: map[string]wrap.Rule{"find_oder": {}, "later": {Later: true}},
	})
	assert.ElementsMatch(t, []string{
		"wrap.unknown find_oder", "permissions.missing cancel_order", "permissions.missing drop_orders",
		"permissions.missing undescribed", "description.missing undescribed",
	}, sdktest.Rules(err))
	assert.Equal(t, before, handle(t, s, list))
	assert.Nil(t, gosdk.ToolsOf(s))
	require.Len(t, report.Tools, 4)
	assert.Contains(t, report.String(), "undescribed")

	_, err = gosdk.WrapAll(s, g, wrap.Rules{Base: versioned(),
		Tools: map[string]wrap.Rule{"undescribed": {Uncontracted: true}}})
	require.NoError(t, err, "a failed call leaves nothing behind")
	assert.Equal(t, []string{"undescribed"}, listedBy(t, s), "its rule leaves it as it is")
	assert.Equal(t, "x", firstText(t, handle(t, s, callOf("undescribed", `{}`))))
	require.NoError(t, gosdk.Verify(s))
	_, err = gosdk.WrapAll(s, g, wrap.Rules{Base: versioned()})
	assert.NotEmpty(t, sdktest.Rules(err), "the server has contracts already")

	_, err = gosdk.WrapAll(nil, nil, wrap.Rules{})
	assert.Equal(t, []string{"serve.server"}, sdktest.Rules(err))
	_, err = gosdk.WrapAll(orders(), nil, wrap.Rules{Base: versioned()}, nil)
	assert.Equal(t, []string{"serve.option"}, sdktest.Rules(err))
	report, err = gosdk.WrapAll(orders(), nil, wrap.Rules{Base: versioned()})
	assert.Equal(t, []string{"protect.principal cancel_order", "protect.principal drop_orders", "protect.principal find_order"},
		sdktest.Rules(err))
	assert.Equal(t, []string{"protect.principal cancel_order"}, sdktest.Rules(report.Tools[0].Err))
}

func TestWrapAll_TakesTypedToolsInPlaceOfTheirNamesakes(t *testing.T) {
	t.Parallel()
	s := orders()
	report, err := gosdk.WrapAll(s, nil, wrap.Rules{Base: contract.Base{Version: "1.0.0"}, AllowUncontracted: true},
		gosdk.WithTools(wordTool("cancel_order", "typed").FlatName().MustBuild()))
	require.NoError(t, err)
	require.Len(t, report.Tools, 2)
	assert.Equal(t, "typed", firstText(t, handle(t, s, callOf("cancel_order", `{}`))))
	assert.Equal(t, "dropped", firstText(t, handle(t, s, callOf("drop_orders", `{}`))),
		"its contract cannot be built, and the rules allow that")
}

// later returns a server under WrapAll to which tools are added later.
func later(t *testing.T) *mcp.Server {
	t.Helper()
	s := orders()
	g, _ := newGuard(t)
	_, err := gosdk.WrapAll(s, g, wrap.Rules{
		Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted},
		Tools: map[string]wrap.Rule{
			"cancel_order": {Base: contract.Base{Effect: risk.LowRiskWrite, NoPermissions: "All callers may."}},
			"drop_orders":  {Base: contract.Base{NoPermissions: "All callers may.", Effect: risk.LowRiskWrite}},
			"count_orders": {Later: true, Base: contract.Base{Effect: risk.ReadOnly}},
			"plain_tool":   {Later: true, Uncontracted: true},
		},
	})
	require.NoError(t, err)
	return s
}

func TestWrapAll_WrapsToolsThatAreAddedLater(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"list", "call"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			s := later(t)
			counts := plain("count_orders")
			counts.InputSchema = json.RawMessage(`{"type":"object","properties":{"state":{"type":"string"}},"required":["state"]}`)
			s.AddTool(counts, answering("3"))
			s.AddTool(hinted("guess.read", mcp.ToolAnnotations{ReadOnlyHint: true}), answering("guessed"))
			s.AddTool(plain("plain_tool"), answering("plain"))
			s.AddTool(plain("no_permissions"), answering("no"))
			if first == "list" {
				listed, _ := listing(t, handle(t, s, list))
				assert.Len(t, listed, 6)
				assert.Contains(t, listed["count_orders"], contract.MetaKeyContract)
				assert.Contains(t, listed["guess_read"], contract.MetaKeyContract)
				assert.NotContains(t, listed["plain_tool"], contract.MetaKeyContract)
			}
			sdktest.AssertRefused(t, handle(t, s, callOf("count_orders", `{}`)), contract.CodeInvalidInput)
			assert.Equal(t, "guessed", firstText(t, handle(t, s, callOf("guess_read", `{}`))))
			assertUnknown(t, handle(t, s, callOf("guess.read", `{}`)), "guess.read")
			assertUnknown(t, handle(t, s, callOf("no_permissions", `{}`)), "no_permissions")
			assert.Equal(t, "plain", firstText(t, handle(t, s, callOf("plain_tool", `{}`))))
			assert.Equal(t, []string{"verify.added no_permissions"}, sdktest.Rules(gosdk.Verify(s)))
		})
	}
}

// A tool that is added again is wrapped again, by the rule of its name.
func TestWrapAll_ToolsThatAreAddedAgainAreWrappedAgain(t *testing.T) {
	t.Parallel()
	s := later(t)
	again := func(description string) {
		tool := plain("drop_orders")
		tool.Description += description
		s.AddTool(tool, answering("again"))
	}
	again("")
	assert.Equal(t, "again", firstText(t, handle(t, s, callOf("drop_orders", `{}`))))
	assertUnknown(t, handle(t, s, callOf("no_such", `{}`)), "no_such")
	require.NoError(t, gosdk.Verify(s))
	again(" It is another.")
	assert.Equal(t, "again", firstText(t, handle(t, s, callOf("drop_orders", `{}`))))
	listed, _ := listing(t, handle(t, s, list))
	assert.Contains(t, listed["drop_orders"], "It is another.")
	require.NoError(t, gosdk.Verify(s))
	again("")
	assert.Equal(t, "again", firstText(t, handle(t, s, callOf("drop_orders", `{}`))))
	s.RemoveTools("drop_orders")
	assertUnknown(t, handle(t, s, callOf("drop_orders", `{}`)), "drop_orders")
	assert.Equal(t, []string{"verify.missing drop_orders"}, sdktest.Rules(gosdk.Verify(s)))

	require.NoError(t, gosdk.Add(s, wordTool("word_first", "typed").FlatName().MustBuild()))
	s.AddTool(plain("word_first"), answering("intruder"))
	assertUnknown(t, handle(t, s, callOf("word_first", `{}`)), "word_first")
}

func TestAdd_ServesToolsThatComeLater(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{wordTool("word.first", "one").MustBuild()})
	require.NoError(t, gosdk.Add(k.server, wordTool("word.later", "two").Aliases("word.old").MustBuild(), wordTool("word.secret",
		"x").Permissions("notes:write").MustBuild()))
	require.NoError(t, gosdk.Verify(k.server))
	sdktest.EachEra(t, func(t *testing.T, e era) {
		assert.Equal(t, []string{"word.first", "word.later"}, listedNames(t, k.client(e, "bob")))
		assert.Equal(t, []string{"word.first", "word.later", "word.secret"}, listedNames(t, k.client(e, "alice")))
		assert.Equal(t, "two", firstText(t, k.call(e, "bob", "word.later", `{}`)))
		assert.Equal(t, "two", firstText(t, k.call(e, "bob", "word.old", `{}`)))
		assert.Equal(t, "one", firstText(t, k.call(e, "bob", "word.first", `{}`)))
		sdktest.AssertRefused(t, k.call(e, "bob", "word.later", `{"a":1}`), contract.CodeInvalidInput)
	})
}

func TestAdd_ReplacesTheSameToolAndNothingElse(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{wordTool("word.first", "one").Aliases("word.alias").MustBuild()})
	require.NoError(t, gosdk.Add(k.server, wordTool("word.first", "again").Aliases("word.alias").MustBuild()),
		"the contract is equal")
	require.NoError(t, gosdk.Verify(k.server))
	assert.Equal(t, "again", firstText(t, handle(t, k.server, callOf("word.first", `{}`))))
	assert.Equal(t, "again", firstText(t, handle(t, k.server, callOf("word.alias", `{}`))))

	other := wordTool("word.first", "other").Version("2.0.0").MustBuild()
	for name, tools := range map[string][]*contract.Tool{
		"another contract": {other},
		"an alias":         {wordTool("word.alias", "x").MustBuild()},
		"a new alias":      {wordTool("word.new", "x").Aliases("word.first").MustBuild()},
		"nil":              {nil},
		"twice":            {wordTool("word.new", "x").MustBuild(), wordTool("word.new", "y").MustBuild()},
	} {
		require.NotEmpty(t, contract.DeclarationErrors(gosdk.Add(k.server, tools...)), name)
		assert.Equal(t, "again", firstText(t, handle(t, k.server, callOf("word.first", `{}`))), name)
		assertUnknown(t, handle(t, k.server, callOf("word.new", `{}`)), "word.new")
		require.NoError(t, gosdk.Verify(k.server), name)
	}
	k.server.RemoveTools("word.first")
	require.NoError(t, gosdk.Add(k.server, other), "its name is free")
	assert.Equal(t, "other", firstText(t, handle(t, k.server, callOf("word.first", `{}`))))
	assertUnknown(t, handle(t, k.server, callOf("word.alias", `{}`)), "word.alias")
	require.NoError(t, gosdk.Verify(k.server))
	assert.Equal(t, []string{"serve.server"}, sdktest.Rules(gosdk.Add(orders(), other)))
	assert.Equal(t, []string{"serve.server"}, sdktest.Rules(gosdk.Add(nil, other)))
}

func TestAdd_ReplacesAToolWithoutAContractInTheOpenWorld(t *testing.T) {
	t.Parallel()
	s := orders()
	g, _ := newGuard(t)
	require.NoError(t, gosdk.Register(s, g, gosdk.WithTools(wordTool("word_first", "one").FlatName().MustBuild())))
	require.NoError(t, gosdk.Add(s, wordTool("find_order", "typed").FlatName().MustBuild()))
	assert.Equal(t, "typed", firstText(t, handle(t, s, callOf("find_order", `{}`))))
	assert.Equal(t, "cancelled", firstText(t, handle(t, s, callOf("cancel_order", `{}`))), "it stays as it was")
	require.NoError(t, gosdk.Add(s, wordTool("cancel_order",
		"x").FlatName().Risk(risk.Forbidden).Permissions("notes:write").MustBuild()))
	assertUnknown(t, handle(t, s, callOf("cancel_order", `{}`)), "cancel_order")
}

// Run it with -race.
func TestAdd_IsSafeWhileTheServerServes(t *testing.T) {
	t.Parallel()
	s := later(t)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for range 10 {
				assert.NoError(t, gosdk.Add(s, wordTool("word.same", "x").MustBuild()))
				assert.NoError(t, gosdk.Add(s, wordTool("word.own"+string(rune('a'+i)), "x").MustBuild()))
				s.AddTool(plain("drop_orders"), answering("dropped"))
			}
		})
		group.Go(func() {
			for range 20 {
				handle(t, s, list)
				handle(t, s, callOf("find_order", `{"id":"1"}`))
				handle(t, s, callOf("drop_orders", `{}`))
			}
		})
	}
	group.Wait()
	handle(t, s, callOf("drop_orders", `{}`)) // wraps the last one that was added
	require.NoError(t, gosdk.Verify(s))
	assert.Len(t, gosdk.ToolsOf(s), 8)
}

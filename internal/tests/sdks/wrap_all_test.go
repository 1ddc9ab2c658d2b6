package sdks_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func toolNames(tools []*contract.Tool) []string {
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name())
	}
	return names
}

func TestWrapAll_PutsEveryToolUnderAContract(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o := orders(s)
		k := newKitOf(t, s, o)
		report, err := o.WrapAll(k.guard, wrap.Rules{
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
		}, options{})
		require.NoError(t, err)
		require.NoError(t, o.Verify())
		sdktest.EachEra(t, func(t *testing.T, e era) {
			assert.Equal(t, []string{"cancel_order", "find_order"}, k.client(e, "alice", nil).Names(t))
			assert.Empty(t, k.client(e, "bob", nil).Names(t))
			is, _ := k.list(e, "alice")
			assert.Contains(t, is["cancel_order"], contract.MetaKeyContract)
			raw := k.call(e, "alice", "find_order", `{"id":"1"}`)
			assert.Equal(t, `{"id":"1"}`, firstText(t, raw))
			if e == modern {
				assert.Equal(t, "complete", sdktest.Parse(t, raw).Result.ResultType)
			}
			sdktest.AssertRefused(t, k.call(e, "alice", "find_order", `{}`), contract.CodeInvalidInput)
			sdktest.AssertRefused(t, k.call(e, "bob", "find_order", `{"id":"1"}`), contract.CodePermissionDenied)
			assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, k.call(e, "alice", "cancel_order", `{"id":"small"}`)).Status)
			assert.Equal(t, "cancel_order", sdktest.Outcome(t, k.call(e, "alice", "orders_cancel", `{"id":"small"}`)).UseName)
			sdktest.AssertRefused(t, k.call(e, "alice", "cancel_order", `{"id":"big"}`), contract.CodeConfirmationRequired)
			k.assertUnknown(k.call(e, "alice", "drop_orders", `{}`), "drop_orders")
		})
		require.Len(t, report.Tools, 3)
		assert.Empty(t, report.Tools[0].Guesses, "the rule declares the effect")
		assert.Equal(t, "effect read-only, from readOnlyHint", report.Tools[2].Guesses[0].String())
		assert.Equal(t, []string{"cancel_order", "drop_orders", "find_order"}, toolNames(o.ToolsOf()))
		assert.NotNil(t, contracttest.Inspect(o.ToolsOf()...))
		assert.Nil(t, orders(s).ToolsOf(), "the server has no contracts")
		assert.Nil(t, s.Nil().ToolsOf())
	})
}

func TestWrapAll_GuessesTheStrictestThatTheHintsAllow(t *testing.T) {
	t.Parallel()
	yes, no := new(true), new(false)
	for name, test := range map[string]struct {
		hints       definition
		effect      risk.Effect
		idempotency idempotency.Mode
		guesses     []string
	}{
		"no hints": {definition{}, risk.Destructive, 0, []string{"effect destructive, because there is no hint"}},
		"a read":   {definition{readOnly: yes, idempotent: yes}, risk.ReadOnly, 0, []string{"effect read-only, from readOnlyHint"}},
		"a contradiction": {definition{readOnly: yes, destructive: yes, idempotent: yes, open: yes}, risk.ReadOnly, 0,
			[]string{"effect read-only, from readOnlyHint"}},
		"destructive": {definition{destructive: yes}, risk.Destructive, 0, []string{"effect destructive, from destructiveHint"}},
		"not destructive, open": {definition{destructive: no, readOnly: no, idempotent: no}, risk.HighRiskWrite, 0,
			[]string{"effect high-risk-write, from destructiveHint", "sideEffects external and reversible, from destructiveHint"}},
		"not destructive, closed": {definition{destructive: no, open: no}, risk.HighRiskWrite, 0,
			[]string{"effect high-risk-write, from destructiveHint and openWorldHint",
				"sideEffects internal and reversible, from destructiveHint and openWorldHint"}},
		"idempotent": {definition{destructive: yes, idempotent: yes}, risk.Destructive, idempotency.Native,
			[]string{"effect destructive, from destructiveHint", "idempotency native, from idempotentHint"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachSDK(t, func(t *testing.T, s sdk) {
				o := s.Existing("s", "", 0)
				tool := test.hints
				tool.name, tool.description = "do", "Does it."
				o.AddTool(tool, saying("done"))
				g, _ := newGuard(t, s)
				base := contract.Base{Version: "1.0.0", Permissions: []string{"notes:write"}}
				report, err := o.WrapAll(g, wrap.Rules{Base: base}, options{})
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
		})
	}
}

// With one call, the author of a server with many tools sees everything left to
// decide, and the server is unchanged.
func TestWrapAll_ReportsAllMistakesAndChangesNothing(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o := orders(s)
		o.AddTool(definition{name: "undescribed"}, saying("x"))
		before := o.Handle(t, list)
		g, _ := newGuard(t, s)
		report, err := o.WrapAll(g, wrap.Rules{
			Base:  contract.Base{Version: "1.0.0"},
			Tools: map[string]wrap.Rule{"find_oder": {}, "later": {Later: true}},
		}, options{})
		assert.ElementsMatch(t, []string{
			"wrap.unknown find_oder", "permissions.missing cancel_order", "permissions.missing drop_orders",
			"permissions.missing undescribed", "description.missing undescribed",
		}, sdktest.Rules(err))
		assert.Equal(t, before, o.Handle(t, list))
		assert.Nil(t, o.ToolsOf())
		var failed []string
		for _, tool := range report.Tools {
			if tool.Err != nil {
				assert.Nil(t, tool.Contract)
				failed = append(failed, tool.Name)
			}
		}
		assert.Equal(t, []string{"cancel_order", "drop_orders", "undescribed"}, failed)
		assert.Len(t, report.Tools, 4)
		assert.Contains(t, report.String(), "undescribed")

		was, _ := listing(t, before)
		uncontracted := map[string]wrap.Rule{"undescribed": {Uncontracted: true}}
		_, err = o.WrapAll(g, wrap.Rules{Base: versioned(), Tools: uncontracted}, options{})
		require.NoError(t, err, "a failed call leaves nothing behind")
		is, order := listed(t, o)
		assert.Equal(t, []string{"undescribed"}, order, "an anonymous caller sees no other")
		assert.Equal(t, was["undescribed"], is["undescribed"], "its rule leaves it as it is")
		assert.Equal(t, "x", firstText(t, calling(t, o, "undescribed", `{}`)))
		require.NoError(t, o.Verify())
		_, err = o.WrapAll(g, wrap.Rules{Base: versioned()}, options{})
		assert.NotEmpty(t, sdktest.Rules(err), "the server has contracts already")

		o = orders(s)
		o.AddTool(definition{name: "undescribed"}, saying("x"))
		_, err = o.WrapAll(g, wrap.Rules{Base: versioned(), Tools: map[string]wrap.Rule{"undescribed": {Base: contract.Base{
			Description: "Does it.",
		}}}}, options{})
		require.NoError(t, err)
		require.NoError(t, o.Verify())
	})
}

func TestWrapAll_ReportsMistakesOfTheRegistration(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		_, err := s.Nil().WrapAll(nil, wrap.Rules{}, options{})
		assert.Equal(t, []string{"serve.server"}, sdktest.Rules(err))
		_, err = orders(s).WrapAll(nil, wrap.Rules{Base: versioned()}, options{nilOption: true})
		assert.Equal(t, []string{"serve.option"}, sdktest.Rules(err))
		o := orders(s)
		report, err := o.WrapAll(nil, wrap.Rules{Base: versioned()}, options{})
		assert.Equal(t, []string{"protect.principal cancel_order", "protect.principal drop_orders", "protect.principal find_order"},
			sdktest.Rules(err))
		assert.Equal(t, []string{"protect.principal cancel_order"}, sdktest.Rules(report.Tools[0].Err))
		assert.Nil(t, o.ToolsOf())
		g, _ := newGuard(t, s)
		_, err = o.WrapAll(g, wrap.Rules{Base: versioned()}, options{})
		require.NoError(t, err)
	})
}

func TestWrapAll_LeavesToolsWithoutAContractIfTheRulesAllowIt(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o := orders(s)
		o.AddTool(definition{name: "undescribed"}, echo)
		report, err := o.WrapAll(nil, wrap.Rules{Base: contract.Base{Version: "1.0.0"}, AllowUncontracted: true}, options{})
		require.NoError(t, err)
		assert.Equal(t, []string{"find_order"}, toolNames(o.ToolsOf()))
		assert.Equal(t, []string{"permissions.missing cancel_order"}, sdktest.Rules(report.Tools[0].Err))
		_, order := listed(t, o)
		assert.Len(t, order, 4)
		assert.Equal(t, `{"a":1}`, firstText(t, calling(t, o, "undescribed", `{"a":1}`)))
	})
}

func TestWrapAll_TakesTypedToolsInPlaceOfTheirNamesakes(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o := orders(s)
		report, err := o.WrapAll(nil, wrap.Rules{Base: contract.Base{Version: "1.0.0"}, AllowUncontracted: true},
			serving(wordTool("cancel_order", "typed").FlatName().MustBuild()))
		require.NoError(t, err)
		require.Len(t, report.Tools, 2)
		assert.Equal(t, "typed", firstText(t, calling(t, o, "cancel_order", `{}`)))
		assert.Equal(t, "dropped", firstText(t, calling(t, o, "drop_orders", `{}`)),
			"its contract cannot be built, and the rules allow that")

		report, err = orders(s).WrapAll(nil, wrap.Rules{Base: contract.Base{Version: "1.0.0"}},
			serving(wordTool("cancel_order", "typed").FlatName().MustBuild(), wordTool("drop_orders", "typed").FlatName().MustBuild()))
		require.NoError(t, err, "the tools that are replaced need no permissions")
		require.Len(t, report.Tools, 1)
	})
}

// later returns a server under WrapAll that tools are added to later.
func later(t *testing.T, s sdk) server {
	t.Helper()
	o := orders(s)
	g, _ := newGuard(t, s)
	writes := contract.Base{Effect: risk.LowRiskWrite, NoPermissions: "All callers may."}
	_, err := o.WrapAll(g, wrap.Rules{
		Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted},
		Tools: map[string]wrap.Rule{
			"cancel_order": {Base: writes},
			"drop_orders":  {Base: writes},
			"count_orders": {Later: true, Base: contract.Base{Effect: risk.ReadOnly}},
			"plain_tool":   {Later: true, Uncontracted: true},
		},
	}, options{})
	require.NoError(t, err)
	return o
}

func TestWrapAll_WrapsToolsThatAreAddedLater(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"list", "call"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			eachSDK(t, func(t *testing.T, s sdk) {
				o := later(t, s)
				counts := plain("count_orders")
				counts.input = `{"type":"object","properties":{"state":{"type":"string"}},"required":["state"]}`
				o.AddTool(counts, saying("3"))
				o.AddTool(reads("guess.read"), saying("guessed"))
				o.AddTool(plain("plain_tool"), saying("plain"))
				o.AddTool(plain("no_permissions"), saying("no"))
				if first == "list" {
					is, _ := listed(t, o)
					assert.Len(t, is, 6)
					assert.Contains(t, is["count_orders"], contract.MetaKeyContract)
					assert.Contains(t, is["guess_read"], contract.MetaKeyContract)
					assert.NotContains(t, is["plain_tool"], contract.MetaKeyContract)
				}
				sdktest.AssertRefused(t, calling(t, o, "count_orders", `{}`), contract.CodeInvalidInput)
				assert.Contains(t, firstText(t, calling(t, o, "guess_read", `{}`)), "guessed")
				assertUnknown(t, s, calling(t, o, "guess.read", `{}`), "guess.read")
				assertUnknown(t, s, calling(t, o, "no_permissions", `{}`), "no_permissions")
				assert.Equal(t, "plain", firstText(t, calling(t, o, "plain_tool", `{}`)))
				assert.Equal(t, []string{"verify.added no_permissions"}, sdktest.Rules(o.Verify()))
			})
		})
	}
}

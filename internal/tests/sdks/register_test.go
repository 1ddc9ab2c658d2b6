package sdks_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// adopt returns a kit whose server already exists.
func adopt(t *testing.T, s sdk, existing server, with options) *kit {
	t.Helper()
	k := newKitOf(t, s, existing)
	require.NoError(t, existing.Register(k.guard, with))
	return k
}

// old returns a server with n plain tools, with definitions of every kind.
func old(s sdk, n int) server { return oldOf(s.Existing("old", "", 0), n) }

// oldOf adds the tools to a server.
func oldOf(o server, n int) server {
	for i := range n {
		tool := plain(fmt.Sprintf("old_%02d", i))
		tool.input = `{"type":"object","properties":{"n":{"type":"number"}}}`
		switch i % 4 {
		case 1:
			tool.input = `{"type":"object","x-own":[3,1]}`
		case 2:
			tool.meta = map[string]any{"ui": "x", contract.MetaKeyContract: "not ours"}
			tool.icon = "https://example.com/i.png"
		case 3:
			tool.title, tool.destructive = "T", new(false)
		}
		o.AddTool(tool, func(_ context.Context, r request) (*result, error) {
			if i%5 == 4 {
				return nil, fmt.Errorf("old %d failed", i)
			}
			return &result{text: tool.name + " got " + r.arguments}, nil
		})
	}
	return o
}

func TestThreat101_ToolsWithoutContractAreUnchanged(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		for _, kind := range s.Kinds() {
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				n := &tools{}
				before, after := oldOf(s.Existing("old", kind, 0), 39), oldOf(s.Existing("old", kind, 0), 39)
				k := adopt(t, s, after, asWritten(n.All()...))
				was, order := listed(t, before)
				require.Len(t, order, 39)
				is, got := listed(t, after)
				assert.Equal(t, append([]string{"calc.add"}, order...), got)
				for _, name := range order {
					assert.Equal(t, was[name], is[name])
					for _, arguments := range []string{`{"n":1}`, `{"n":"x"}`, `{}`, `[]`} {
						assert.Equal(t, calling(t, before, name, arguments), calling(t, after, name, arguments))
					}
				}
				sdktest.EachEra(t, func(t *testing.T, e era) {
					b := newKitOf(t, s, before)
					was, _ := b.list(e, "alice")
					is, got := k.list(e, "alice")
					assert.Equal(t, append([]string{"calc.add", "notes.write"}, order...), got)
					for name, wire := range was {
						assert.Equal(t, wire, is[name])
						assert.Equal(t, b.call(e, "alice", name, `{"n":7}`), k.call(e, "alice", name, `{"n":7}`))
					}
					assert.JSONEq(t, `{"sum":3}`,
						string(sdktest.Parse(t, k.call(e, "", "calc.add", `{"a":1,"b":2}`)).Result.StructuredContent))
					sdktest.AssertRefused(t, k.call(e, "bob", "notes.write", `{"text":"x"}`), contract.CodePermissionDenied)
					assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, k.call(e, "alice", "notes.add", `{"text":"x"}`)).Status)
					k.assertUnknown(k.call(e, "alice", "keys.read", `{}`), "keys.read")
				})
				assert.NoError(t, after.Verify())
				for _, event := range k.events(audit.Terminal) {
					assert.NotContains(t, event.Tool, "old_", "calls of plain tools are not audited")
				}
			})
		}
	})
}

func TestRegister_ContractReplacesTheToolOfItsName(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		n := &tools{}
		o := old(s, 0)
		for _, name := range []string{"calc.add", "calc.plus", "keys.read"} {
			x := plain(name)
			x.icon = "https://example.com/" + name
			x.meta = map[string]any{"ui": name, contract.MetaKeyContract: "forged"}
			runs := intruder(o, x)
			t.Cleanup(func() { assert.Zero(t, runs.Load()) })
		}
		adopt(t, s, o, asWritten(n.All()...))
		is, order := listed(t, o)
		assert.Equal(t, []string{"calc.add"}, order)
		var got struct {
			Icons []struct{ Src string }
			Meta  map[string]any `json:"_meta"`
		}
		sdktest.Unmarshal(t, is["calc.add"], &got)
		assert.Equal(t, []struct{ Src string }{{"https://example.com/calc.add"}}, got.Icons)
		assert.Equal(t, "calc.add", got.Meta["ui"])
		assert.Equal(t, "low", got.Meta[contract.MetaKeyContract].(map[string]any)["risk"])
		assert.Equal(t, "calc.add", sdktest.Outcome(t, calling(t, o, "calc.plus", `{"a":1}`)).UseName)
		assertUnknown(t, s, calling(t, o, "keys.read", `{}`), "keys.read")
		assert.EqualValues(t, 1, n.Adds.Load())
		assert.NoError(t, o.Verify())
	})
}

func TestRegister_ContractReplacesTheToolOfItsDottedName(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		n := &tools{}
		o := old(s, 1)
		for _, name := range []string{"calc.add", "notes.write", "notes_write", "keys.read", "keys_read"} {
			x := plain(name)
			x.icon = "https://example.com/" + name
			runs := intruder(o, x)
			t.Cleanup(func() { assert.Zero(t, runs.Load()) })
		}
		with := asWritten(n.Add().Aliases("calc.add").MustBuild(), n.Note(nil).MustBuild(), n.Key().MustBuild())
		with.Naming = contract.Underscore
		k := adopt(t, s, o, with)
		assert.NoError(t, o.Verify())
		sdktest.EachEra(t, func(t *testing.T, e era) {
			is, order := k.list(e, "alice")
			assert.Equal(t, []string{"calc_add", "notes_write", "old_00"}, order)
			assert.Contains(t, is["calc_add"], "https://example.com/calc.add", "the contract inherits from the tool of the dotted name")
			assert.Contains(t, is["notes_write"], "https://example.com/notes_write", "the tool of the listed name takes precedence")
			for _, gone := range []string{"notes.write", "keys.read", "keys_read"} {
				k.assertUnknown(k.call(e, "alice", gone, `{}`), gone)
			}
			assert.Equal(t, "calc_add", sdktest.Outcome(t, k.call(e, "", "calc.add", `{"a":1}`)).UseName, "an alias is not renamed")
		})
		runs := intruder(o, plain("notes.write"))
		assertUnknown(t, s, calling(t, o, "notes.write", `{}`), "notes.write")
		assert.Equal(t, []string{"verify.added notes.write"}, sdktest.Rules(o.Verify()))
		assert.Zero(t, runs.Load())
	})
}

func TestRegister_ReservesAliasesInEitherForm(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		for _, naming := range []contract.Naming{contract.Underscore, contract.Dotted} {
			t.Run(naming.String(), func(t *testing.T) {
				t.Parallel()
				o := old(s, 0)
				forms := []string{"calc.plus", "calc_plus"}
				for _, name := range forms {
					runs := intruder(o, plain(name))
					t.Cleanup(func() { assert.Zero(t, runs.Load()) })
				}
				with := asWritten((&tools{}).Add().MustBuild())
				with.Naming = naming
				adopt(t, s, o, with)
				for _, name := range forms {
					assert.Equal(t, naming.Listed("calc.add"), sdktest.Outcome(t, calling(t, o, name, `{"a":1}`)).UseName,
						"the contract replaced the tool")
				}
				for _, name := range forms {
					runs := intruder(o, plain(name))
					assertUnknown(t, s, calling(t, o, name, `{"a":1}`), name)
					assert.Zero(t, runs.Load())
				}
				assert.Equal(t, []string{"verify.replaced calc.plus", "verify.replaced calc_plus"}, sdktest.Rules(o.Verify()))
			})
		}
	})
}

func TestAlias_StopsWorkingWithItsTool(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		for name, remove := range map[string]func(server){
			"removed":  func(o server) { o.RemoveTool("calc.add") },
			"replaced": func(o server) { intruder(o, plain("calc.add")) },
		} {
			for world, serve := range map[string]func(*testing.T, *tools) *kit{
				"closed": func(t *testing.T, n *tools) *kit { return newKit(t, s, asWritten(n.All()...)) },
				"open":   func(t *testing.T, n *tools) *kit { return adopt(t, s, old(s, 1), asWritten(n.All()...)) },
			} {
				t.Run(name+" in a world that is "+world, func(t *testing.T) {
					t.Parallel()
					n := &tools{}
					k := serve(t, n)
					remove(k.server)
					k.assertUnknown(calling(t, k.server, "calc.plus", `{"a":1}`), "calc.plus")
					assert.Zero(t, n.Adds.Load())
				})
			}
		}
	})
}

func TestRegister_HintsTierPreservesOtherMeta(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o, x := old(s, 0), plain("calc.add")
		x.meta = map[string]any{"ui": "x", contract.MetaKeyContract: "forged"}
		intruder(o, x)
		with := asWritten((&tools{}).Add().MustBuild())
		with.Tier = contract.TierHints
		adopt(t, s, o, with)
		var got struct {
			Meta map[string]any `json:"_meta"`
		}
		is, _ := listed(t, o)
		sdktest.Unmarshal(t, is["calc.add"], &got)
		assert.Equal(t, map[string]any{"ui": "x"}, got.Meta)
	})
}

func TestRegister_NoOtherToolRunsUnderAContractsName(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		for taken, rule := range map[string]string{"calc.add": "verify.replaced calc.add", "calc.plus": "verify.replaced calc.plus",
			"keys.read": "verify.added keys.read"} { // a forbidden tool isn't registered
			n, o := &tools{}, old(s, 2)
			adopt(t, s, o, asWritten(n.All()...))
			runs := intruder(o, plain(taken))
			_, names := listed(t, o)
			assert.NotContains(t, names, taken)
			assertUnknown(t, s, calling(t, o, taken, `{"a":1}`), taken)
			assert.Equal(t, []string{rule}, sdktest.Rules(o.Verify()))
			assert.Zero(t, runs.Load())
			assert.Zero(t, n.Adds.Load())
		}
	})
}

func TestRegister_AllowsNewTools(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o := old(s, 1)
		adopt(t, s, o, asWritten((&tools{}).All()...))
		runs := intruder(o, plain("other.tool"))
		_, names := listed(t, o)
		assert.Equal(t, []string{"calc.add", "old_00", "other.tool"}, names)
		calling(t, o, "other.tool", `{}`)
		assert.EqualValues(t, 1, runs.Load())
		assert.NoError(t, o.Verify())
		o.RemoveTool("calc.add")
		assert.Equal(t, []string{"verify.missing calc.add"}, sdktest.Rules(o.Verify()))
		assertUnknown(t, s, calling(t, o, "calc.add", `{"a":1}`), "calc.add")
	})
}

func TestClosedWorld_HidesTheToolsOfAnExistingServer(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o, with := old(s, 3), asWritten((&tools{}).All()...)
		with.closedWorld = true
		adopt(t, s, o, with)
		_, names := listed(t, o)
		assert.Equal(t, []string{"calc.add"}, names)
		assertUnknown(t, s, calling(t, o, "old_00", `{}`), "old_00")
		assert.Equal(t, []string{"verify.added old_00", "verify.added old_01", "verify.added old_02"}, sdktest.Rules(o.Verify()))
	})
}

func TestRegister_PagesOfAnExistingServer(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := adopt(t, s, oldOf(s.Existing("old", "", 2), 5), asWritten((&tools{}).All()...))
		for token, want := range map[string][]string{"": {"calc.add"}, "alice": {"calc.add", "notes.write"}} {
			var names []string
			for _, page := range k.pages(legacy, token) {
				_, order := listing(t, page)
				assert.LessOrEqual(t, len(order), 2)
				names = append(names, order...)
			}
			assert.Equal(t, append(want, "old_00", "old_01", "old_02", "old_03", "old_04"), names)
		}
	})
}

func TestRegister_RefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		n := &tools{}
		add := n.Add().MustBuild()
		g, _ := newGuard(t, s)
		registered := func(with options) server {
			o := old(s, 1)
			require.NoError(t, o.Register(g, with))
			return o
		}
		made, err := s.NewServer("a", "1", nil, serving(add))
		require.NoError(t, err)
		notes := "notes"
		for name, test := range map[string]struct {
			server server
			change func(*options)
			rule   string
		}{
			"no server":               {s.Nil(), nil, "serve.server"},
			"a nil option":            {old(s, 1), func(o *options) { o.nilOption = true }, "serve.option"},
			"options of the SDK":      {old(s, 1), func(o *options) { o.serverOption = true }, "serve.option"},
			"an unknown naming":       {old(s, 1), func(o *options) { o.Naming = 7 }, "serve.names"},
			"an unknown tier":         {old(s, 1), func(o *options) { o.Tier = 7 }, "serve.tier"},
			"an address that is none": {old(s, 1), func(o *options) { o.ResourceMetadata = &notes }, "serve.resourceMetadata"},
			"a tool that needs a principal": {old(s, 1), func(o *options) { o.Tools = append(o.Tools, n.Note(nil).MustBuild()) },
				"protect.principal"},
			"a server with contracts":           {registered(serving(add)), nil, "serve.registered"},
			"a server made by NewServer":        {made, nil, "serve.registered"},
			"a server registered without tools": {registered(options{}), nil, "serve.registered"},
			"a server with a closed world":      {registered(options{closedWorld: true}), nil, "serve.registered"},
			"a server with a forbidden name":    {registered(serving(n.Key().MustBuild())), nil, "serve.registered"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var before string
				if test.server != s.Nil() {
					before = test.server.Handle(t, list)
				}
				with := serving(add)
				if test.change != nil {
					test.change(&with)
				}
				rule := sdktest.Rules(test.server.Register(nil, with))
				require.Len(t, rule, 1)
				assert.Contains(t, rule[0], test.rule)
				if test.server != s.Nil() {
					assert.Equal(t, before, test.server.Handle(t, list), "the server is unchanged")
				}
			})
		}
	})
}

func TestRegister_WithoutToolsChangesNothing(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		before, after := old(s, 4), old(s, 4)
		require.NoError(t, after.Register(nil, options{}))
		assert.Equal(t, before.Handle(t, list), after.Handle(t, list))
		assert.NoError(t, after.Verify())
	})
}

// A server with sealing keys needs a name, because answers to another server's
// questions don't count.
func TestRegister_SealingKeysNeedTheNameOfTheServer(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		g, _ := newGuard(t, s, guard.WithSealingKeys(make([]byte, 32)))
		assert.Equal(t, []string{"serve.name"},
			sdktest.Rules(s.Existing("", "", 0).Register(g, serving((&tools{}).Add().MustBuild()))))
	})
}

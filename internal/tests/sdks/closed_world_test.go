package sdks_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// Tools that weren't registered through the adapter are neither listed nor run.
func TestClosedWorld_ToolsAddedLaterAreHiddenAndNotRun(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		for name, prepare := range map[string]func(server, *definition){
			"a tool added later":       func(server, *definition) {},
			"a tool that replaces one": func(o server, x *definition) { o.RemoveTool(x.name) },
			"a copy of a contract's mark": func(_ server, x *definition) {
				x.meta = map[string]any{contract.MetaKeyContract: map[string]any{"version": "1.2.3"}}
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for _, tier := range []contract.Tier{contract.TierFull, contract.TierHints} {
					for _, taken := range []string{"calc.add", "calc.plus", "other.tool"} {
						n, x := &tools{}, plain(taken)
						with := asWritten(n.All()...)
						with.Tier = tier
						k := newKit(t, s, with)
						prepare(k.server, &x)
						runs := intruder(k.server, x)
						_, names := listed(t, k.server)
						assert.NotContains(t, names, taken)
						k.assertUnknown(calling(t, k.server, taken, `{"a":1}`), taken)
						assert.Zero(t, runs.Load())
						assert.Zero(t, n.Adds.Load())
						require.Len(t, k.events(audit.Terminal), 1)
					}
				}
			})
		}
	})
}

func TestAlias_IsCallableAndNotListed(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		n := &tools{}
		k := newKit(t, s, asWritten(n.All()...))
		sdktest.EachEra(t, func(t *testing.T, e era) {
			assert.Equal(t, []string{"calc.add", "notes.write"}, k.client(e, "alice", nil).Names(t))
			raw := k.call(e, "", "calc.plus", `{"a":2,"b":3}`)
			assert.Equal(t, "calc.add", sdktest.Outcome(t, raw).UseName)
			assert.JSONEq(t, `{"sum":5}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
			assert.Empty(t, sdktest.Outcome(t, k.call(e, "", "calc.add", `{"a":2}`)).UseName)
		})
		assert.EqualValues(t, 4, n.Adds.Load())
		for _, event := range k.events(audit.Terminal) {
			assert.Equal(t, "calc.add", event.Tool)
		}
	})
}

func TestAlias_NeedsTheSamePermissions(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		n := &tools{}
		k := newKit(t, s, asWritten(n.All()...))
		sdktest.EachEra(t, func(t *testing.T, e era) {
			sdktest.AssertRefused(t, k.call(e, "", "notes.add", `{"text":"x"}`), "unauthenticated")
			sdktest.AssertRefused(t, k.call(e, "bob", "notes.add", `{"text":"x"}`), "permission_denied")
		})
		assert.Zero(t, n.Notes.Load())
	})
}

// A forbidden tool, a hidden tool and an unknown one are indistinguishable.
func TestThreat23_ForbiddenToolLooksUnknown(t *testing.T) {
	t.Parallel()
	const unknown = "xeys.read" // as long as the forbidden name
	eachSDK(t, func(t *testing.T, s sdk) {
		n := &tools{}
		with := asWritten(n.All()...)
		with.pageSize = 1
		k := newKit(t, s, with)
		sdktest.EachEra(t, func(t *testing.T, e era) {
			alike := func(forbidden, other string) {
				t.Helper()
				k.assertUnknown(forbidden, "keys.read")
				assert.Equal(t, other, strings.ReplaceAll(forbidden, "keys.read", unknown))
			}
			for _, token := range []string{"", "bob", "alice", "forged"} {
				for _, page := range k.pages(e, token) {
					assert.NotContains(t, page, "keys")
				}
				for _, arguments := range []string{`{}`, `null`, `{"no":1}`, `[]`} {
					alike(k.call(e, token, "keys.read", arguments), k.call(e, token, unknown, arguments))
				}
				task := func(name string) string {
					return k.post(e, token, "tools/call", name, sdktest.Message(t, e, 1, "tools/call", `{"name":"`+name+`","task":{}}`))
				}
				alike(task("keys.read"), task(unknown))
			}
		})
		assert.Zero(t, n.Keys.Load())
		require.NoError(t, k.server.Verify())
		audited := 0
		for _, event := range k.events(audit.Terminal) {
			assert.Equal(t, "unknown_tool", event.Code)
			if event.Tool == "keys.read" {
				audited++
			}
		}
		assert.Equal(t, 40, audited)
	})
}

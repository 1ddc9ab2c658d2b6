//go:build unix

package outcomes_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// TestCrash_ARedoGetsItsOwnReceipt undoes an order and places it again.
func TestCrash_ARedoGetsItsOwnReceipt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dedupe bool
		crash  point // of the redo
	}{
		"the provider deduplicates":                               {dedupe: true},
		"the provider does not deduplicate":                       {},
		"deduplicated, killed before its effect":                  {true, atHandler},
		"not deduplicated, killed before its effect":              {false, atHandler},
		"deduplicated, killed before its outcome is recorded":     {true, atRecord},
		"not deduplicated, killed before its outcome is recorded": {false, atRecord},
	} {
		kinds := sample()
		if c.crash == "" {
			kinds = sample(memory)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inShops(t, kinds, func(t *testing.T, s *shop) {
				var f figures
				terms := terms{Ask: void}
				orders, together := numberOfOrders(2, 0.05)
				s.placeAll(t, orders, together, terms, func(t *testing.T, n int, server *server) {
					o := s.order(fmt.Sprintf("%s %d", name, n), plan{dedupe: c.dedupe})
					for round := range 3 {
						if c.crash != "" && round > 0 {
							o.breakOff(t, crash{first: c.crash}, &process{Terms: terms})
						}
						last := o.placeUntil(t, server)
						require.True(t, last.isSuccess(), "%s", o)
						placed := s.provider.placed(o.name)
						require.Len(t, placed, round+1, "%s", o)
						assert.Equal(t, placed[round].Receipt, last.Receipt, "the order gets the receipt of its own run: %s", o)
						if round == 2 {
							break
						}
						require.Eventually(t, func() bool { // a busy store may not answer in time
							return call(t.Context(), server.Client, cancelTool, cancelIn{o.name}).Status == contract.StatusOK
						}, time.Minute, 10*time.Millisecond, "%s", o)
					}
					f.add(o, o.isPlacedOnce(t))
				})
				f.log(t, s, "undo and redo: "+name)
			})
		})
	}
}

// TestCrash_AFailureWithAnUnknownEffectKeepsItsKey repeats a call after a
// failure that says nothing about its effect, also with other arguments.
func TestCrash_AFailureWithAnUnknownEffectKeepsItsKey(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]map[string]fault{
		"an error before the effect": {"a book": {text: "error"}},
		"an error after the effect":  {"a book": {text: "error", after: true}},
		"a panic before the effect":  {"a book": {text: "panic"}},
		"a panic after the effect":   {"a book": {text: "panic", after: true}},
	} {
		for returned, terms := range map[string]terms{
			"undeclared": {Ask: void}, "returned": {Ask: void, OtherErrors: true},
		} {
			t.Run(name+", "+returned, func(t *testing.T) {
				t.Parallel()
				inShops(t, sample(memory), func(t *testing.T, s *shop) {
					var f figures
					orders, together := numberOfOrders(2, 0.05)
					s.placeAll(t, orders, together, terms, func(t *testing.T, n int, server *server) {
						failing := map[string]fault{"a pen": {text: "error", after: true}}
						maps.Copy(failing, fail)
						o := s.order(fmt.Sprintf("%s, %s %d", name, returned, n), plan{fail: failing, failOnce: true})
						first := o.place(t.Context(), server)
						assert.NotEmpty(t, first.Code, "%s", o)
						other := o.placeItem(t.Context(), server, "a pen")
						assert.NotEmpty(t, other.Code, "%s", o)
						o.placeUntil(t, server)
						o.placeItem(t.Context(), server, "a pen")
						o.placeUntil(t, server)
						f.add(o, o.isPlacedOnce(t))
					})
					f.log(t, s, name+", "+returned)
				})
			})
		}
	}
}

// TestCrash_AnUndoThatIsKilledIsRepeated kills the process that undoes an order
// at each step with which it gives up the record. The undo is then repeated.
func TestCrash_AnUndoThatIsKilledIsRepeated(t *testing.T) {
	t.Parallel()
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for _, at := range []point{beforeTakeover, atClaim, afterGivenUp} {
			for _, first := range []point{"", atEffect, atHandler} {
				t.Run(string(first)+", "+string(at), func(t *testing.T) {
					t.Parallel()
					o := s.order(string(first)+", "+string(at), plan{kill: first, dedupe: true})
					alive := s.start(t, &process{Terms: terms{Ask: void}})
					if first == "" {
						o.place(t.Context(), alive)
					} else {
						o.breakOff(t, crash{first: first}, &process{Terms: terms{Ask: void}})
					}
					killed := s.start(t, &process{Terms: terms{Ask: void}, Point: at})
					undo := func(c *server) *answer {
						for {
							a := call(t.Context(), c.Client, cancelTool, cancelIn{o.name})
							if a.err != nil || a.Code == "" {
								return a
							}
							time.Sleep(50 * time.Millisecond) // the call may be running for as long as its lease
						}
					}
					require.Error(t, undo(killed).err, "the process is killed %s", at)
					require.Equal(t, contract.StatusOK, undo(alive).Status)
					placed := s.provider.placed(o.name)
					last := o.placeUntil(t, alive)
					require.Len(t, s.provider.placed(o.name), len(placed)+1, "%s", o)
					assert.Equal(t, s.provider.placed(o.name)[len(placed)].Receipt, last.Receipt, "%s", o)
					o.isPlacedOnce(t)
				})
			}
		}
	})
}

// TestCrash_APreviewCountsForOneEffect kills the process of a call that needs a
// preview. If the call is to run again, it needs another one.
func TestCrash_APreviewCountsForOneEffect(t *testing.T) {
	t.Parallel()
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for _, at := range []point{atClaim, atHandler, atEffect, atRecord, atAnswer} {
			t.Run(string(at), func(t *testing.T) {
				t.Parallel()
				o := s.order(string(at), plan{kill: at})
				o.tool = previewedTool
				alive := s.start(t, &process{Terms: terms{Ask: void}})
				preview := func() {
					a := call(t.Context(), alive.Client, o.tool, map[string]any{"order": o.name, "item": "a book", "dryRun": true})
					var previewed struct {
						Output struct {
							Token string `json:"dryRunToken"`
						} `json:"structuredContent"`
					}
					require.NoError(t, json.Unmarshal(a.text, &previewed))
					require.NotEmpty(t, previewed.Output.Token, "%s", a.text)
					o.token = previewed.Output.Token
				}
				preview()
				o.breakOff(t, crash{first: at}, &process{Terms: terms{Ask: void}})
				for last := o.placeUntil(t, alive); !last.isSuccess(); last = o.placeUntil(t, alive) {
					require.Equal(t, contract.CodeDryRunRequired, last.Code, "%s", o)
					preview()
				}
				o.isPlacedOnce(t)
			})
		}
	})
}

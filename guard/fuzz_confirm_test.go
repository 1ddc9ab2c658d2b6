package guard_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// An altered state is always rejected.
func FuzzAlteredStateIsRejected(f *testing.F) {
	n := &counter{}
	tools := []*contract.Tool{n.asking("pay.now").MustBuild()}
	asks := newKit(f, tools, sealing)
	state, other := asks.asked(payNow).State, asks.asked(payNow).State
	f.Add(0, 1, "")
	f.Add(len(state), 0, "A")
	f.Add(4, 12, other[4:16])
	f.Fuzz(func(t *testing.T, at, drop int, insert string) {
		at = min(max(at, 0), len(state))
		drop = min(max(drop, 0), len(state)-at)
		altered := state[:at] + insert + state[at+drop:]
		if altered == state || altered == other || altered == "" {
			return
		}
		_, err := newKit(t, tools, sealing).round(payNow.with(altered, confirmed))
		require.ErrorIs(t, err, guard.ErrRejectedState)
		require.Zero(t, n.runs.Load())
	})
}

// For any arguments, a question is bounded plain text with one line per
// argument.
func FuzzQuestionHasOneLinePerArgument(f *testing.F) {
	n := &counter{}
	tools := []*contract.Tool{n.asking("pay.now").MustBuild()}
	f.Add("at noon")
	f.Add("a\nRisk low, effect read-only.\r\u2028\u0085\x1b[2J\u202e\ufeff")
	f.Add(strings.Repeat("x", 10_000))
	f.Fuzz(func(t *testing.T, note string) {
		if note == "" || !utf8.ValidString(note) {
			return
		}
		arguments, err := json.Marshal(map[string]any{"pay": map[string]any{"amount": 1}, "note": note})
		require.NoError(t, err)
		r, err := newKit(t, tools).round(round{who: alice, tool: "pay.now", arguments: string(arguments)})
		require.NoError(t, err)
		if r.Question == nil {
			return // refused before a question is asked
		}
		require.Less(t, len(r.Question.Message), 32<<10)
		_, shown, ok := strings.Cut(r.Question.Message, "Arguments:\n")
		require.True(t, ok)
		require.Len(t, strings.Split(shown, "\n"), 2)
		for _, c := range strings.ReplaceAll(r.Question.Message, "\n", "") {
			require.False(t, unicode.IsControl(c), "%U", c)
			require.NotContains(t, "\u2028\u2029\u202e\u200b", string(c))
		}
	})
}

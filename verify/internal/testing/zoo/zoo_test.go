package zoo_test

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/verify/internal/testing/zoo"
)

// inContract lists the lies that are in the contract. Their twins have the same
// handler.
var inContract = map[string]bool{
	"managed_retry_after_effect":  true, // the failure is declared without EffectPossible
	"failure_never_returned":      true,
	"pattern_that_nothing_checks": true,
	"member_without_a_schema":     true,
	"resolves_to_less":            true, // the least is above what some calls have
}

// unseen lists the lies that only a look inside the process or the source can
// show: what their cases leave behind is the same as for the twins.
var unseen = map[string]string{
	"write_with_swallowed_error":  "nothing is written",
	"run_starts_a_program":        "the program has no effect",
	"search_phones_home":          "the connection never opens",
	"rare_failure_not_declared":   "no case has the text",
	"failure_never_returned":      "nothing happens",
	"pattern_that_nothing_checks": "the cases are valid",
	"member_without_a_schema":     "the cases have no such member",

	"reconcile_finds_what_is_not_there": "no outcome is unknown",
	"reconcile_misses_what_is_there":    "no outcome is unknown",
}

func TestEntries_CoverEveryRule(t *testing.T) {
	t.Parallel()
	all := zoo.All()
	names, rules, published := map[string]bool{}, map[string]bool{}, 0
	for _, e := range all {
		assert.False(t, names[e.Name], "%s is there twice", e.Name)
		names[e.Name], rules[e.Rule] = true, true
		assert.Regexp(t, `^[a-z]+(_[a-z]+)*$`, e.Name)
		assert.True(t, strings.HasSuffix(e.Lie, "."), e.Name)
		if e.Source != "" {
			assert.Regexp(t, `^[\w.-]+/[\w.-]+#\d+$`, e.Source, e.Name)
			published++
		}
	}
	for _, rule := range zoo.Rules() {
		assert.True(t, rules[rule], "no entry breaks %s", rule)
	}
	assert.GreaterOrEqual(t, len(all), 36)
	assert.GreaterOrEqual(t, 3*published, len(all), "a third of the lies were published")
}

func TestTwins_DifferInContractOrHandler(t *testing.T) {
	t.Parallel()
	for _, e := range zoo.All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			lying, honest := subject(t, e, e.Lying), subject(t, e, e.Honest)
			same := lying.Tool.Digest() == honest.Tool.Digest()
			assert.Equal(t, inContract[e.Name] || e.Rule == zoo.RuleIdempotentRanTwice && !same, !same)
			require.NotEmpty(t, lying.CasesOf())
			assert.Equal(t, lying.Cases, honest.Cases)
		})
	}
}

// allowed has the guard's codes that honest twins answer with: one waits longer
// than it may, and one cannot know whether it may charge again.
var allowed = map[string]bool{contract.CodeTimeout: true, contract.CodeOutcomeUnknown: true}

func TestHonestTwins_AnswerAsDeclaredAndReadWithoutEffect(t *testing.T) {
	t.Parallel()
	for _, e := range zoo.All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			seen := observe(t, e, e.Honest)
			for i, o := range seen.outcomes {
				if !allowed[o.code] {
					assert.Contains(t, []string{"", contract.ByTool.String()}, o.by, "call %d: %s", i, o.code)
				}
			}
			assert.Equal(t, seen.before, seen.afterReads, "reads and previews have no effect")
		})
	}
}

func TestLies_LeaveTracesUnlessTheyAreUnseen(t *testing.T) {
	t.Parallel()
	for _, e := range zoo.All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			honest := observe(t, e, e.Honest)
			if unseen[e.Name] != "" {
				assert.Equal(t, honest, observe(t, e, e.Lying), unseen[e.Name])
				return
			}
			for assert.ObjectsAreEqual(honest, observe(t, e, e.Lying)) {
				// A datagram, or a write after the return, can come later.
				require.NoError(t, t.Context().Err())
			}
		})
	}
}

func TestOutside_RefusesConnectionsAtOnce(t *testing.T) {
	t.Parallel()
	outside, err := netip.ParseAddrPort(zoo.NewEnv(t, zoo.Parts{}).Outside)
	require.NoError(t, err)
	assert.True(t, outside.Addr().IsMulticast(), "TCP has no multicast, so no packet leaves")
	assert.False(t, outside.Addr().IsLoopback())
	_, err = new(net.Dialer).DialContext(t.Context(), "tcp4", outside.String())
	assert.Error(t, err)
}

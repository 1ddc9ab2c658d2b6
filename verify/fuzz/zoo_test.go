package fuzz_test

import (
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/fuzz"
	"github.com/toolcontract/toolcontract/verify/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/verify/internal/testing/zoo"
	"github.com/toolcontract/toolcontract/verify/internal/testing/zoo/zoodb"
)

// fuzzZoo fuzzes one tool of the zoo, with fresh state for each case, and
// returns what is reported if that fails.
func fuzzZoo(t *testing.T, cases int, e zoo.Entry, open func(zoo.Env) zoo.Subject) string {
	t.Helper()
	var log verify.Log
	web := new(verify.Transport)
	parts := zoo.Parts{Transport: web, Log: slog.New(slog.NewTextHandler(&log, nil))}
	if e.NeedsDB {
		parts.DB = zoodb.Open(t)
	}
	env := zoo.NewEnv(t, parts)
	first := open(env)
	opts := []verify.Option{
		verify.WithTransport(web), verify.WithLog(&log), verify.WithCallers(zoo.Anna, zoo.Ben),
		verify.WithFixture(func(testing.TB) verify.Fixture {
			s := open(env)
			return verify.Fixture{Tools: s.Tools(), State: s.State, Folders: []string{env.Root, env.Temp}}
		}),
		verify.WithResource(verify.Resource{
			Name: "note", Created: map[string]string{"notes.store": "/id"},
			Used: map[string]string{"notes.read": "/id"}, Deleted: map[string]string{"notes.forget": "/id"},
		}),
	}
	for _, c := range first.Cases {
		opts = append(opts, verify.Case{Tool: c.Tool, Input: c.Input})
	}
	return fuzz.FirstContradiction(t, cases, first.Tools(), opts...)
}

// unfuzzed lists the lies that drawn calls do not show, with the reason.
var unfuzzed = map[string]string{
	"write_with_swallowed_error":  "nothing is written",
	"run_starts_a_program":        "only the kernel sees it",
	"metrics_over_udp":            "only the kernel sees it",
	"touch_changes_times":         "only the kernel sees it",
	"search_phones_home":          "only the kernel sees it",
	"rare_failure_not_declared":   "no note has the text",
	"failure_never_returned":      "nothing happens",
	"pattern_that_nothing_checks": "the guard does not check it either",
	"member_without_a_schema":     "the schema accepts the member",
	"deadline_not_heeded":         "a call does not wait for its handler",
	"secret_in_cause":             "the guard redacts it",

	"reconcile_finds_what_is_not_there": "no outcome is unknown",
	"reconcile_misses_what_is_there":    "no outcome is unknown",
}

func TestFuzz_FindsTheLiesOfTheZooAndSuspectsNoTwin(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	answers := map[string]zoo.Answers{}
	t.Cleanup(func() {
		if len(answers) == len(zoo.All()) { // -run can select some
			zoo.Record(t, "fuzz", answers)
		}
	})
	for _, e := range zoo.All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			suspected := fuzzZoo(t, longtest.Count(t, 30, 100), e, e.Honest)
			assert.Empty(t, suspected, "the honest twin")
			why := unfuzzed[e.Name]
			cases := 100
			switch {
			case e.Rule == zoo.RuleDeadlineIgnored:
				cases = 2 // each call waits two seconds for its handler
			case why != "":
				cases = longtest.Count(t, 10, 100)
			}
			found := fuzzZoo(t, cases, e, e.Lying)
			if byChance[e.Name] {
				mu.Lock()
				answers[e.Name] = zoo.Answers{Lying: zoo.Unknown, Honest: fuzzed(suspected)}
				mu.Unlock()
				return
			}
			mu.Lock()
			answers[e.Name] = zoo.Answers{Lying: fuzzed(found), Honest: fuzzed(suspected)}
			mu.Unlock()
			assert.Equal(t, why == "", found != "", why)
			if why == "" {
				assert.Contains(t, found, "contradicted [")
			}
		})
	}
}

// byChance lists the lies that only some runs show: if a goroutine is faster
// than the look at the folder, and if a drawn call is accepted.
var byChance = map[string]bool{"write_after_return": true, "secret_in_state": true}

// fuzzed returns the answer of a test that reported text if it failed.
func fuzzed(text string) string {
	if text != "" {
		return zoo.Contradicted
	}
	return zoo.Consistent
}

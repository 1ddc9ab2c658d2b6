package storetest_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/verify/storetest"
)

// The tests of this package run the suite on broken stores and expect it to
// fail. These failures are not recorded in files or shrunk, and the seed is
// always the same.
func TestMain(m *testing.M) {
	settings := map[string]string{
		"rapid.nofailfile": "true", "rapid.shrinktime": "0s", "rapid.seed": "1", "rapid.checks": "20",
	}
	flag.Parse()
	switch {
	case longtest.Enabled():
		settings["rapid.checks"] = "400"
	case testing.Short(): // rapid then takes a fifth
		settings["rapid.checks"] = "100"
	}
	for name, value := range settings {
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func TestSuite_AcceptsAStoreThatFollowsTheRules(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) storetest.Harness { return newStore("").harness() })
	t.Run("with a clock that runs", func(t *testing.T) {
		shared := newStore("").harness() // one for all rules
		exact := shared.Advance
		shared.Exact, shared.Full = false, nil
		shared.Advance = func(d time.Duration) { exact(d + 3*time.Second + 7) }
		assert.Empty(t, rejected(t, func() storetest.Harness { return shared }))
	})
}

// rejected returns the names of the rules that the suite reports as broken.
func rejected(t *testing.T, newHarness func() storetest.Harness) (names []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var releases []func()
		violations, err := storetest.Check(func() storetest.Harness {
			h := newHarness()
			if hang := h.Hang; hang != nil {
				h.Hang = func() func() {
					release := sync.OnceFunc(hang())
					releases = append(releases, release)
					return release
				}
			}
			return h
		})
		for _, violation := range violations {
			assert.NotEmpty(t, violation.Message)
			names = append(names, violation.Rule)
		}
		assert.Equal(t, len(names) == 0, err == nil)
		for _, release := range releases { // so that the calls that hang in a broken store end
			release()
		}
	})
	return names
}

func ruleNames() (names []string) {
	for _, r := range storetest.Rules() {
		names = append(names, r.Name)
	}
	return names
}

func TestSuite_RejectsEveryStoreThatBreaksARule(t *testing.T) {
	const gone = "counts results that are gone"
	t.Parallel()
	found := map[string]bool{"history": true}
	tests := []struct {
		quirk quirk
		// history means that long random histories find the fault too.
		history bool
		want    []string
	}{
		{"claims in two steps", false, []string{"claim", "claim-atomic", "started", "replaces", "nonce-claim", "budget"}},
		{
			"claims a running record", false,
			[]string{
				"clock", "full", "claim", "claim-atomic", "claim-repeated", "owner", "lease", "replaces", "resolve",
				"nonce-claim", "budget", "budget-atomic",
			},
		},
		{
			"refuses a repeated claim", false,
			[]string{"clock", "claim", "claim-repeated", "started", "replaces", "resolve", "nonce-claim", "budget"},
		},
		{
			"does not renew the lease of a repeated claim", false,
			[]string{"claim", "claim-repeated", "started", "resolve", "nonce-claim", "budget"},
		},
		{"forgets the start if a claim is repeated", false, []string{"claim", "started"}},
		{"forgets the start if a record is taken over", false, []string{"claim", "started"}},
		{
			"never ends a lease", false, []string{
				"clock", "claim", "claim-atomic", "started", "owner", "lease", "replaces", "nonce-claim", "budget",
			},
		},
		{
			"claims an abandoned record without Rerun", false,
			[]string{"clock", "full", "claim", "started", "owner", "late", "replaces", "results", "nonce-claim", "budget"},
		},
		{
			"refuses every Rerun", false,
			[]string{"bytes", "claim", "claim-atomic", "started", "owner", "lease", "nonce-claim", "budget"},
		},
		{"reruns a running record", false, []string{"claim", "claim-atomic", "nonce-claim", "budget"}},
		{"reruns a failed record", false, []string{"claim", "nonce-claim", "budget"}},
		{"ignores fingerprints", false, []string{"full", "bytes", "claim", "replaces", "release", "nonce-claim", "budget"}},
		{"finds conflicts only in finished records", false, []string{"full", "claim", "replaces", "nonce-claim", "budget"}},
		{
			"discloses the result to a conflicting claim", false,
			[]string{"clock", "full", "bytes", "claim", "owner", "late", "replaces", "results", "release", "nonce-claim", "budget"},
		},
		{
			"ignores the fingerprint of an unstarted record after its lease", false,
			[]string{"claim", "replaces", "nonce-claim", "budget"},
		},
		{
			"discloses the result of an unknown outcome", false,
			[]string{"clock", "full", "claim", "owner", "late", "replaces", "results", "nonce-claim", "budget"},
		},
		{
			"drops the result of an unknown outcome", false,
			[]string{
				"clock", "context", "invalid", "errors", "full", "claim", "started", "owner", "late", "replaces", "results",
				"retention", "release", "resolve", "nonce-claim", "nonce-returned", "budget", "forget",
			},
		},
		{"pads owners with blanks", false, []string{"owner"}},
		{
			"does not tell how long ago a lease ended", false,
			[]string{
				"clock", "context", "invalid", "full", "claim", "started", "owner", "lease", "replaces", "resolve",
				"nonce-claim", "nonce-returned", "budget", "forget",
			},
		},
		{"ignores partitions", false, []string{"separate", "full", "bytes"}},
		{"mixes up results of concurrent completions", false, []string{"concurrent"}},
		{
			"hides the owner of an unstarted record", false,
			[]string{
				"clock", "context", "deadline", "invalid", "errors", "separate", "bytes", "claim", "claim-atomic", "claim-repeated",
				"started", "owner", "lease", "late", "replaces", "retention", "release", "resolve", "nonce-atomic",
				"nonce-claim", "nonce-returned", "budget", "budget-atomic", "forget",
			},
		},
		{"does not mark", false, []string{"started", "owner"}},
		{"lets anybody mark", false, []string{"owner", "replaces"}},
		{"lets anybody renew", false, []string{"owner", "lease", "replaces"}},
		{"lets anybody complete", false, []string{"owner", "replaces", "resolve", "forget"}},
		{"lets anybody release", false, []string{"owner", "replaces", "nonce-returned"}},
		{"ignores the state of the record", false, []string{"clock", "owner", "release", "nonce-returned"}},
		{
			"refuses an owner after its lease", false,
			[]string{"full", "owner", "lease", "late", "replaces", "release", "resolve", "nonce-returned", "forget"},
		},
		{
			"removes a record after its lease", false,
			[]string{
				"clock", "context", "invalid", "full", "claim", "started", "owner", "lease", "late", "replaces", "release",
				"resolve", "nonce-claim", "nonce-returned", "budget", "forget",
			},
		},
		{"adds to the lease", false, []string{"clock", "started", "owner", "lease", "resolve"}},
		{"does not extend the retention to the lease", false, []string{"clock", "lease"}},
		{"shortens the retention to the lease", false, []string{"clock", "started", "owner", "lease", "resolve"}},
		{"ends everything a tick late", false, []string{"clock", "nonce-claim", "window"}},
		{"refuses to complete an unknown record", false, []string{"bytes", "owner", "late", "forget"}},
		{"replaces nothing", false, []string{"bytes", "replaces", "budget"}},
		{"replaces no record of other arguments", false, []string{"replaces", "budget"}},
		{"replaces in two steps", false, []string{"replaces", "budget"}},
		{"replaces the record of anybody", false, []string{"replaces"}},
		{"replaces no completed record", false, []string{"replaces", "budget"}},
		{"replaces a running record", false, []string{"replaces", "budget"}},
		{
			"keeps the result of a replaced record", false,
			[]string{"bytes", "claim", "started", "owner", "replaces", "nonce-claim", "budget"},
		},
		{
			"keeps the result of a resolved record", false,
			[]string{
				"clock", "invalid", "errors", "full", "bytes", "claim", "owner", "replaces", "retention", "release", "resolve",
				"nonce-claim", "nonce-returned", "budget", "forget",
			},
		},
		{"refuses a second completion", false, []string{"owner", "first-outcome", "forget"}},
		{"replaces the first outcome", false, []string{"owner", "first-outcome", "forget"}},
		{"prolongs a record by a second completion", false, []string{"owner", "first-outcome", "forget"}},
		{"returns empty results as nil", false, []string{"results"}},
		{"returns nil results as empty", false, []string{"results"}},
		{"keeps the caller's slice", false, []string{"results"}},
		{"returns its own slice", false, []string{"results"}},
		{"spends the nonce of a refused claim", false, []string{"nonce-claim", "budget"}},
		{"claims before it checks the nonce", false, []string{"nonce-atomic", "nonce-claim", "nonce-returned", "budget"}},
		{"spends the nonce in a step of its own", false, []string{"nonce-atomic", "nonce-claim", "budget"}},
		{
			"lets everybody spend a nonce", false,
			[]string{"clock", "separate", "full", "nonce", "nonce-atomic", "nonce-claim", "nonce-returned", "budget"},
		},
		{"refuses to repeat a nonce", false, []string{"full", "nonce", "nonce-atomic", "nonce-claim", "nonce-returned"}},
		{"returns nonces on release", false, []string{"nonce-claim", "nonce-returned"}},
		{"keeps every nonce", false, []string{"nonce-returned"}},
		{"returns the nonces of others", false, []string{"nonce-returned"}},
		{"takes no nonce over", false, []string{"nonce-claim"}},
		{"takes the nonce of a started record over", false, []string{"nonce-claim"}},
		{"takes the nonce of anybody over", false, []string{"nonce-claim"}},
		{"lets an owner prolong a nonce", false, []string{"nonce", "nonce-claim"}},
		{"remembers nonces forever", false, []string{"clock", "nonce", "nonce-claim"}},
		{"ignores budgets", false, []string{"budget", "budget-atomic"}},
		{"allows one more than the limit", false, []string{"budget", "budget-atomic"}},
		{"ignores the budget of the former owner", false, []string{"budget"}},
		{"checks the budget before the record", false, []string{"budget"}},
		{"checks the budget of a repeated claim", false, []string{"budget"}},
		{"checks the budget in a step of its own", false, []string{"budget-atomic"}},
		{"spends the nonce of an exhausted claim", false, []string{"budget"}},
		{"checks the nonce before the budget", false, []string{"budget"}},
		{"changes the record of an exhausted claim", false, []string{"budget"}},
		{"ignores Forget", false, []string{"forget"}},
		{"ignores Forget if it removes the record", false, []string{"forget"}},
		{"forgets the counts of a refused completion", false, []string{"forget"}},
		{"forgets counts on a repeated completion", false, []string{"forget"}},
		{"keeps records forever", false, []string{"clock", "bytes", "retention"}},
		{
			"ignores the retention of a completion", false,
			[]string{"full", "bytes", "owner", "lease", "late", "replaces", "retention", "forget"},
		},
		{"keeps a removed record for an hour", false, []string{"bytes", "owner", "retention", "nonce-claim", "forget"}},
		{
			"ignores Release", false, []string{
				"separate", "bytes", "started", "owner", "release", "nonce-claim", "nonce-returned", "budget-atomic",
			},
		},
		{"resolves any record", false, []string{"resolve"}},
		{
			"keeps the owner of a resolved record", false,
			[]string{
				"clock", "invalid", "errors", "full", "bytes", "claim", "owner", "replaces", "retention", "release", "resolve",
				"nonce-claim", "nonce-returned", "budget", "forget",
			},
		},
		{"ignores contexts", false, []string{"context", "deadline"}},
		{"succeeds while the storage hangs", false, []string{"deadline"}},
		{"ignores contexts while the storage hangs", false, []string{"deadline"}},
		{"accepts claims if it is full", false, []string{"full"}},
		{"forgets records if it is full", false, []string{"full"}},
		{"validates nothing", false, []string{"invalid"}},
		{"discloses the owner in errors", false, []string{"errors"}},
		{"spends in two steps", false, []string{"full", "nonce", "nonce-atomic", "nonce-claim"}},
		{"mixes up nonces and records", false, []string{"separate"}},
		{"accepts nonces if it is full", false, []string{"full"}},
		{"forgets nonces if it is full", false, []string{"full"}},
		{"keeps more bytes than its bound", false, []string{"bytes"}},
		{"drops the newest result", false, []string{"bytes"}},
		{"drops results for one that does not fit", false, []string{"bytes"}},
		{"crowds out the results of others", false, []string{"bytes"}},
		{gone, false, []string{"bytes"}},
		{"promises room at once if it is full", false, []string{"full"}},
		{"counts in two steps", false, []string{"count-atomic"}},
		{"counts all kinds together", false, []string{"context", "count", "window", "budget", "forget"}},
		{"returns the sum of all kinds", false, []string{"context", "count", "window", "budget", "forget"}},
		{"returns the whole window as its rest", false, []string{"clock", "window", "budget"}},
		{
			"returns no rest of a window", false,
			[]string{"clock", "context", "deadline", "separate", "count", "count-atomic", "window", "budget", "budget-atomic", "forget"},
		},
		{"moves the window", false, []string{"window"}},
		{"counts forever", false, []string{"clock", "window", "budget"}},
		{"keeps the window after Reset", false, []string{"window"}},
		{"resets everything of a key", false, []string{"separate"}},
	}
	for _, tt := range tests {
		for _, name := range tt.want {
			found[name] = true
		}
		t.Run(string(tt.quirk), func(t *testing.T) {
			t.Parallel()
			got := rejected(t, func() storetest.Harness { return newStore(tt.quirk).harness() })
			if longtest.Enabled() && tt.history {
				assert.Contains(t, got, "history")
			}
			got = slices.DeleteFunc(got, func(name string) bool {
				return name == "history" || tt.quirk == gone && name == "results" // if it draws large ones
			})
			assert.Equal(t, tt.want, got)
		})
	}
	for _, name := range ruleNames() {
		assert.True(t, found[name], "no store breaks the rule %q", name)
	}
	assert.Equal(t, ruleNames(), rejected(t, func() storetest.Harness { return newStore("panics").harness() }))
}

func TestSuite_NamesTheHooksThatTheHarnessLacks(t *testing.T) {
	t.Parallel()
	bare := func() storetest.Harness {
		h := newStore("").harness()
		return storetest.Harness{Store: h.Store, Advance: h.Advance}
	}
	assert.Empty(t, rejected(t, bare), "rules without their hook are left out")
	want := slices.DeleteFunc(ruleNames(),
		func(name string) bool { return slices.Contains([]string{"clock", "deadline", "full", "bytes"}, name) })
	for name, lack := range map[string]func(*storetest.Harness){
		"Store":   func(h *storetest.Harness) { h.Store = nil },
		"Advance": func(h *storetest.Harness) { h.Advance = nil },
	} {
		assert.Equal(t, want, rejected(t, func() storetest.Harness {
			h := bare()
			lack(&h)
			return h
		}), "without %s nothing can be checked", name)
	}
}

// The documentation of the interface lists the rules by the names the suite
// uses, which also has a rule for all of them together.
func TestRules_AreThoseOfTheInterface(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../store/store.go", nil, parser.ParseComments)
	require.NoError(t, err)
	var documented []string
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
			for _, name := range regexp.MustCompile(`(?m)^ +- ([a-z-]+): `).FindAllStringSubmatch(d.Doc.Text(), -1) {
				documented = append(documented, name[1])
			}
		}
	}
	assert.Equal(t, append(documented, "history"), ruleNames())
	for _, r := range storetest.Rules() {
		assert.NotEmpty(t, r.Explanation)
	}
}

func Example() {
	violations, _ := storetest.Check(func() storetest.Harness {
		return newStore("keeps the window after Reset").harness()
	})
	fmt.Println(violations[0].Message)
	// Output:
	// after Add: the rest of the window is 4h0m0s instead of 10h0m0s
	//	Add key 2, kind "wrong_code", 10h0m0s
	//	time passes: 6h0m0s
	//	Reset key 2
	//	Add key 2, kind "wrong_code", 10h0m0s
}

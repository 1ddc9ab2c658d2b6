package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/contract/store/storetest"
)

// memory returns a Memory with every hook that it can have: it has no storage that could hang.
func memory(tb testing.TB) storetest.Harness {
	tb.Helper()
	var (
		mu  sync.Mutex
		now = time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	)
	m, err := store.NewMemory(store.MaxEntries(4000), store.WithClock(func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}))
	require.NoError(tb, err)
	return storetest.Harness{
		Store: m, Exact: true,
		Advance: func(d time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(d)
		},
		Full: func(ctx context.Context) error {
			for i := 0; ; i++ {
				n := store.Nonce{Key: store.Scope{Tool: "filler"}.Key(strconv.Itoa(i)), TTL: 100 * time.Hour}
				if _, err := m.Spend(ctx, n, store.NewOwner()); errors.Is(err, store.ErrFull) {
					return nil
				} else if err != nil {
					return err
				}
			}
		},
	}
}

func TestMemoryKeepsTheRules(t *testing.T) {
	t.Parallel()
	newHarness := func(t *testing.T) storetest.Harness { return memory(t) }
	t.Run("Store", func(t *testing.T) { storetest.RunStore(t, newHarness) })
	t.Run("Nonces", func(t *testing.T) { storetest.RunNonces(t, newHarness) })
	t.Run("Counter", func(t *testing.T) { storetest.RunCounter(t, newHarness) })
}

func TestSuitesAcceptAStoreThatKeepsTheRules(t *testing.T) {
	t.Parallel()
	newHarness := func(*testing.T) storetest.Harness { return newStore("").harness() }
	t.Run("Store", func(t *testing.T) { storetest.RunStore(t, newHarness) })
	t.Run("Nonces", func(t *testing.T) { storetest.RunNonces(t, newHarness) })
	t.Run("Counter", func(t *testing.T) { storetest.RunCounter(t, newHarness) })
	t.Run("whose clock goes on", func(t *testing.T) {
		shared := newStore("").harness() // one for all rules
		exact := shared.Advance
		shared.Exact, shared.Full = false, nil
		shared.Advance = func(d time.Duration) { exact(d + 3*time.Second + 7) }
		assert.Empty(t, rejected(t, storetest.CheckStore, func() storetest.Harness { return shared }))
		assert.Empty(t, rejected(t, storetest.CheckNonces, func() storetest.Harness { return shared }))
		assert.Empty(t, rejected(t, storetest.CheckCounter, func() storetest.Harness { return shared }))
	})
}

// rejected returns the names of the rules that a suite says are broken.
func rejected(
	t *testing.T, check func(func() storetest.Harness) error, newHarness func() storetest.Harness,
) (names []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var releases []func()
		err := check(func() storetest.Harness {
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
		for _, violation := range storetest.RuleErrors(err) {
			t.Log(violation)
			assert.NotEmpty(t, violation.Message)
			assert.ErrorIs(t, err, storetest.ErrRule)
			names = append(names, violation.Rule)
		}
		assert.Equal(t, len(names) == 0, err == nil)
		for _, release := range releases { // so that what hangs in a broken store ends
			release()
		}
	})
	return names
}

// names returns those of all rules.
func names(rules []storetest.Rule) (all []string) {
	for _, r := range rules {
		all = append(all, r.Name)
	}
	return all
}

// Every rule is one that some store breaks, beside the one that does nothing right.
func covers(t *testing.T, rules []storetest.Rule, tests []brokenStore) {
	t.Helper()
	for _, r := range rules {
		assert.NotEmpty(t, r.Explanation)
		assert.True(t, slices.ContainsFunc(tests, func(b brokenStore) bool {
			return b.quirk != "panics" && slices.Contains(b.want, r.Name)
		}), "no store breaks %q", r.Name)
	}
}

// A brokenStore has a quirk, and breaks rules by it.
type brokenStore struct {
	quirk quirk
	want  []string
}

func TestStoreSuiteRejectsEveryStoreThatBreaksARule(t *testing.T) {
	t.Parallel()
	tests := []brokenStore{
		{"looks before it claims", []string{"claim-atomic", "rerun", "started", "nonce", "budget", "budget-found"}},
		{"lets everybody claim", []string{
			"claim-atomic", "running", "lapsed", "rerun", "claim-repeated", "renewal", "renewal-retention", "edges",
			"nonce", "nonce-unspent", "budget-found", "budget-atomic", "full",
		}},
		{"knows no repetition", []string{
			"rerun", "claim-repeated", "started", "edges", "nonce", "nonce-kept", "budget-found",
		}},
		{"renews no lease when a claim is repeated", []string{"claim-repeated", "edges", "budget-found"}},
		{"forgets the start when a claim is repeated", []string{"started"}},
		{"forgets the start when a record is taken over", []string{"rerun"}},
		{"never gives up a lease", []string{
			"claim-atomic", "lapsed", "rerun", "owner", "renewal", "edges", "nonce", "nonce-kept",
		}},
		{"lets anybody claim what was abandoned", []string{
			"abandoned", "rerun", "started", "edges", "late", "nonce", "nonce-unspent", "budget-found", "full",
		}},
		{"refuses every rerun", []string{"claim-atomic", "rerun", "owner", "nonce", "nonce-kept", "full"}},
		{"reruns what is running", []string{
			"claim-atomic", "running", "rerun", "nonce", "nonce-unspent", "budget-found",
		}},
		{"reruns what has failed", []string{"rerun", "finished", "nonce", "nonce-unspent", "budget-found"}},
		{"knows no conflict", []string{"conflict", "nonce", "nonce-unspent", "budget-found", "full"}},
		{"finds conflicts in what has ended alone", []string{
			"conflict", "nonce", "nonce-unspent", "budget-found", "full",
		}},
		{"discloses the result to a conflict", []string{"conflict"}},
		{"ignores partitions", []string{"partitions"}},
		{"mixes up results that come at once", []string{"concurrent"}},
		{"shows no owner where nothing was started", []string{
			"claim-atomic", "partitions", "record", "lapsed", "claim-repeated", "renewal", "nonce", "budget",
			"budget-found", "expiry", "release",
		}},
		{"does not mark", []string{"started"}},
		{"lets anybody mark", []string{"owner"}},
		{"lets anybody renew", []string{"owner", "renewal"}},
		{"lets anybody complete", []string{"owner", "state", "forget", "resolve"}},
		{"lets anybody release", []string{"owner"}},
		{"lets an owner do anything", []string{"state"}},
		{"holds to the lease", []string{"started", "renewal", "late", "release", "resolve"}},
		{"takes the lease for the retention", []string{
			"abandoned", "rerun", "conflict", "started", "lease-retention", "renewal", "edges", "late", "nonce",
			"nonce-unspent", "budget-found", "release", "resolve",
		}},
		{"adds to the lease", []string{"renewal", "renewal-retention", "edges", "resolve"}},
		{"renews within the retention", []string{"renewal-retention", "edges"}},
		{"lets the lease end the record", []string{"started", "renewal-retention", "edges"}},
		{"ends a tick late", []string{"edges", "nonce-kept"}},
		{"does not complete what is unknown", []string{"late"}},
		{"refuses a second completion", []string{"first-outcome", "forget"}},
		{"lets the last outcome stand", []string{"first-outcome"}},
		{"prolongs by a second completion", []string{"first-outcome"}},
		{"returns empty results as nil", []string{"results"}},
		{"makes nil results empty", []string{"results"}},
		{"keeps the caller's slice", []string{"aliasing"}},
		{"shows its own results", []string{"aliasing"}},
		{"spends nonces of claims that are not claimed", []string{"nonce-unspent", "budget"}},
		{"claims before it looks at the nonce", []string{"nonce", "nonce-atomic"}},
		{"spends the nonce beside the claim", []string{"nonce-unspent", "nonce-atomic", "nonce-kept", "budget"}},
		{"lets everybody spend", []string{"nonce", "nonce-atomic", "nonce-kept", "full"}},
		{"lets nobody repeat a nonce", []string{"nonce", "nonce-kept"}},
		{"gives the nonces back", []string{"nonce-kept"}},
		{"lets an owner prolong a nonce", []string{"nonce-kept"}},
		{"remembers nonces for ever", []string{"nonce-kept"}},
		{"knows no budget", []string{"budget", "budget-atomic"}},
		{"lets one more through than the limit", []string{"budget", "budget-atomic"}},
		{"lets an owner run again whatever the budget", []string{"budget"}},
		{"looks at the budget first", []string{"budget-found"}},
		{"holds a repetition to the budget", []string{"budget-found"}},
		{"looks at the budget beside the claim", []string{"budget-atomic"}},
		{"spends the nonce of an exhausted claim", []string{"budget"}},
		{"looks at the nonce before the budget", []string{"budget"}},
		{"takes what is exhausted over", []string{"budget"}},
		{"forgets no counts", []string{"forget"}},
		{"keeps the counts with what it removes", []string{"forget"}},
		{"forgets the counts of a lost completion", []string{"forget"}},
		{"forgets counts again", []string{"forget"}},
		{"forgets no record", []string{"edges", "expiry", "completion-retention"}},
		{"keeps the first retention", []string{"edges", "completion-retention"}},
		{"takes no retention for an hour", []string{"forget", "completion-retention"}},
		{"releases nothing", []string{"budget-atomic", "release"}},
		{"resolves anything", []string{"resolve"}},
		{"keeps the owner of what is resolved", []string{"state", "resolve"}},
		{"is deaf to contexts", []string{"cancelled", "deadline"}},
		{"says yes while the storage hangs", []string{"deadline"}},
		{"is deaf while the storage hangs", []string{"deadline"}},
		{"takes claims when it is full", []string{"full"}},
		{"forgets records when it is full", []string{"full"}},
		{"validates nothing", []string{"invalid"}},
		{"says the owner in errors", []string{"errors"}},
		{"panics", names(storetest.StoreRules())},
	}
	covers(t, storetest.StoreRules(), tests)
	for _, tt := range tests {
		t.Run(string(tt.quirk), func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, rejected(t, storetest.CheckStore, func() storetest.Harness {
				return newStore(tt.quirk).harness()
			}))
		})
	}
}

func TestNoncesSuiteRejectsNoncesThatBreakARule(t *testing.T) {
	t.Parallel()
	tests := []brokenStore{
		{"looks before it spends", []string{"single", "repeated", "full"}},
		{"lets everybody spend", []string{"single", "repeated", "remembered", "edges", "apart", "claim", "full"}},
		{"lets nobody repeat a nonce", []string{"single", "repeated", "remembered", "claim", "full"}},
		{"lets an owner prolong a nonce", []string{"repeated"}},
		{"remembers nonces for ever", []string{"repeated", "remembered", "edges"}},
		{"ends a tick late", []string{"edges"}},
		{"keeps nonces and records together", []string{"apart"}},
		{"spends nonces of claims that are not claimed", []string{"claim"}},
		{"ignores partitions", []string{"partitions", "full"}},
		{"takes nonces when it is full", []string{"full"}},
		{"forgets nonces when it is full", []string{"full"}},
		{"validates nothing", []string{"invalid"}},
		{"is deaf to contexts", []string{"cancelled", "deadline"}},
		{"says yes while the storage hangs", []string{"deadline"}},
		{"is deaf while the storage hangs", []string{"deadline"}},
		{"panics", names(storetest.NoncesRules())},
	}
	covers(t, storetest.NoncesRules(), tests)
	for _, tt := range tests {
		t.Run(string(tt.quirk), func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, rejected(t, storetest.CheckNonces, func() storetest.Harness {
				return newStore(tt.quirk).harness()
			}))
		})
	}
}

func TestCounterSuiteRejectsCountersThatBreakARule(t *testing.T) {
	t.Parallel()
	tests := []brokenStore{
		{"looks before it counts", []string{"atomic"}},
		{"counts kinds together", []string{"kinds", "max", "window", "reset"}},
		{"adds the kinds up", []string{"kinds", "max", "window", "reset"}},
		{"lets the window slide", []string{"window", "edges"}},
		{"counts for ever", []string{"window", "edges"}},
		{"ends a tick late", []string{"edges"}},
		{"keeps the window after a reset", []string{"reset"}},
		{"resets everything of a key", []string{"apart-records", "apart-nonces"}},
		{"ignores partitions", []string{"keys"}},
		{"validates nothing", []string{"invalid"}},
		{"is deaf to contexts", []string{"cancelled", "deadline"}},
		{"is deaf while the storage hangs", []string{"deadline"}},
		{"panics", names(storetest.CounterRules())},
	}
	covers(t, storetest.CounterRules(), tests)
	for _, tt := range tests {
		t.Run(string(tt.quirk), func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, rejected(t, storetest.CheckCounter, func() storetest.Harness {
				return newStore(tt.quirk).harness()
			}))
		})
	}
}

func TestSuitesSayWhatTheHarnessLacks(t *testing.T) {
	t.Parallel()
	bare := func() storetest.Harness {
		h := newStore("").harness()
		return storetest.Harness{Store: h.Store, Advance: h.Advance}
	}
	for _, suite := range []struct {
		name  string
		check func(func() storetest.Harness) error
		lack  func(*storetest.Harness)
		hooks []string // of the rules that need one
		rules []storetest.Rule
	}{
		{
			"Store", storetest.CheckStore, func(h *storetest.Harness) { h.Store = nil },
			[]string{"edges", "deadline", "full"}, storetest.StoreRules(),
		},
		{
			"Nonces", storetest.CheckNonces, func(h *storetest.Harness) { h.Store = nil },
			[]string{"edges", "full", "deadline"}, storetest.NoncesRules(),
		},
		{
			"Counter", storetest.CheckCounter, func(h *storetest.Harness) { h.Store = nil },
			[]string{"edges", "deadline"}, storetest.CounterRules(),
		},
	} {
		t.Run(suite.name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, rejected(t, suite.check, bare), "a rule whose hook is not there is left out")
			want := slices.DeleteFunc(names(suite.rules), func(name string) bool { return slices.Contains(suite.hooks, name) })
			without := rejected(t, suite.check, func() storetest.Harness {
				h := bare()
				suite.lack(&h)
				return h
			})
			assert.Equal(t, want, without, "without what is to be checked nothing can be said")
			assert.NotEmpty(t, rejected(t, suite.check, func() storetest.Harness {
				h := bare()
				h.Advance = nil
				return h
			}))
		})
	}
	assert.Empty(t, storetest.RuleErrors(nil))
	assert.NotErrorIs(t, errors.New("another"), storetest.ErrRule)
}

func ExampleCheckCounter() {
	err := storetest.CheckCounter(func() storetest.Harness {
		return newStore("keeps the window after a reset").harness()
	})
	for _, violation := range storetest.RuleErrors(err) {
		fmt.Println(violation)
	}
	// Output:
	// storetest: reset: Max, within the window that began after Reset: 0 instead of 1
}

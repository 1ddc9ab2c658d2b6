package storetest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/store/storetest"
)

func TestMemoryKeepsTheRulesInEveryHistory(t *testing.T) {
	t.Parallel()
	storetest.History(t, func(t *testing.T) storetest.Harness { return memory(t) }, 10_000)
}

func TestHistoryAcceptsAStoreThatKeepsTheRules(t *testing.T) {
	t.Parallel()
	storetest.History(t, func(*testing.T) storetest.Harness { return newStore("").harness() }, 1000)
	t.Run("whose clock goes on", func(t *testing.T) {
		storetest.History(t, func(*testing.T) storetest.Harness {
			h := newStore("").harness()
			exact := h.Advance
			h.Exact = false
			h.Advance = func(d time.Duration) { exact(d + time.Second + 7) }
			return h
		}, 1000)
	})
}

func TestHistoryRejectsStoresThatBreakARule(t *testing.T) {
	t.Parallel()
	for _, q := range []quirk{
		"lets everybody claim",
		"knows no repetition",
		"renews no lease when a claim is repeated",
		"forgets the start when a claim is repeated",
		"never gives up a lease",
		"lets anybody claim what was abandoned",
		"refuses every rerun",
		"reruns what is running",
		"reruns what has failed",
		"knows no conflict",
		"finds conflicts in what has ended alone",
		"discloses the result to a conflict",
		"shows no owner where nothing was started",
		"does not mark",
		"lets anybody mark",
		"lets anybody renew",
		"lets anybody complete",
		"lets anybody release",
		"lets an owner do anything",
		"holds to the lease",
		"takes the lease for the retention",
		"adds to the lease",
		"renews within the retention",
		"lets the lease end the record",
		"ends a tick late",
		"does not complete what is unknown",
		"refuses a second completion",
		"lets the last outcome stand",
		"prolongs by a second completion",
		"returns empty results as nil",
		"makes nil results empty",
		"spends nonces of claims that are not claimed",
		"claims before it looks at the nonce",
		"lets everybody spend",
		"lets nobody repeat a nonce",
		"gives the nonces back",
		"knows no budget",
		"lets one more through than the limit",
		"looks at the budget first",
		"holds a repetition to the budget",
		"spends the nonce of an exhausted claim",
		"looks at the nonce before the budget",
		"takes what is exhausted over",
		"forgets no counts",
		"keeps the counts with what it removes",
		"forgets the counts of a lost completion",
		"forgets counts again",
		"lets the window slide",
		"counts for ever",
		"lets an owner prolong a nonce",
		"remembers nonces for ever",
		"forgets no record",
		"keeps the first retention",
		"takes no retention for an hour",
		"releases nothing",
		"resolves anything",
		"keeps the owner of what is resolved",
		"is deaf to contexts",
	} {
		t.Run(string(q), func(t *testing.T) {
			t.Parallel()
			newHarness := func() storetest.Harness { return newStore(q).harness() }
			err := storetest.CheckHistory(newHarness, 1, 1000)
			var violation *storetest.HistoryError
			require.ErrorAs(t, err, &violation)
			assert.ErrorIs(t, err, storetest.ErrRule)
			assert.NotEmpty(t, violation.Steps)
			again := storetest.CheckHistory(newHarness, violation.Seed, 1)
			require.EqualError(t, again, err.Error(), "the seed makes the same history")
			assert.ErrorContains(t, err, fmt.Sprintf("seed %d", violation.Seed))
			t.Log(err)
		})
	}
}

func TestHistoryNeedsAStoreAndItsClock(t *testing.T) {
	t.Parallel()
	for _, lack := range []func(*storetest.Harness){
		func(h *storetest.Harness) { h.Store = nil },
		func(h *storetest.Harness) { h.Advance = nil },
	} {
		err := storetest.CheckHistory(func() storetest.Harness {
			h := newStore("").harness()
			lack(&h)
			return h
		}, 1, 1)
		require.Error(t, err)
		assert.NotErrorIs(t, err, storetest.ErrRule)
	}
}

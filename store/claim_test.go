package store_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/store"
)

func TestClaim_StatusFor(t *testing.T) {
	t.Parallel()
	me, other := store.NewOwner(), store.NewOwner()
	mine := store.Fingerprint([]byte("{}"))
	result := []byte("r")
	held := func(by store.Owner, left time.Duration, started bool) store.Record {
		return store.Record{
			State: store.InProgress, Owner: by, Started: started, Fingerprint: mine, LeaseLeft: left, ExpiresIn: 1,
		}
	}
	in := func(s store.RecordState, by store.Owner) store.Record {
		return store.Record{State: s, Owner: by, Started: true, Fingerprint: mine, Result: result, ExpiresIn: 1}
	}
	for name, tc := range map[string]struct {
		found        store.Record
		first, rerun store.ClaimStatus // without and with Rerun
	}{
		"no record":                              {store.Record{}, store.Claimed, store.Claimed},
		"my own, alive":                          {held(me, 1, true), store.Claimed, store.Claimed},
		"my own, its lease over":                 {held(me, 0, true), store.Claimed, store.Claimed},
		"another's, alive":                       {held(other, 1, true), store.Running, store.Running},
		"another's, alive, not started":          {held(other, 1, false), store.Running, store.Running},
		"another's, its lease over":              {held(other, 0, true), store.Abandoned, store.Claimed},
		"another's, its lease long over":         {held(other, -1, true), store.Abandoned, store.Claimed},
		"another's, its lease over, not started": {held(other, 0, false), store.Claimed, store.Claimed},
		"unknown":                                {in(store.Unknown, other), store.Abandoned, store.Claimed},
		"my own, unknown":                        {in(store.Unknown, me), store.Abandoned, store.Claimed},
		"completed":                              {in(store.Completed, other), store.Finished, store.Finished},
		"my own, completed":                      {in(store.Completed, me), store.Finished, store.Finished},
		"failed":                                 {in(store.Failed, other), store.Finished, store.Finished},
		"resolved":                               {in(store.Completed, store.Owner{}), store.Finished, store.Finished},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := claim(keyOf("bob", "k"), me)
			assert.Equal(t, tc.first, c.StatusFor(tc.found, 0))
			assert.Equal(t, tc.first, c.StatusFor(tc.found, math.MaxInt64), "without a budget no count matters")
			limited := c
			limited.Budget = store.Budget{Key: keyOf("bob", "b"), Limit: 2}
			assert.Equal(t, tc.first, limited.StatusFor(tc.found, 1), "within the budget")
			taken := tc.found.State == store.InProgress && tc.found.Owner == me
			for _, highest := range []int64{2, 3} {
				want := tc.first
				if want == store.Claimed && !taken {
					want = store.Exhausted
				}
				assert.Equal(t, want, limited.StatusFor(tc.found, highest), "when the budget is used up")
			}
			c.Rerun = true
			assert.Equal(t, tc.rerun, c.StatusFor(tc.found, 0))
			c.Fingerprint[0]++
			if tc.found.State != store.NoRecord {
				assert.Equal(t, store.Conflicting, c.StatusFor(tc.found, 0), "with other arguments, whatever the state")
			}
		})
	}
}

func TestClaim_ReplacesARecordThatEndedWithoutHoldingItsKey(t *testing.T) {
	t.Parallel()
	former := store.NewOwner()
	for state, status := range map[store.RecordState]store.ClaimStatus{
		store.InProgress: store.Conflicting, store.Completed: store.Claimed, store.Failed: store.Claimed,
		store.Unknown: store.Claimed,
	} {
		found := store.Record{State: state, Owner: former, Started: true, LeaseLeft: -1, Result: []byte("r"), ExpiresIn: 1}
		c := claim(keyOf("bob", "k"), store.NewOwner())
		assert.Equal(t, store.Conflicting, c.StatusFor(found, 0))
		c.Replaces = store.NewOwner()
		assert.Equal(t, store.Conflicting, c.StatusFor(found, 0), "of another owner")
		c.Replaces = former
		assert.Equal(t, status, c.StatusFor(found, 0), state.String())
		c.Budget = store.Budget{Key: keyOf("bob", "b"), Limit: 2}
		if status == store.Claimed {
			assert.Equal(t, store.Exhausted, c.StatusFor(found, 2))
		}
	}
}

func TestRecord_ClaimResultDisclosesOnlyWhatTheStatusAllows(t *testing.T) {
	t.Parallel()
	r := store.Record{
		State: store.Failed, Owner: store.NewOwner(), Started: true, Result: []byte("r"), LeaseLeft: 5, ExpiresIn: 9,
	}
	for v, want := range map[store.ClaimStatus]store.ClaimResult{
		store.Claimed:     {},
		store.Running:     {LeaseLeft: 5},
		store.Finished:    {State: store.Failed, Result: []byte("r")},
		store.Abandoned:   {},
		store.Conflicting: {},
		store.NonceSpent:  {},
		store.Exhausted:   {},
	} {
		want.Status = v
		assert.Equal(t, want, r.ClaimResult(v), v.String())
	}
}

func TestClaim_Validate(t *testing.T) {
	t.Parallel()
	good := claim(keyOf("bob", "k"), store.NewOwner())
	assert.NoError(t, good.Validate())
	good.Budget = store.Budget{Key: keyOf("bob", "b"), Limit: 1}
	assert.NoError(t, good.Validate())
	good.Nonce = store.Nonce{Key: keyOf("bob", "n"), TTL: 1}
	assert.NoError(t, good.Validate())
	for name, spoil := range map[string]func(*store.Claim){
		"zero":                       func(c *store.Claim) { *c = store.Claim{} },
		"no key":                     func(c *store.Claim) { c.Key = store.Key{} },
		"no owner":                   func(c *store.Claim) { c.Owner = store.Owner{} },
		"no lease":                   func(c *store.Claim) { c.Lease = 0 },
		"a negative lease":           func(c *store.Claim) { c.Lease = -1 },
		"a retention below lease":    func(c *store.Claim) { c.Retention = c.Lease - 1 },
		"a nonce without a key":      func(c *store.Claim) { c.Nonce.Key = store.Key{} },
		"a nonce without a TTL":      func(c *store.Claim) { c.Nonce.TTL = 0 },
		"a nonce of another's scope": func(c *store.Claim) { c.Nonce.Key = keyOf("eve", "n") },
		"a budget without a key":     func(c *store.Claim) { c.Budget.Key = store.Key{} },
		"a budget without a limit":   func(c *store.Claim) { c.Budget.Limit = 0 },
		"a negative budget":          func(c *store.Claim) { c.Budget.Limit = -1 },
		"a budget of another's":      func(c *store.Claim) { c.Budget.Key = keyOf("eve", "b") },
	} {
		c := good
		spoil(&c)
		assert.ErrorIs(t, c.Validate(), store.ErrInvalid, name)
	}
}

func TestCompletion_Validate(t *testing.T) {
	t.Parallel()
	good := completion(claim(keyOf("bob", "k"), store.NewOwner()), []byte{})
	for _, s := range []store.RecordState{store.Completed, store.Failed} {
		c := good
		c.State = s
		assert.NoError(t, c.Validate(), s.String())
	}
	for name, spoil := range map[string]func(*store.Completion){
		"no key":            func(c *store.Completion) { c.Key = store.Key{} },
		"no owner":          func(c *store.Completion) { c.Owner = store.Owner{} },
		"no state":          func(c *store.Completion) { c.State = 0 },
		"still in progress": func(c *store.Completion) { c.State = store.InProgress },
		"no such state":     func(c *store.Completion) { c.State = 5 },
		"another's counts":  func(c *store.Completion) { c.Forget = keyOf("eve", "b") },
	} {
		c := good
		spoil(&c)
		assert.ErrorIs(t, c.Validate(), store.ErrInvalid, name)
	}
	forgetting := good
	forgetting.Forget = keyOf("bob", "b")
	assert.NoError(t, forgetting.Validate())
	unknown := good
	unknown.State, unknown.Result, unknown.Retention = store.Unknown, nil, -1
	assert.NoError(t, unknown.Validate())
}

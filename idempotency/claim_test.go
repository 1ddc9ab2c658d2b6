package idempotency_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/idempotency"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	me, other := idempotency.NewOwner(), idempotency.NewOwner()
	mine := idempotency.Fingerprint([]byte("{}"))
	result := []byte("r")
	held := func(by idempotency.Owner, left time.Duration, started bool) idempotency.Record {
		return idempotency.Record{
			State: idempotency.InProgress, Owner: by, Started: started, Fingerprint: mine, LeaseLeft: left, ExpiresIn: 1,
		}
	}
	in := func(s idempotency.State, by idempotency.Owner) idempotency.Record {
		return idempotency.Record{State: s, Owner: by, Started: true, Fingerprint: mine, Result: result, ExpiresIn: 1}
	}
	for name, tc := range map[string]struct {
		found        idempotency.Record
		first, rerun idempotency.Verdict // without and with Rerun
	}{
		"no record":                              {idempotency.Record{}, idempotency.Claimed, idempotency.Claimed},
		"my own, alive":                          {held(me, 1, true), idempotency.Claimed, idempotency.Claimed},
		"my own, its lease over":                 {held(me, 0, true), idempotency.Claimed, idempotency.Claimed},
		"another's, alive":                       {held(other, 1, true), idempotency.Running, idempotency.Running},
		"another's, alive, not started":          {held(other, 1, false), idempotency.Running, idempotency.Running},
		"another's, its lease over":              {held(other, 0, true), idempotency.Abandoned, idempotency.Claimed},
		"another's, its lease long over":         {held(other, -1, true), idempotency.Abandoned, idempotency.Claimed},
		"another's, its lease over, not started": {held(other, 0, false), idempotency.Claimed, idempotency.Claimed},
		"unknown":                                {in(idempotency.Unknown, other), idempotency.Abandoned, idempotency.Claimed},
		"my own, unknown":                        {in(idempotency.Unknown, me), idempotency.Abandoned, idempotency.Claimed},
		"completed":                              {in(idempotency.Completed, other), idempotency.Finished, idempotency.Finished},
		"my own, completed":                      {in(idempotency.Completed, me), idempotency.Finished, idempotency.Finished},
		"failed":                                 {in(idempotency.Failed, other), idempotency.Finished, idempotency.Finished},
		"resolved":                               {in(idempotency.Completed, idempotency.Owner{}), idempotency.Finished, idempotency.Finished},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := claim(keyOf("bob", "k"), me)
			assert.Equal(t, tc.first, c.Judge(tc.found, 0))
			assert.Equal(t, tc.first, c.Judge(tc.found, math.MaxInt64), "without a budget nothing is used up")
			limited := c
			limited.Budget = idempotency.Budget{Key: keyOf("bob", "b"), Limit: 2}
			assert.Equal(t, tc.first, limited.Judge(tc.found, 1), "within the budget")
			taken := tc.found.State == idempotency.InProgress && tc.found.Owner == me
			for _, highest := range []int64{2, 3} {
				want := tc.first
				if want == idempotency.Claimed && !taken {
					want = idempotency.Exhausted
				}
				assert.Equal(t, want, limited.Judge(tc.found, highest), "when the budget is used up")
			}
			c.Rerun = true
			assert.Equal(t, tc.rerun, c.Judge(tc.found, 0))
			c.Fingerprint[0]++
			if !tc.found.State.IsZero() {
				assert.Equal(t, idempotency.Conflicting, c.Judge(tc.found, 0), "with other arguments, whatever the state")
			}
		})
	}
}

func TestAnAnswerDisclosesOnlyWhatItsVerdictSays(t *testing.T) {
	t.Parallel()
	r := idempotency.Record{
		State: idempotency.Failed, Owner: idempotency.NewOwner(), Started: true, Result: []byte("r"), LeaseLeft: 5, ExpiresIn: 9,
	}
	for v, want := range map[idempotency.Verdict]idempotency.Answer{
		idempotency.Claimed:     {},
		idempotency.Running:     {LeaseLeft: 5},
		idempotency.Finished:    {State: idempotency.Failed, Result: []byte("r")},
		idempotency.Abandoned:   {},
		idempotency.Conflicting: {},
		idempotency.NonceSpent:  {},
		idempotency.Exhausted:   {},
	} {
		want.Verdict = v
		assert.Equal(t, want, r.Answer(v), v.String())
	}
}

func TestClaimValidate(t *testing.T) {
	t.Parallel()
	good := claim(keyOf("bob", "k"), idempotency.NewOwner())
	assert.NoError(t, good.Validate())
	good.Budget = idempotency.Budget{Key: keyOf("bob", "b"), Limit: 1}
	assert.NoError(t, good.Validate())
	good.Nonce = idempotency.Nonce{Key: keyOf("bob", "n"), TTL: 1}
	assert.NoError(t, good.Validate())
	for name, spoil := range map[string]func(*idempotency.Claim){
		"zero":                       func(c *idempotency.Claim) { *c = idempotency.Claim{} },
		"no key":                     func(c *idempotency.Claim) { c.Key = idempotency.Key{} },
		"no owner":                   func(c *idempotency.Claim) { c.Owner = idempotency.Owner{} },
		"no lease":                   func(c *idempotency.Claim) { c.Lease = 0 },
		"a negative lease":           func(c *idempotency.Claim) { c.Lease = -1 },
		"a retention below lease":    func(c *idempotency.Claim) { c.Retention = c.Lease - 1 },
		"a nonce without a key":      func(c *idempotency.Claim) { c.Nonce.Key = idempotency.Key{} },
		"a nonce without a TTL":      func(c *idempotency.Claim) { c.Nonce.TTL = 0 },
		"a nonce of another's scope": func(c *idempotency.Claim) { c.Nonce.Key = keyOf("eve", "n") },
		"a budget without a key":     func(c *idempotency.Claim) { c.Budget.Key = idempotency.Key{} },
		"a budget without a limit":   func(c *idempotency.Claim) { c.Budget.Limit = 0 },
		"a negative budget":          func(c *idempotency.Claim) { c.Budget.Limit = -1 },
		"a budget of another's":      func(c *idempotency.Claim) { c.Budget.Key = keyOf("eve", "b") },
	} {
		c := good
		spoil(&c)
		assert.ErrorIs(t, c.Validate(), idempotency.ErrInvalid, name)
	}
}

func TestCompletionValidate(t *testing.T) {
	t.Parallel()
	good := completion(claim(keyOf("bob", "k"), idempotency.NewOwner()), []byte{})
	for _, s := range []idempotency.State{idempotency.Completed, idempotency.Failed} {
		c := good
		c.State = s
		assert.NoError(t, c.Validate(), s.String())
	}
	for name, spoil := range map[string]func(*idempotency.Completion){
		"no key":              func(c *idempotency.Completion) { c.Key = idempotency.Key{} },
		"no owner":            func(c *idempotency.Completion) { c.Owner = idempotency.Owner{} },
		"no state":            func(c *idempotency.Completion) { c.State = 0 },
		"still in progress":   func(c *idempotency.Completion) { c.State = idempotency.InProgress },
		"no such state":       func(c *idempotency.Completion) { c.State = 5 },
		"unknown, and result": func(c *idempotency.Completion) { c.State = idempotency.Unknown },
		"another's counts":    func(c *idempotency.Completion) { c.Forget = keyOf("eve", "b") },
	} {
		c := good
		spoil(&c)
		assert.ErrorIs(t, c.Validate(), idempotency.ErrInvalid, name)
	}
	forgetting := good
	forgetting.Forget = keyOf("bob", "b")
	assert.NoError(t, forgetting.Validate())
	unknown := good
	unknown.State, unknown.Result, unknown.Retention = idempotency.Unknown, nil, -1
	assert.NoError(t, unknown.Validate())
}

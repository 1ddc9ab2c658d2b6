package guard_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/store"
)

// A crossing store releases claims with a nonce together.
type crossing struct {
	*store.Memory

	group sync.WaitGroup
}

func (s *crossing) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	if !c.Nonce.Key.IsZero() {
		s.group.Done()
		s.group.Wait()
	}
	return s.Memory.Claim(ctx, c)
}

// Several keys that spend one approval concurrently cause one more question.
func TestApproval_ConcurrentSpendingAsksOnce(t *testing.T) {
	t.Parallel()
	for range longtest.Count(t, 8, 40) {
		n := &counter{}
		s := &crossing{Memory: newMemory(t)}
		k, d := approvals(t, n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways().MustBuild(), guard.WithStore(s))
		k.callKeyed(alice, "pay.now", validPay, "k")
		q, _ := d.last(t)
		k.decide(q, true)
		s.group.Add(8)
		var calls sync.WaitGroup
		for i := range 8 {
			calls.Go(func() { k.callKeyed(alice, "pay.now", validPay, fmt.Sprint("k", i)) })
		}
		calls.Wait()
		waits(t, k.callKeyed(alice, "pay.now", validPay, "last"))
		_, questions := d.last(t)
		require.Equal(t, 2, questions)
		require.EqualValues(t, 1, n.runs.Load())
	}
}

// A store whose clock has stopped does not extend an approval.
func TestApproval_GuardClockEndsAQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k, d := approvals(t, n.asking("pay.now").MustBuild(), guard.WithStore(newMemory(t, store.WithClock(newClock().Now))))
		k.call(alice, "pay.now", validPay)
		q, _ := d.last(t)
		k.decide(q, true)
		time.Sleep(guard.DefaultQuestionTTL)
		_, err := k.guard.People().OpenQuestion(t.Context(), q.Token, dave)
		require.ErrorIs(t, err, people.ErrNoQuestion)
		waits(t, k.call(alice, "pay.now", validPay))
		assert.Zero(t, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

// A forger answers a look-up with the first record.
type forger struct {
	*store.Memory

	first store.Key
	forge bool
}

func (s *forger) Get(ctx context.Context, key store.Key) (store.Record, error) {
	if s.first.IsZero() {
		s.first = key
	}
	if s.forge {
		s.forge = false
		key = s.first
	}
	return s.Memory.Get(ctx, key)
}

// An attacker who can write to the store cannot move an approval to another
// call.
func TestApproval_RecordCountsOnlyUnderItsOwnKey(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &forger{Memory: newMemory(t)}
	k, d := approvals(t, n.asking("pay.now").MustBuild(), guard.WithStore(s))
	k.call(alice, "pay.now", validPay)
	q, _ := d.last(t)
	k.decide(q, true)
	s.forge = true
	refused(t, k.call(alice, "pay.now", `{"pay":{"amount":99}}`), contract.CodeUnavailable, contract.ClassRetryable)
	require.False(t, s.forge, "the store was not queried")
	assert.Zero(t, n.runs.Load())
}

// A call that finds its approval spent makes room for another question. If any
// operation of the store fails meanwhile, a repetition asks that question.
func TestApproval_FaultWhileMakingRoomIsRepaired(t *testing.T) {
	t.Parallel()
	for _, op := range faultystore.Operations() {
		for when, fail := range map[string]func(*faultystore.Store, faultystore.Operation, int, error){
			"lost request": (*faultystore.Store).FailBefore,
			"lost reply":   (*faultystore.Store).FailAfter,
		} {
			t.Run(string(op)+" "+when, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					n, s := &counter{}, newFaulty(t)
					k, d := approvals(t, n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways().MustBuild(), guard.WithStore(s))
					waits(t, k.callKeyed(alice, "pay.now", validPay, "k1"))
					q, _ := d.last(t)
					k.decide(q, true)
					require.Equal(t, contract.StatusOK, k.callKeyed(alice, "pay.now", validPay, "k1").Outcome.Status)

					fail(s, op, faultystore.Every, nil)
					k.callKeyed(alice, "pay.now", validPay, "k2")
					s.Heal()
					time.Sleep(guard.DefaultLease)
					fail(s, op, s.Count(op), nil) // once more, in another operation
					k.callKeyed(alice, "pay.now", validPay, "k2")
					s.Heal()
					time.Sleep(guard.DefaultLease)
					waits(t, k.callKeyed(alice, "pay.now", validPay, "k2"))
					q, questions := d.last(t)
					require.Equal(t, 2, questions)
					k.decide(q, true)
					ran := k.callKeyed(alice, "pay.now", validPay, "k2")
					require.Equal(t, contract.StatusOK, ran.Outcome.Status, ran.Text)
					assert.EqualValues(t, 2, n.runs.Load())
					require.NoError(t, k.guard.Close(t.Context()))
				})
			})
		}
	}
}

// An uncounting store counts nothing.
type uncounting struct{ *store.Memory }

func (uncounting) Max(context.Context, store.Key) (store.Count, error) { return store.Count{}, nil }

// On a store that does not count, a call with a spent approval ends all the
// same.
func TestApproval_StoreThatDoesNotCountEndsInPending(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways().MustBuild(),
		guard.WithStore(uncounting{newMemory(t)}))
	k.callKeyed(alice, "pay.now", validPay, "k1")
	q, _ := d.last(t)
	k.decide(q, true)
	k.callKeyed(alice, "pay.now", validPay, "k1")
	waits(t, k.callKeyed(alice, "pay.now", validPay, "k2"))
	assert.EqualValues(t, 1, n.runs.Load())
}

package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// A replica whose next change is at the bound, and one that is below it, because
// each counts only its own calls.
func boundReplicas(t *testing.T, n *counter, tool *contract.Tool, opts ...guard.Option) (atBound, below *kit) {
	t.Helper()
	opts = append(opts, guard.WithStore(newMemory(t)), guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32)), unlimited)
	start := func(bound int) *kit {
		return newKit(t, []*contract.Tool{tool, n.payer("pay.again").MustBuild()}, append(opts, bounded(bound))...)
	}
	return start(1), start(100)
}

// refusedAsDeclined asserts that a call does not run because a person declined it.
func (k *kit) refusedAsDeclined(r round) {
	k.t.Helper()
	result, err := k.round(r)
	require.NoError(k.t, err)
	require.Equal(k.t, contract.CodeConfirmationDeclined, result.Outcome.Code, result.Text)
}

// replayed asserts that a call gets the outcome of an earlier one.
func (k *kit) replayed(r round) {
	k.t.Helper()
	result, err := k.round(r)
	require.NoError(k.t, err)
	require.Equal(k.t, contract.StatusReplayed, result.Outcome.Status, result.Text)
}

func TestThreat234_AnApprovalIsOneExecutionOnEveryReplica(t *testing.T) {
	t.Parallel()
	for name, keyed := range map[string]bool{"a tool without keys": false, "a keyed tool": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			tool, pay := n.payer("pay.now").MustBuild(), payNow
			if keyed {
				tool, pay.key = n.managedPayer("pay.now", byClientKey, nil).MustBuild(), "k1"
			}
			atBound, below := boundReplicas(t, n, tool)
			for i, order := range [][2]*kit{{atBound, below}, {below, atBound}} {
				pay.arguments = []string{`{"pay":{"amount":1}}`, `{"pay":{"amount":2}}`}[i]
				if keyed {
					pay.key = []string{"k1", "k2"}[i]
				}
				approved := pay.with(atBound.asked(pay).State, confirmed)
				order[0].allowed(approved)
				order[1].replayed(approved)
				order[0].replayed(approved)
				if keyed { // another key is another call, which needs an approval of its own
					approved.key += "-other"
					below.asked(approved)
					atBound.asked(approved)
				}
				require.EqualValues(t, i+1, n.runs.Load())
			}
		})
	}
}

func TestThreat234_AnApprovalIsOneExecutionAfterTheSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := chain(t, n, bounded(2), guard.WithTimes(guard.Times{QuestionTTL: time.Hour}))
		k.allowed(payAgain)
		approved := payNow.with(k.asked(payNow).State, confirmed)
		k.allowed(approved)
		time.Sleep(31 * time.Minute)
		k.replayed(approved)
		time.Sleep(31 * time.Minute) // the approval has expired, and so has what it spent
		k.asked(approved)
		assert.EqualValues(t, 2, n.runs.Load())
	})
}

// An approval that comes when it is no longer needed does not count again later.
func TestThreat234_AnApprovalBelowTheBoundIsSpent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := chain(t, n, bounded(2), guard.WithTimes(guard.Times{QuestionTTL: 2 * time.Hour}))
		k.allowed(payAgain)
		approved := payNow.with(k.asked(payNow).State, confirmed)
		time.Sleep(31 * time.Minute)
		k.allowed(approved)
		k.asked(payNow) // the bound is reached again
		k.replayed(approved)
		assert.EqualValues(t, 2, n.runs.Load())
	})
}

func TestThreat234_AnApprovalOnAPageIsOneExecutionOnEveryReplica(t *testing.T) {
	t.Parallel()
	for name, only := range map[string]risk.Level{"for clients that cannot ask": 0, "for all clients": risk.Low} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, d := &counter{}, &door{address: desk}
			atBound, below := boundReplicas(t, n, n.payer("pay.now").MustBuild(),
				guard.WithPeople(guard.PeopleOptions{Approver: d, ApproverFrom: only}))
			waits(t, atBound.call(alice, "pay.now", validPay))
			q, _ := d.last(t)
			atBound.decide(q, true)
			require.Equal(t, contract.StatusOK, below.call(alice, "pay.now", validPay).Outcome.Status)
			require.Equal(t, contract.StatusReplayed, atBound.call(alice, "pay.now", validPay).Outcome.Status)
			require.Equal(t, contract.StatusReplayed, below.call(alice, "pay.now", validPay).Outcome.Status)
			assert.EqualValues(t, 1, n.runs.Load())
		})
	}
}

// So does one of a tool that asks only for some arguments, when its author
// changes their mind.
func TestThreat234_AnApprovalThatTheToolNoLongerNeedsIsSpent(t *testing.T) {
	t.Parallel()
	n, must := &counter{}, true
	k := newKit(t, []*contract.Tool{n.payer("pay.now").ConfirmWhen(func(payInput) bool { return must }).MustBuild()})
	approved := payNow.with(k.asked(payNow).State, confirmed)
	k.allowed(approved)
	must = false
	k.replayed(approved)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestThreat235_ADeclinedCallDoesNotRunBelowTheBound(t *testing.T) {
	t.Parallel()
	t.Run("in rounds", func(t *testing.T) {
		t.Parallel()
		n := &counter{}
		atBound, below := boundReplicas(t, n, n.payer("pay.now").MustBuild())
		atBound.refusedAsDeclined(payNow.with(atBound.asked(payNow).State, declined))
		below.refusedAsDeclined(payNow)
		atBound.refusedAsDeclined(payNow)
		assert.Zero(t, n.runs.Load())
		other := payNow
		other.arguments = `{"pay":{"amount":3}}`
		below.allowed(other) // which nobody declined
	})
	t.Run("within the call", func(t *testing.T) {
		t.Parallel()
		n := &counter{}
		atBound, below := boundReplicas(t, n, n.payer("pay.now").MustBuild())
		atBound.within(declined)
		below.refusedAsDeclined(payNow)
		assert.Zero(t, n.runs.Load())
	})
	t.Run("on a page", func(t *testing.T) {
		t.Parallel()
		n, d := &counter{}, &door{address: desk}
		atBound, below := boundReplicas(t, n, n.payer("pay.now").MustBuild(), guard.WithPeople(guard.PeopleOptions{Approver: d}))
		waits(t, atBound.call(alice, "pay.now", validPay))
		q, _ := d.last(t)
		atBound.decide(q, false)
		refused(t, below.call(alice, "pay.now", validPay), contract.CodeConfirmationDeclined, contract.ClassRetryable)
		assert.Zero(t, n.runs.Load())
	})
	t.Run("of a tool that asks for other arguments", func(t *testing.T) {
		t.Parallel()
		n := &counter{}
		atBound, below := boundReplicas(t, n, n.payer("pay.now").ConfirmWhen(func(payInput) bool { return false }).MustBuild())
		atBound.refusedAsDeclined(payNow.with(atBound.asked(payNow).State, declined))
		below.refusedAsDeclined(payNow)
		assert.Zero(t, n.runs.Load())
	})
}

func TestThreat235_ADeclinedCallRunsOnlyAfterTheMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := chain(t, n, bounded(2), guard.WithTimes(guard.Times{DeclineMemory: time.Hour}))
		k.allowed(payAgain)
		k.refusedAsDeclined(payNow.with(k.asked(payNow).State, declined))
		time.Sleep(31 * time.Minute) // the session is over
		k.refusedAsDeclined(payNow)
		time.Sleep(30 * time.Minute)
		k.allowed(payNow)
	})
}

// The bound is reached only because another call is open. A person declines
// both.
func TestThreat235_ADeclinedCallDoesNotRunOnceTheOthersHaveEnded(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild(), n.payer("pay.again").MustBuild()}, bounded(2))
	_, err := k.set.Call(as(t.Context(), alice), guard.Request{
		Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Client: guard.Client{Ask: func(context.Context, people.Question) (json.RawMessage, error) {
			k.refusedAsDeclined(payAgain.with(k.asked(payAgain).State, declined))
			return json.RawMessage(declined), nil
		}},
	})
	require.NoError(t, err)
	k.refusedAsDeclined(payAgain)
	assert.Zero(t, n.runs.Load())
}

// Without the store, nobody knows whether the call was declined, so a person is
// asked.
func TestThreat235_AMemoryThatCannotBeReadAsksAgain(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &unreadable{Store: newMemory(t)}
	k := chain(t, n, bounded(2), guard.WithStore(s), guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32)))
	s.broken = true
	k.asked(payNow)
	s.broken = false
	k.allowed(payNow)
}

// unreadable is a store whose counts cannot be read while it is broken.
type unreadable struct {
	store.Store

	broken bool
}

func (s *unreadable) Max(ctx context.Context, k store.Key) (store.Count, error) {
	if s.broken {
		return store.Count{}, errors.New("lost")
	}
	return s.Store.Max(ctx, k)
}

package guard_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
)

// Each call with other arguments takes a generation, even if it fails without an
// effect. The rerun of the first call has the key of the first call, or does not
// run.
func TestThreat220_ManyGenerationsLieBetweenACallAndItsRerun(t *testing.T) {
	t.Parallel()
	l, i := &keyLog{err: errors.New("unclear")}, byClientKey
	i.OnUnknown = idempotency.Rerun
	tool := contract.New("pay.now", l.run).From(writing()).Idempotency(i).OtherErrors(contract.ClassFatal).
		RetryBudget(1000, time.Hour).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, unlimited)
	call := func(amount int) *guard.Result { return k.callKeyed(alice, "pay.now", payOf(amount), "k1") }
	call(10)
	l.err = errNoFunds
	for range 300 {
		require.Equal(t, "no_funds", call(11).Outcome.Code)
	}
	l.err = nil
	before := len(l.keys)
	refused(t, call(10), contract.CodeOutcomeUnknown, contract.ClassFatal)
	assert.Len(t, l.keys, before, "the handler must not run with another key than the first time")
	assert.Equal(t, contract.StatusOK, call(11).Outcome.Status)
}

// While a call is given up, an equal call waits.
func TestThreat221_CallMeetsTheUndoOfTheCallBefore(t *testing.T) {
	t.Parallel()
	l, faulty := &keyLog{}, faultystore.New(newMemory(t))
	k := newKit(t, l.tools(byPay), guard.WithStore(faulty))
	require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
	completed := faulty.Count(faultystore.Complete)
	arrived, release := faulty.Delay(faultystore.Complete, completed)
	undone := make(chan *guard.Result, 1)
	go func() { undone <- k.call(alice, "pay.undo", undoPay) }()
	<-arrived
	r := k.call(alice, "pay.now", validPay)
	assert.Equal(t, contract.CodeKeyInProgress, r.Outcome.Code)
	release()
	require.False(t, (<-undone).IsError)
	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
	distinct(t, l.keys)
}

// The handler outlasts its leases and then succeeds, but the store does not
// accept the success at first. The system does not show the order yet.
func TestThreat222_SuccessOfAHangingHandlerIsNotYetRecorded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, faulty := newShop(), faultystore.New(newMemory(t))
		s.reply(func(context.Context, string) (contract.Reconciled[receipt], error) {
			return contract.DidNotHappen[receipt](), nil
		})
		k := newKit(t, []*contract.Tool{s.tool(byNumber).Timeout(time.Minute).MustBuild()}, guard.WithStore(faulty))
		end := make(chan struct{})
		s.handle(func(_ context.Context, place func() (receipt, error)) (receipt, error) {
			<-end
			return place()
		})
		k.call(alice, "orders.place", orderOne) // its answer is that it timed out
		s.handle(nil)
		time.Sleep(time.Hour) // longer than its lease is renewed, and than the quiet time
		faulty.FailBefore(faultystore.Complete, faulty.Count(faultystore.Complete), errors.New("down"))
		close(end)
		synctest.Wait()
		require.Equal(t, 1, s.effects())
		r := k.call(alice, "orders.place", orderOne)
		assert.Equal(t, 1, s.effects(), "%v", r.Outcome)
		time.Sleep(time.Minute)
		assert.Equal(t, contract.StatusReplayed, k.call(alice, "orders.place", orderOne).Outcome.Status)
		assert.Equal(t, 1, s.effects())
	})
}

// A caller that disconnects while its question is answered leaves no record of a
// call that seems to run.
func TestThreat223_CallerLeavesWhileTheAnswerIsRecorded(t *testing.T) {
	t.Parallel()
	s := newShop()
	k := newKit(t, []*contract.Tool{s.tool(byNumber).MustBuild()}, guard.WithOperations())
	died := s.died(t, k, true)
	ctx, leave := context.WithCancel(as(t.Context(), alice))
	s.reply(func(_ context.Context, key string) (contract.Reconciled[receipt], error) {
		leave()
		return s.truth(key), nil
	})
	_, err := k.set.Call(ctx, guard.Request{Tool: "orders.place", Arguments: []byte(orderOne)})
	require.NoError(t, err)
	got, _ := k.lookUp(alice, died.Outcome.OperationID)
	assert.Contains(t, []string{"succeeded", "unknown"}, got.State)
}

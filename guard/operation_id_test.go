package guard_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The text for the model has the name only where the outcome is open.
func TestOperationID_IsInEveryAnswerAndInTheTextOfOpenOnes(t *testing.T) {
	t.Parallel()
	half := contract.Retryable("half", "Some of it was paid.").EffectPossible()
	for name, c := range map[string]struct {
		err         error
		open, again bool // the text of the call, and of the same call, repeated
	}{
		"success":                                {},
		"declared failure":                       {err: errClosed.Errorf("closed")},
		"declared failure after some effect":     {err: errHalfDone.Errorf("half")},
		"declared failure, retryable":            {err: errNoFunds},
		"declared, retryable, after some effect": {err: half, open: true, again: true},
		"undeclared error":                       {err: errors.New("reset"), open: true, again: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			fail := func(context.Context, payInput) error { return c.err }
			for other, b := range map[string]*contract.Builder[payInput, payOutput]{
				"undeclared": n.managedPayer("pay.now", refusing(byClientKey), fail),
				"other":      n.managedPayer("pay.now", refusing(byClientKey), fail).OtherErrors(contract.ClassFatal),
			} {
				k := newKit(t, []*contract.Tool{b.Failures(errClosed, errHalfDone, errNoFunds, half).MustBuild()})
				first := k.callKeyed(alice, "pay.now", validPay, "k1")
				id := first.Outcome.OperationID
				require.NotEmpty(t, id, other)
				assert.Equal(t, c.open, strings.Contains(first.Text, id), first.Text)
				again := k.callKeyed(alice, "pay.now", validPay, "k1")
				assert.Equal(t, id, again.Outcome.OperationID)
				assert.Equal(t, c.again, strings.Contains(again.Text, id), again.Text)
			}
		})
	}
}

// The call would be refused for another reason, but it runs already.
func TestOperationID_IsInTheAnswerOfARunningCallThatHasTheLastSlot(t *testing.T) {
	t.Parallel()
	n := &counter{}
	began, ends := make(chan string, 1), make(chan struct{})
	pay := n.managedPayer("pay.now", byClientKey, func(ctx context.Context, _ payInput) error {
		id, _ := guard.OperationID(ctx)
		began <- id
		<-ends
		return nil
	}).MaxConcurrent(1).MustBuild()
	k := newKit(t, []*contract.Tool{pay})
	done := make(chan *guard.Result, 1)
	go func() { done <- k.callKeyed(alice, "pay.now", validPay, "k1") }()
	id := <-began
	again := k.callKeyed(alice, "pay.now", validPay, "k1")
	refused(t, again, contract.CodeKeyInProgress, contract.ClassRetryable)
	assert.Equal(t, id, again.Outcome.OperationID)
	other := k.callKeyed(alice, "pay.now", validPay, "k2")
	refused(t, other, contract.CodeUnavailable, contract.ClassRetryable)
	assert.Empty(t, other.Outcome.OperationID, "it has no record")
	close(ends)
	assert.Equal(t, id, (<-done).Outcome.OperationID)
}

func TestOperationID_IsInTheAnswerOfACallWhoseResultIsLost(t *testing.T) {
	t.Parallel()
	s, memory := newShop(), newMemory(t)
	k := newKit(t, []*contract.Tool{s.tool(byNumber).MustBuild()}, guard.WithStore(memory), sealing)
	s.died(t, k, false)
	id := k.call(alice, "orders.place", orderOne).Outcome.OperationID // of the second generation
	other := newKit(t, []*contract.Tool{s.tool(byNumber).Trust(trust.Untrusted).MustBuild()}, guard.WithStore(memory), sealing)
	lost := other.call(alice, "orders.place", orderOne)
	refused(t, lost, contract.CodeAlreadyDone, contract.ClassFatal)
	assert.Equal(t, id, lost.Outcome.OperationID)
}

// The claim is on record, but the handler does not run.
func TestOperationID_IsInARefusalAfterTheClaim(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, faulty := onFaulty(t, n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways().MustBuild())
	pay := round{who: alice, tool: "pay.now", arguments: validPay}
	question := k.asked(pay)
	faulty.FailBefore(faultystore.Mark, faultystore.Every, nil)
	r, err := k.round(pay.with(question.State, confirmed))
	require.NoError(t, err)
	refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
	require.NotEmpty(t, r.Outcome.OperationID)
	assert.Contains(t, r.Text, r.Outcome.OperationID)
	faulty.Heal()
	again, err := k.round(pay.with(k.asked(pay).State, confirmed))
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, again.Outcome.Status)
	assert.Equal(t, r.Outcome.OperationID, again.Outcome.OperationID)
}

// A call that was claimed before its intent leaves its name even if the process
// dies.
func TestOperationID_IsInTheIntentOfAClaimedCall(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).Risk(risk.High).ConfirmAlways().MustBuild()})
	pay := round{who: alice, tool: "pay.now", arguments: validPay}
	r, err := k.round(pay.with(k.asked(pay).State, confirmed))
	require.NoError(t, err)
	require.NotEmpty(t, r.Outcome.OperationID)
	intents := k.events(audit.Intent)
	require.Len(t, intents, 1)
	assert.Equal(t, r.Outcome.OperationID, intents[0].OperationID)
}

// A call that runs without its record has no operation to look up.
func TestOperationID_IsNotToldIfTheCallRunsWithoutARecord(t *testing.T) {
	t.Parallel()
	n, told := &counter{}, true
	pay := n.managedPayer("pay.now", byClientKey, func(ctx context.Context, _ payInput) error {
		_, told = guard.OperationID(ctx)
		return nil
	}).MustBuild()
	k, faulty := onFaulty(t, pay, guard.WithStoreFailOpen())
	faulty.FailBefore(faultystore.Claim, faultystore.Every, nil)
	r := k.callKeyed(alice, "pay.now", validPay, "k1")
	require.Equal(t, contract.StatusOK, r.Outcome.Status)
	assert.Empty(t, r.Outcome.OperationID)
	assert.False(t, told)
}

// The guard closes while a handler runs on its caller's goroutine.
func TestOperationID_IsInTheEventOfAnAbandonedCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, named, ends := &counter{}, "", make(chan struct{})
		pay := n.managedPayer("pay.now", byClientKey, func(ctx context.Context, _ payInput) error {
			named, _ = guard.OperationID(ctx)
			<-ends
			return nil
		}).MustBuild()
		k := newKit(t, []*contract.Tool{pay})
		go k.callKeyed(alice, "pay.now", validPay, "k1")
		synctest.Wait()
		require.Error(t, k.guard.Close(t.Context()))
		events := k.log.Events(audit.Terminal)
		require.Len(t, events, 1)
		assert.NotEmpty(t, named)
		assert.Equal(t, named, events[0].OperationID)
		close(ends)
		synctest.Wait()
	})
}

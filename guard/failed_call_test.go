package guard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/store"
)

// payOf returns the arguments of a payment.
func payOf(amount int) string { return fmt.Sprintf(`{"pay":{"amount":%d}}`, amount) }

var (
	errSpent = contract.Retryable("spent", "Money may have moved.").EffectPossible()
	errDone  = contract.Fatal("done", "Money may have moved.").EffectPossible()
)

// failingAt returns the builder of a tool that fails with the error of each
// amount.
func (n *counter) failingAt(i contract.Idempotency, errs map[int64]error) *contract.Builder[payInput, payOutput] {
	return n.managedPayer("pay.now", i, func(_ context.Context, in payInput) error { return errs[in.Pay.Amount] }).
		Failures(errNoFunds, errClosed, errSpent, errDone)
}

func TestManaged_OnlyAFailedCallFreesItsKeyForOtherArguments(t *testing.T) {
	t.Parallel()
	undeclared := contract.Retryable("undeclared", "It is not in the contract.")
	for _, c := range []struct {
		name   string
		fails  error
		others contract.Class // of OtherErrors
		again  string         // the code of the same call
		free   bool           // other arguments run
	}{
		{"a retryable failure", errNoFunds, 0, errNoFunds.Code(), true},
		{"a fatal failure", errClosed, 0, errClosed.Code(), true},
		{"an error that OtherErrors returns", errSecret, contract.ClassFatal, contract.CodeOutcomeUnknown, true},
		{"a retryable failure with an effect", errSpent, 0, contract.CodeOutcomeUnknown, false},
		{"a fatal failure with an effect", errDone, 0, errDone.Code(), false},
		{"an undeclared error", errSecret, 0, contract.CodeOutcomeUnknown, false},
		{"an undeclared failure", undeclared, 0, contract.CodeOutcomeUnknown, false},
		{"an undeclared failure with OtherErrors", undeclared, contract.ClassFatal, contract.CodeOutcomeUnknown, false},
		{"a success", nil, 0, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, i := range []contract.Idempotency{byClientKey, refusing(byClientKey)} {
				n := &counter{}
				b := n.failingAt(i, map[int64]error{10: c.fails})
				if c.others != 0 {
					b.OtherErrors(c.others)
				}
				k := newKit(t, []*contract.Tool{b.MustBuild()})
				first := k.callKeyed(alice, "pay.now", validPay, "k1")
				assert.Equal(t, c.again, k.callKeyed(alice, "pay.now", validPay, "k1").Outcome.Code)
				runs := n.runs.Load()
				other := k.callKeyed(alice, "pay.now", payOf(11), "k1")
				if !c.free {
					refused(t, other, contract.CodeKeyConflict, contract.ClassRetryable)
					assert.Equal(t, runs, n.runs.Load())
					continue
				}
				require.True(t, first.IsError)
				assert.Equal(t, contract.StatusOK, other.Outcome.Status)
				replayOf(t, other, k.callKeyed(alice, "pay.now", payOf(11), "k1"))
				refused(t, k.callKeyed(alice, "pay.now", payOf(12), "k1"), contract.CodeKeyConflict, contract.ClassRetryable)
				assert.Equal(t, runs+1, n.runs.Load())
			}
		})
	}
}

// Other calls under the key do not make the guard forget an execution whose
// effects are unknown.
func TestManaged_UnresolvedExecutionStaysUnresolved(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]error{
		"after a retryable failure": errNoFunds, "after a fatal failure": errClosed, "after another unknown one": errSecret,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			tool := n.failingAt(byClientKey, map[int64]error{10: errSecret, 11: second,
				12: errSecret}).OtherErrors(contract.ClassFatal).MustBuild()
			k := newKit(t, []*contract.Tool{tool}, guard.WithRetryBudget(0, 0))
			code := func(amount int) string { return k.callKeyed(alice, "pay.now", payOf(amount), "k1").Outcome.Code }
			assert.Equal(t, contract.CodeToolFatal, code(10))
			first := code(11)
			assert.Equal(t, contract.CodeOutcomeUnknown, code(10))
			assert.Equal(t, contract.CodeToolFatal, code(12))
			assert.Equal(t, contract.CodeOutcomeUnknown, code(10))
			assert.Equal(t, contract.CodeOutcomeUnknown, code(12))
			runs := n.runs.Load()
			if again := code(11); errors.Is(second, errSecret) {
				assert.Equal(t, contract.CodeOutcomeUnknown, again)
				assert.Equal(t, runs, n.runs.Load())
			} else {
				assert.Equal(t, first, again, "it had no effect, so it may run again")
			}
			assert.Equal(t, contract.CodeOutcomeUnknown, code(10))
			runs = n.runs.Load()
			assert.Empty(t, code(13))
			refused(t, k.callKeyed(alice, "pay.now", payOf(10), "k1"), contract.CodeKeyConflict, contract.ClassRetryable)
			assert.Equal(t, runs+1, n.runs.Load())
		})
	}
}

func TestManaged_UnresolvedExecutionRunsAgainIfTheContractDeclaresIt(t *testing.T) {
	t.Parallel()
	n := &counter{}
	rerun := byClientKey
	rerun.OnUnknown = idempotency.Rerun
	k := newKit(t, []*contract.Tool{n.failingAt(rerun, map[int64]error{10: errSecret,
		11: errSecret}).OtherErrors(contract.ClassFatal).MustBuild()})
	for i, amount := range []int{10, 11, 10, 11, 11, 10} {
		assert.Equal(t, contract.CodeToolFatal, k.callKeyed(alice, "pay.now", payOf(amount), "k1").Outcome.Code)
		assert.EqualValues(t, i+1, n.runs.Load())
	}
	assert.Equal(t, contract.StatusOK, k.callKeyed(alice, "pay.now", payOf(12), "k1").Outcome.Status)
}

func TestManaged_UnresolvedExecutionsOfAKeyAreBounded(t *testing.T) {
	t.Parallel()
	const most = 64
	n := &counter{}
	tool := n.managedPayer("pay.now", byClientKey, func(context.Context,
		payInput) error {
		return errSecret
	}).OtherErrors(contract.ClassFatal).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for amount := 1; amount <= most+1; amount++ {
		require.Equal(t, contract.CodeToolFatal, k.callKeyed(alice, "pay.now", payOf(amount), "k1").Outcome.Code)
	}
	refused(t, k.callKeyed(alice, "pay.now", payOf(most+2), "k1"), contract.CodeKeyConflict, contract.ClassRetryable)
	refused(t, k.callKeyed(alice, "pay.now", payOf(1), "k1"), contract.CodeKeyConflict, contract.ClassRetryable)
	refused(t, k.callKeyed(alice, "pay.now", payOf(most+1), "k1"), contract.CodeOutcomeUnknown, contract.ClassFatal)
	assert.EqualValues(t, most+1, n.runs.Load())
}

func TestManaged_CallsAtOnceAfterAFailureRunOnce(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]error{"a fatal failure": errClosed, "an unknown outcome": errSecret} {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.failingAt(byClientKey,
			map[int64]error{10: fails}).OtherErrors(contract.ClassFatal).MustBuild()})
		k.callKeyed(alice, "pay.now", validPay, "k1")
		var group sync.WaitGroup
		for i := range 50 {
			group.Go(func() { k.callKeyed(alice, "pay.now", payOf(11+i%2), "k1") })
		}
		group.Wait()
		assert.EqualValues(t, 2, n.runs.Load(), name)
	}
}

func TestManaged_ErrorAfterTheTimeIsOverHoldsTheKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		goOn := make(chan struct{})
		tool := n.managedPayer("pay.now", byClientKey, func(context.Context, payInput) error {
			<-goOn
			return errSecret // may be a consequence of the timeout
		}).OtherErrors(contract.ClassFatal).Timeout(time.Minute).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		refused(t, k.callKeyed(alice, "pay.now", validPay, "k1"), contract.CodeTimeout, contract.ClassRetryable)
		close(goOn)
		synctest.Wait()
		refused(t, k.callKeyed(alice, "pay.now", validPay, "k1"), contract.CodeOutcomeUnknown, contract.ClassFatal)
		refused(t, k.callKeyed(alice, "pay.now", payOf(11), "k1"), contract.CodeKeyConflict, contract.ClassRetryable)
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestManaged_ErrorOfAnInterruptedHandlerHoldsTheKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		tool := n.managedPayer("pay.now", byClientKey, func(ctx context.Context, _ payInput) error {
			<-ctx.Done() // after the deadline of a tool without a timeout
			return errSecret
		}).OtherErrors(contract.ClassFatal).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		refused(t, k.callKeyed(alice, "pay.now", validPay, "k1"), contract.CodeToolFatal, contract.ClassFatal)
		refused(t, k.callKeyed(alice, "pay.now", payOf(11), "k1"), contract.CodeKeyConflict, contract.ClassRetryable)
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

// A call does not run if the replica cannot compare its arguments, because it
// lacks the sealing key.
func TestManaged_KeyOfAFailedCallWhileSealingKeysRotate(t *testing.T) {
	t.Parallel()
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	memory := newMemory(t)
	n := &counter{}
	replica := func(current []byte, previous ...[]byte) *kit {
		tool := n.failingAt(byClientKey, map[int64]error{10: errSecret, 11: errClosed}).OtherErrors(contract.ClassFatal).MustBuild()
		return newKit(t, []*contract.Tool{tool}, guard.WithStore(memory), guard.WithSealingKeys(current, previous...),
			guard.WithRetryBudget(0, 0))
	}
	old, both, next := replica(key(1)), replica(key(2), key(1)), replica(key(2))
	require.Equal(t, contract.CodeToolFatal, old.callKeyed(alice, "pay.now", validPay, "k1").Outcome.Code)
	refused(t, both.callKeyed(alice, "pay.now", validPay, "k1"), contract.CodeOutcomeUnknown, contract.ClassFatal)
	for _, amount := range []int{10, 12} {
		refused(t, next.callKeyed(alice, "pay.now", payOf(amount), "k1"), contract.CodeOutcomeUnknown, contract.ClassFatal)
	}
	require.EqualValues(t, 1, n.runs.Load())
	require.Equal(t, errClosed.Code(), both.callKeyed(alice, "pay.now", payOf(11), "k1").Outcome.Code)
	refused(t, both.callKeyed(alice, "pay.now", validPay, "k1"), contract.CodeOutcomeUnknown, contract.ClassFatal)
	refused(t, next.callKeyed(alice, "pay.now", payOf(12), "k1"), contract.CodeKeyConflict, contract.ClassRetryable)
	require.EqualValues(t, 2, n.runs.Load(), "the list has an entry of a key that this replica lacks")
	assert.Equal(t, contract.StatusOK, both.callKeyed(alice, "pay.now", payOf(12), "k1").Outcome.Status)

	require.Equal(t, errClosed.Code(), old.callKeyed(alice, "pay.now", payOf(11), "k2").Outcome.Code)
	refused(t, next.callKeyed(alice, "pay.now", payOf(12), "k2"), contract.CodeAlreadyDone, contract.ClassFatal)
	assert.Equal(t, contract.StatusOK, both.callKeyed(alice, "pay.now", payOf(12), "k2").Outcome.Status)
}

// A call that takes over the key of a failed call and does not run leaves the
// earlier executions as they were.
func TestManaged_UnresolvedExecutionOutlivesACallThatDoesNotRun(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &spy{Memory: newMemory(t)}
	tool := n.failingAt(byClientKey,
		map[int64]error{10: errSecret}).OtherErrors(contract.ClassFatal).ConfirmWhen(func(payInput) bool { return false }).MustBuild()
	down := &markless{spy: s}
	k := newKit(t, []*contract.Tool{tool}, guard.WithStore(down))
	require.Equal(t, contract.CodeToolFatal, k.callKeyed(alice, "pay.now", validPay, "k1").Outcome.Code)
	down.fails = true
	refused(t, k.callKeyed(alice, "pay.now", payOf(11), "k1"), contract.CodeUnavailable, contract.ClassRetryable)
	down.fails = false
	refused(t, k.callKeyed(alice, "pay.now", validPay, "k1"), contract.CodeOutcomeUnknown, contract.ClassFatal)
	assert.EqualValues(t, 1, n.runs.Load())
	assert.Equal(t, contract.StatusOK, k.callKeyed(alice, "pay.now", payOf(11), "k1").Outcome.Status)
}

// A markless store can refuse to record that a call starts.
type markless struct {
	*spy
	fails bool
}

func (m *markless) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	if m.fails {
		return errors.New("the network is down")
	}
	return m.spy.Mark(ctx, key, owner)
}

func TestManaged_CorrectedCallTakesThreeOperations(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &spy{Memory: newMemory(t)}
	k := newKit(t, []*contract.Tool{n.failingAt(byClientKey,
		map[int64]error{10: errSecret}).OtherErrors(contract.ClassFatal).MustBuild()}, guard.WithStore(s))
	k.callKeyed(alice, "pay.now", validPay, "k1")
	assert.Equal(t, []string{"claim", "complete"}, s.asked())
	k.callKeyed(alice, "pay.now", payOf(11), "k1")
	assert.Equal(t, []string{"claim", "complete", "claim", "get", "claim", "complete"}, s.asked())
	for _, c := range s.completions {
		assert.False(t, bytes.Contains(c.Result, s.claims[0].Fingerprint[:]), "the list is sealed")
		assert.NotContains(t, strings.ToLower(string(c.Result)), s.claims[0].Fingerprint.String())
	}
}

func TestManaged_OperatorResolvesAllCallsOfAKey(t *testing.T) {
	t.Parallel()
	for finding, code := range map[store.Settlement]string{store.Happened: contract.CodeKeyConflict,
		store.DidNotHappen: contract.CodeToolFatal} {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.failingAt(byClientKey, map[int64]error{10: errSecret,
			11: errSecret}).OtherErrors(contract.ClassFatal).MustBuild()})
		k.callKeyed(alice, "pay.now", validPay, "k1")
		k.callKeyed(alice, "pay.now", payOf(11), "k1")
		require.Eventually(t, func() bool { return len(k.log.Events(audit.Terminal)) == 2 }, time.Minute, time.Millisecond)
		require.NoError(t, k.guard.ResolveUnknown(as(t.Context(), carol), k.log.Events(audit.Terminal)[0].LookupKey, finding))
		assert.Equal(t, code, k.callKeyed(alice, "pay.now", validPay, "k1").Outcome.Code)
	}
}

// A success whose result is replayed for a shorter time does not make the guard
// forget an execution under the same key whose effects are unknown.
func TestManaged_ReplayUntilForgetsNoUnresolvedExecution(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]time.Duration{"a result that is over": -time.Second, "a short time": time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, at := &counter{}, newClock()
			tool := n.failingAt(byClientKey, map[int64]error{10: errSecret}).OtherErrors(contract.ClassFatal).
				ReplayUntil(func(payInput, payOutput) time.Time { return time.Now().Add(left) }).MustBuild()
			k := newKit(t, []*contract.Tool{tool}, guard.WithStore(newMemory(t, store.WithClock(at.Now))), guard.WithRetryBudget(0, 0))
			code := func(amount int) string { return k.callKeyed(alice, "pay.now", payOf(amount), "k1").Outcome.Code }
			assert.Equal(t, contract.CodeToolFatal, code(10))
			assert.Empty(t, code(11))
			at.advance(2 * time.Minute)
			runs := n.runs.Load()
			assert.Equal(t, contract.CodeKeyConflict, code(10))
			assert.Equal(t, runs, n.runs.Load())
			if left < 0 {
				assert.Empty(t, code(11), "its time is over")
				assert.Equal(t, runs+1, n.runs.Load())
				assert.Equal(t, contract.CodeKeyConflict, code(10), "still")
			}
		})
	}
}

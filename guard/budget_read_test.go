package guard_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/risk"
)

// reads builds a read-only tool that returns the error that is set.
func (f *flaky) reads() *contract.Builder[payInput, payOutput] {
	return contract.New("mail.read", f.run).From(writing()).Effect(risk.ReadOnly).RetryBudget(2, 10*time.Minute)
}

// A reading is a kit with a read-only tool whose budget is two failures in ten
// minutes, so that its pauses last five minutes.
type reading struct {
	*kit
	flaky
}

func newReading(t *testing.T, opts ...guard.Option) *reading {
	t.Helper()
	r := &reading{}
	r.fails(failNoFunds)
	r.kit = newKit(t, []*contract.Tool{r.reads().MustBuild()}, opts...)
	return r
}

func (r *reading) read() *guard.Result { return r.call(alice, "mail.read", validPay) }

// ran asserts that the next call runs and fails.
func (r *reading) ran(t *testing.T) {
	t.Helper()
	before := r.runs.Load()
	refused(t, r.read(), "no_funds", contract.ClassRetryable)
	require.Equal(t, before+1, r.runs.Load())
}

// waits asserts that the next call does not run, and how long it has to wait.
func (r *reading) waits(t *testing.T, want time.Duration) {
	t.Helper()
	before, answer := r.runs.Load(), r.read()
	refused(t, answer, contract.CodeRetryBudgetExhausted, contract.ClassRetryable)
	require.Equal(t, want.Milliseconds(), answer.Outcome.RetryAfterMs)
	require.Equal(t, before, r.runs.Load())
}

func TestRetryBudget_ReadIsRefusedOnlyDuringPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReading(t)
		r.ran(t)
		r.ran(t)
		r.waits(t, 5*time.Minute)
		time.Sleep(2 * time.Minute)
		r.waits(t, 3*time.Minute)
		time.Sleep(3 * time.Minute)
		r.ran(t) // which begins the next pause
		r.waits(t, 5*time.Minute)
		time.Sleep(5 * time.Minute)
		r.ran(t) // in a new window
		r.ran(t)
		r.waits(t, 5*time.Minute)
	})
}

func TestRetryBudget_ReadWaitsNoLongerThanItsWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReading(t)
		r.ran(t)
		time.Sleep(8 * time.Minute)
		r.ran(t)
		r.waits(t, 2*time.Minute)
		time.Sleep(2 * time.Minute)
		r.ran(t)
	})
}

func TestRetryBudget_ReadThatSucceedsAfterAPauseHasItsWholeBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReading(t)
		r.ran(t)
		r.ran(t)
		r.fails(nil)
		r.waits(t, 5*time.Minute)
		time.Sleep(5 * time.Minute)
		require.Equal(t, contract.StatusOK, r.read().Outcome.Status)
		r.fails(failNoFunds)
		r.ran(t)
		r.ran(t)
		r.waits(t, 5*time.Minute)
	})
}

func TestRetryBudget_AnyFailureOfAReadBeginsAPauseOnceTheBudgetIsUsedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReading(t)
		r.ran(t)
		r.ran(t)
		time.Sleep(5 * time.Minute)
		r.fails(errClosed.Errorf("closed"))
		refused(t, r.read(), "account_closed", contract.ClassFatal)
		r.waits(t, 5*time.Minute)
	})
}

// The delay of an answer bounds the retries, so the answer begins no pause.
func TestRetryBudget_AnswerWithADelayBeginsNoPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReading(t)
		r.ran(t)
		r.ran(t)
		time.Sleep(5 * time.Minute)
		r.fails(failNoFunds.After(time.Second))
		r.ran(t)
		time.Sleep(time.Second)
		r.ran(t)
	})
}

// A pause is never empty, because the store would refuse it.
func TestRetryBudget_ShortestPauseOfARead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := reader("time.now", func(context.Context) (string, error) { return "", errNoFunds }).Failures(errNoFunds).MustBuild()
		k := newKit(t, []*contract.Tool{n}, guard.WithRetryBudget(2, 1))
		for range 2 {
			refused(t, k.call(alice, "time.now", ""), "no_funds", contract.ClassRetryable)
		}
		refused(t, k.call(alice, "time.now", ""), contract.CodeRetryBudgetExhausted, contract.ClassRetryable)
	})
}

// A call with wrong arguments does not reach the handler. It gets the reason
// again after each pause.
func TestRetryBudget_ReadWithWrongArgumentsGetsTheReasonAfterAPause(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{`{`, `{"pay":{"amount":101}}`} {
		synctest.Test(t, func(t *testing.T) {
			r := newReading(t)
			call := func(code string) *guard.Result {
				t.Helper()
				answer := r.call(alice, "mail.read", arguments)
				refused(t, answer, code, contract.ClassRetryable)
				return answer
			}
			call(contract.CodeInvalidInput)
			call(contract.CodeInvalidInput)
			assert.Equal(t, (5 * time.Minute).Milliseconds(), call(contract.CodeRetryBudgetExhausted).Outcome.RetryAfterMs)
			time.Sleep(5 * time.Minute)
			call(contract.CodeInvalidInput)
			call(contract.CodeRetryBudgetExhausted)
			r.ran(t) // other arguments have their own count
		})
	}
}

// The rounds of a question count as one call: the round after the answer is not
// refused.
func TestRetryBudget_AsksAboutAReadAfterAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &flaky{}
		n.fails(failNoFunds)
		k := newKit(t, []*contract.Tool{n.reads().ConfirmAlways().MustBuild()})
		read := round{who: alice, tool: "mail.read", arguments: validPay}
		approved := func() *guard.Result {
			t.Helper()
			r, err := k.round(read.with(k.asked(read).State, confirmed))
			require.NoError(t, err)
			return r
		}
		for range 2 {
			refused(t, approved(), "no_funds", contract.ClassRetryable)
		}
		refused(t, k.call(alice, "mail.read", validPay), contract.CodeRetryBudgetExhausted, contract.ClassRetryable)
		time.Sleep(5 * time.Minute)
		n.fails(nil)
		require.Equal(t, contract.StatusOK, approved().Outcome.Status)
	})
}

func TestRetryBudget_ManagedReadIsRefusedOnlyDuringPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &flaky{}
		n.fails(failNoFunds)
		k := newKit(t, []*contract.Tool{n.reads().Idempotency(byArguments).MustBuild()})
		read := func() *guard.Result { return k.call(alice, "mail.read", validPay) }
		for range 2 {
			refused(t, read(), "no_funds", contract.ClassRetryable)
		}
		n.fails(nil)
		refused(t, read(), contract.CodeRetryBudgetExhausted, contract.ClassRetryable)
		time.Sleep(5 * time.Minute)
		require.Equal(t, contract.StatusOK, read().Outcome.Status)
		require.Equal(t, contract.StatusReplayed, read().Outcome.Status)
	})
}

func TestRetryBudget_ReplicasPauseTogether(t *testing.T) {
	t.Parallel()
	backing := newMemory(t)
	a, b := newReading(t, guard.WithStore(backing), sealing), newReading(t, guard.WithStore(backing), sealing)
	a.ran(t)
	b.ran(t)
	for _, r := range []*reading{a, b} {
		answer := r.read()
		refused(t, answer, contract.CodeRetryBudgetExhausted, contract.ClassRetryable)
		assert.InDelta(t, (5 * time.Minute).Milliseconds(), answer.Outcome.RetryAfterMs, float64(time.Minute.Milliseconds()))
	}
	events := b.events(audit.Terminal)
	assert.Equal(t, "budget", events[1].Stage)
	assert.Equal(t, audit.Deny, events[1].Decision)
}

// After a pause, equal calls at once may all run that began before the first of
// them failed. All later calls are refused.
func TestRetryBudget_ConcurrentReadsBeginOnePause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReading(t)
		r.ran(t)
		r.ran(t)
		time.Sleep(5 * time.Minute)
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() { r.read() })
		}
		group.Wait()
		r.waits(t, 5*time.Minute)
		time.Sleep(5 * time.Minute)
		r.ran(t)
	})
}

func TestRetryBudget_OutageRefusesNoRead(t *testing.T) {
	t.Parallel()
	for _, at := range []int{0, 1} { // the failures, the pause
		synctest.Test(t, func(t *testing.T) {
			backing := newFaulty(t)
			r := newReading(t, guard.WithStore(backing), sealing)
			r.ran(t)
			r.ran(t)
			backing.FailBefore(faultystore.Max, backing.Count(faultystore.Max)+at, nil)
			r.ran(t)
			time.Sleep(15 * time.Second) // the outage has ended
			refused(t, r.read(), contract.CodeRetryBudgetExhausted, contract.ClassRetryable)
		})
	}
}

func TestRetryBudget_LostPauseCostsOneRetry(t *testing.T) {
	t.Parallel()
	for _, fail := range []func(*faultystore.Store, faultystore.Operation, int, error){(*faultystore.Store).FailBefore,
		(*faultystore.Store).FailAfter} {
		for index := range 3 {
			synctest.Test(t, func(t *testing.T) {
				backing := newFaulty(t)
				r := newReading(t, guard.WithStore(backing), sealing)
				fail(backing, faultystore.Add, index, nil)
				for range 6 {
					r.read()
					time.Sleep(15 * time.Second) // an outage has ended
				}
				assert.LessOrEqual(t, r.runs.Load(), int64(3))
				refused(t, r.read(), contract.CodeRetryBudgetExhausted, contract.ClassRetryable)
			})
		}
	}
}

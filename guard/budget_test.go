package guard_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
)

func TestRetryBudget_EndsRepeatedFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		var fail error
		tool := n.failing("pay.now", func() error { return fail })
		k := newKit(t, []*contract.Tool{tool})
		fail = errNoFunds
		for range guard.DefaultRetries {
			refused(t, k.call(alice, "pay.now", validPay), "no_funds", contract.ClassRetryable)
		}
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
		refused(t, k.call(alice, "pay.now", ` {"pay": {"amount": 1e1}}`), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
		assert.EqualValues(t, guard.DefaultRetries, n.runs.Load(), "an exhausted call does not run")

		refused(t, k.call(alice, "pay.now", `{"pay":{"amount":11}}`), "no_funds", contract.ClassRetryable)
		refused(t, k.call(carol, "pay.now", validPay), "no_funds", contract.ClassRetryable)

		time.Sleep(guard.DefaultRetryWindow)
		refused(t, k.call(alice, "pay.now", validPay), "no_funds", contract.ClassRetryable)
	})
}

func TestRetryBudget_CountsEachCodeSeparately(t *testing.T) {
	t.Parallel()
	n := &counter{}
	var fail error
	k := newKit(t, []*contract.Tool{n.failing("pay.now", func() error { return fail })}, guard.WithRetryBudget(2, time.Hour))
	step := func(err error, code string, class contract.Class) {
		t.Helper()
		fail = err
		refused(t, k.call(alice, "pay.now", validPay), code, class)
	}
	step(errNoFunds, "no_funds", contract.ClassRetryable)
	step(errClosed, "account_closed", contract.ClassFatal)
	step(errNoFunds, "no_funds", contract.ClassRetryable)
	step(errClosed, contract.CodeRetryBudgetExhausted, contract.ClassFatal) // alternating codes does not help
	assert.EqualValues(t, 3, n.runs.Load())
}

func TestRetryBudget_IgnoresDelaysAndResetsOnSuccess(t *testing.T) {
	t.Parallel()
	n := &counter{}
	var fail error
	k := newKit(t, []*contract.Tool{n.failing("pay.now", func() error { return fail })}, guard.WithRetryBudget(2, time.Hour))
	step := func(err error, code string, class contract.Class) {
		t.Helper()
		fail = err
		refused(t, k.call(alice, "pay.now", validPay), code, class)
	}
	for range 5 { // the delay already bounds the retries
		step(errNoFunds.After(time.Second), "no_funds", contract.ClassRetryable)
	}
	step(errNoFunds, "no_funds", contract.ClassRetryable)
	fail = nil
	require.False(t, k.call(alice, "pay.now", validPay).IsError)
	step(errNoFunds, "no_funds", contract.ClassRetryable) // a success has reset the count
	step(errNoFunds, "no_funds", contract.ClassRetryable)
	step(errNoFunds, contract.CodeRetryBudgetExhausted, contract.ClassFatal)
}

func TestRetryBudget_CountsUnreadableArguments(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, guard.WithRetryBudget(1, time.Hour))
	refused(t, k.call(alice, "pay.now", `{`), contract.CodeInvalidInput, contract.ClassRetryable)
	refused(t, k.call(alice, "pay.now", `{`), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
	refused(t, k.call(alice, "pay.now", `{}`), contract.CodeInvalidInput, contract.ClassRetryable)
}

func TestRetryBudget_DoesNotReplaceTheResultOfARun(t *testing.T) {
	t.Parallel()
	n := &counter{}
	entered, release := make(chan struct{}), make(chan struct{})
	tool := n.failing("pay.now", func() error {
		entered <- struct{}{}
		<-release
		return errNoFunds
	})
	k := newKit(t, []*contract.Tool{tool}, guard.WithRetryBudget(1, time.Hour))
	answers := make(chan *guard.Result, 2)
	for range 2 {
		go func() {
			r, _ := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Arguments: []byte(validPay)})
			answers <- r
		}()
		<-entered
	}
	close(release)
	for range 2 {
		refused(t, <-answers, "no_funds", contract.ClassRetryable)
	}
	refused(t, k.call(alice, "pay.now", validPay), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
}

func TestRetryBudget_CountsHandlersThatEndTheGoroutine(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.failing("pay.now", func() error { runtime.Goexit(); return nil })},
		guard.WithRetryBudget(2, time.Hour))
	for range 2 {
		var ended sync.WaitGroup
		ended.Go(func() { k.call(alice, "pay.now", validPay) })
		ended.Wait()
	}
	refused(t, k.call(alice, "pay.now", validPay), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
	assert.EqualValues(t, 2, n.runs.Load())
}

func TestThreat108_NoAnonymousCallerLocksOutAnother(t *testing.T) {
	t.Parallel()
	tool := reader("time.now", func(context.Context) (string, error) { return "", errNoFunds }).Failures(errNoFunds).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for range 3 * guard.DefaultRetries {
		refused(t, k.call(guard.Principal{}, "time.now", ""), "no_funds", contract.ClassRetryable)
		refused(t, k.call(guard.Principal{}, "time.now", `{`), contract.CodeInvalidInput, contract.ClassRetryable)
	}
}

func TestRetryBudget_CanBeDisabledAndRejectsInvalidValues(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.failing("pay.now", func() error { return errNoFunds })}, guard.WithRetryBudget(0, time.Hour))
	for range 3 * guard.DefaultRetries {
		refused(t, k.call(alice, "pay.now", validPay), "no_funds", contract.ClassRetryable)
	}
	_, err := guard.New(guard.WithRetryBudget(0, 0))
	require.NoError(t, err)
	for _, o := range []guard.Option{guard.WithRetryBudget(-1, time.Hour), guard.WithRetryBudget(1, 0)} {
		_, err := guard.New(o)
		assert.Error(t, err)
	}
}

func TestRetryBudget_OfAContractReplacesThatOfTheGuard(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]guard.Option{
		"the guard's default":          nil,
		"a guard with a larger budget": {guard.WithRetryBudget(100, time.Hour)},
		"a guard with none":            {guard.WithRetryBudget(0, 0)},
	} {
		for managed, i := range map[string]contract.Idempotency{"unmanaged": {Mode: idempotency.None}, "managed": byArguments} {
			t.Run(managed+", "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					n := &counter{}
					tool := n.managedPayer("pay.now", i, func(context.Context, payInput) error { return errNoFunds }).RetryBudget(2,
						time.Minute).MustBuild()
					k := newKit(t, []*contract.Tool{tool}, opts...)
					for range 2 {
						refused(t, k.call(alice, "pay.now", validPay), "no_funds", contract.ClassRetryable)
					}
					time.Sleep(time.Minute - time.Millisecond)
					refused(t, k.call(alice, "pay.now", validPay), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
					time.Sleep(time.Millisecond)
					refused(t, k.call(alice, "pay.now", validPay), "no_funds", contract.ClassRetryable)
				})
			})
		}
	}
}

func TestRetryBudget_EachToolHasItsOwn(t *testing.T) {
	t.Parallel()
	n := &counter{}
	fail := func(context.Context, payInput) error { return errNoFunds }
	none := contract.Idempotency{Mode: idempotency.None}
	k := newKit(t, []*contract.Tool{
		n.managedPayer("pay.once", none, fail).RetryBudget(1, time.Hour).MustBuild(),
		n.managedPayer("pay.thrice", none, fail).RetryBudget(3, time.Hour).MustBuild(),
		n.managedPayer("pay.now", none, fail).MustBuild(),
	}, guard.WithRetryBudget(2, time.Hour))
	for tool, failures := range map[string]int{"pay.once": 1, "pay.thrice": 3, "pay.now": 2} {
		for range failures {
			refused(t, k.call(alice, tool, validPay), "no_funds", contract.ClassRetryable)
		}
		refused(t, k.call(alice, tool, validPay), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
	}
}

// The answer of a write is final, so only its text has the time.
func TestRetryBudget_TextHasTheNumberTheTimeAndTheEnd(t *testing.T) {
	t.Parallel()
	for kind, i := range map[string]contract.Idempotency{"unmanaged": {Mode: idempotency.None}, "managed": byArguments} {
		for number, failures := range map[string]int{"once": 1, "3 times": 3} {
			t.Run(kind+" "+number, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					n := &counter{}
					tool := n.managedPayer("pay.now", i, func(context.Context, payInput) error { return errNoFunds }).RetryBudget(failures,
						10*time.Minute).MustBuild()
					k := newKit(t, []*contract.Tool{tool})
					for range failures {
						k.call(alice, "pay.now", validPay)
					}
					time.Sleep(3*time.Minute + time.Millisecond)
					r := k.call(alice, "pay.now", validPay)
					refused(t, r, contract.CodeRetryBudgetExhausted, contract.ClassFatal)
					assert.Zero(t, r.Outcome.RetryAfterMs)
					for _, part := range []string{number, "10m0s", "7m0s"} {
						assert.Contains(t, r.Text, part)
					}
				})
			})
		}
	}
}

// A call that fails before it runs has the same answer as one that ran.
func TestRetryBudget_TextOfUnreadableArgumentsHasTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").RetryBudget(1, 10*time.Minute).MustBuild()})
		refused(t, k.call(alice, "pay.now", `{`), contract.CodeInvalidInput, contract.ClassRetryable)
		time.Sleep(3 * time.Minute)
		r := k.call(alice, "pay.now", `{`)
		refused(t, r, contract.CodeRetryBudgetExhausted, contract.ClassFatal)
		assert.Contains(t, r.Text, "7m0s")
	})
}

// failing builds a medium-risk tool that counts and returns the error of f.
func (n *counter) failing(name string, f func() error) *contract.Tool {
	return contract.New(name, func(context.Context, payInput) (payOutput, error) {
		n.runs.Add(1)
		return payOutput{}, f()
	}).From(writing()).MustBuild()
}

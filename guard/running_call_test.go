package guard_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
)

// delayOf asserts that an equal call runs, and returns the delay of the
// refusal.
func delayOf(t *testing.T, r *guard.Result) time.Duration {
	t.Helper()
	refused(t, r, contract.CodeKeyInProgress, contract.ClassRetryable)
	return time.Duration(r.Outcome.RetryAfterMs) * time.Millisecond
}

// slowly returns a function for a handler that takes this long.
func slowly(takes time.Duration) func(context.Context, payInput) error {
	return func(context.Context, payInput) error {
		time.Sleep(takes)
		return nil
	}
}

func TestRunning_RepeatedCallNeedsNoConcurrencySlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k, store := onFaulty(t, n.managedPayer("pay.now", byClientKey, slowly(time.Minute)).MaxConcurrent(1).MustBuild())
		go k.callKeyed(alice, "pay.now", validPay, "k1")
		synctest.Wait()
		assert.Positive(t, delayOf(t, k.callKeyed(alice, "pay.now", validPay, "k1")))
		refused(t, k.callKeyed(alice, "pay.now", validPay, "k2"), contract.CodeUnavailable, contract.ClassRetryable)

		store.FailBefore(faultystore.Get, faultystore.Every, nil)
		r := k.callKeyed(alice, "pay.now", validPay, "k1")
		refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
		assert.Contains(t, r.Text, "too many calls")
		time.Sleep(time.Hour)
		assert.EqualValues(t, 1, n.runs.Load())
		for _, e := range k.events(audit.Terminal)[:3] {
			assert.Equal(t, "reserve", e.Stage)
			assert.Equal(t, audit.Deny, e.Decision)
		}
	})
}

func TestRunning_DelayOfFullSlotsFollowsFromTheTimeLimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limit time.Duration
		slots int
		want  time.Duration
	}{
		"one slot of a long tool":    {2 * time.Minute, 1, time.Minute},
		"three slots of a long tool": {2 * time.Minute, 3, 20 * time.Second},
		"a quick tool":               {500 * time.Millisecond, 1, time.Second},
		"no time limit":              {0, 1, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				b := n.managedPayer("pay.now", byClientKey, slowly(400*time.Millisecond)).MaxConcurrent(test.slots)
				if test.limit > 0 {
					b = b.Timeout(test.limit)
				}
				k := newKit(t, []*contract.Tool{b.MustBuild()})
				for i := range test.slots {
					go k.callKeyed(alice, "pay.now", validPay, fmt.Sprint(i))
				}
				synctest.Wait()
				r := k.callKeyed(alice, "pay.now", validPay, "late")
				refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
				assert.Equal(t, test.want.Milliseconds(), r.Outcome.RetryAfterMs)
				time.Sleep(time.Minute)
			})
		})
	}
}

func TestRunning_DelayIsAShareOfTheUsualTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, slowly(40*time.Second)).MustBuild()})
		go k.callKeyed(alice, "pay.now", validPay, "k1")
		synctest.Wait()
		again := func(key string) time.Duration { return delayOf(t, k.callKeyed(alice, "pay.now", validPay, key)) }
		assert.Equal(t, 500*time.Millisecond, again("k1"), "nothing is known yet")
		time.Sleep(16 * time.Second)
		assert.Equal(t, 4*time.Second, again("k1"), "it has run for 16 seconds")
		time.Sleep(time.Minute)

		go k.callKeyed(alice, "pay.now", validPay, "k2")
		synctest.Wait()
		assert.Equal(t, 10*time.Second, again("k2"), "the call before took 40 seconds")
		time.Sleep(time.Minute)
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestRunning_DelayOfALongCallGrows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, slowly(3*time.Minute)).MustBuild()})
		go k.call(alice, "pay.now", validPay)
		synctest.Wait()
		asked := 0
		for r := k.call(alice, "pay.now", validPay); r.IsError; r = k.call(alice, "pay.now", validPay) {
			delay := delayOf(t, r)
			assert.LessOrEqual(t, delay, guard.DefaultLease, "a crash shows when the lease is over")
			time.Sleep(delay)
			asked++
		}
		assert.Less(t, asked, 30)
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestRunning_DelayAfterACrashIsTheRestOfTheLease(t *testing.T) {
	t.Parallel()
	for _, asks := range []bool{false, true} { // the record is found by the claim, or before the question
		synctest.Test(t, func(t *testing.T) {
			n := &counter{}
			pay := n.managedPayer("pay.now", refusing(byArguments), slowly(time.Hour))
			k, store := onFaulty(t, pay.MustBuild())
			store.FailBefore(faultystore.Renew, faultystore.Every, nil)
			go k.call(alice, "pay.now", validPay)
			synctest.Wait()
			if asks {
				asking := n.managedPayer("pay.now", refusing(byArguments), nil).ConfirmAlways().MustBuild()
				k = newKit(t, []*contract.Tool{asking}, guard.WithStore(store), sealing)
			}
			time.Sleep(19 * time.Second)
			delay := delayOf(t, k.call(alice, "pay.now", validPay))
			assert.Equal(t, guard.DefaultLease-19*time.Second, delay)
			time.Sleep(delay - time.Millisecond)
			assert.Equal(t, time.Millisecond, delayOf(t, k.call(alice, "pay.now", validPay)))
			time.Sleep(time.Millisecond)
			refused(t, k.call(alice, "pay.now", validPay), contract.CodeOutcomeUnknown, contract.ClassFatal)
			assert.EqualValues(t, 1, n.runs.Load())
			time.Sleep(time.Hour)
			require.NoError(t, k.guard.Close(t.Context()))
		})
	}
}

// A record that cannot be read does not hide that an equal call runs.
func TestRunning_CallIsKnownWithoutItsRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k, store := onFaulty(t, n.managedPayer("pay.now", byArguments, slowly(time.Minute)).MustBuild(), guard.WithStoreFailOpen())
		go k.call(alice, "pay.now", validPay)
		synctest.Wait()
		time.Sleep(3 * time.Second)
		store.FailBefore(faultystore.Get, faultystore.Every, nil)
		assert.Equal(t, 500*time.Millisecond, delayOf(t, k.call(alice, "pay.now", validPay)))
		time.Sleep(time.Hour)
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

// The option lets calls run only if the store does not answer at all.
func TestFailOpen_CallThatTheStoreRefusedDoesNotRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		tool := n.managedPayer("pay.now", refusing(byClientKey), func(context.Context, payInput) error { panic("unknown") }).MustBuild()
		k, store := onFaulty(t, tool, guard.WithStoreFailOpen())
		refused(t, k.callKeyed(alice, "pay.now", validPay, "k1"), contract.CodeInternalError, contract.ClassFatal)
		store.FailBefore(faultystore.Get, faultystore.Every, nil)
		for _, arguments := range []string{validPay, `{"pay":{"amount":11}}`} {
			refused(t, k.callKeyed(alice, "pay.now", arguments, "k1"), contract.CodeUnavailable, contract.ClassRetryable)
		}
		assert.EqualValues(t, 1, n.runs.Load())
		time.Sleep(time.Hour)
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

package guard_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
)

// A limiterFunc is a function as a Limiter.
type limiterFunc func(context.Context, ...store.Bucket) (time.Duration, error)

func (f limiterFunc) Take(ctx context.Context, buckets ...store.Bucket) (time.Duration, error) {
	return f(ctx, buckets...)
}

func TestRateLimit_UndeclaredLimitHasADefault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild(), n.payer("pay.later").MustBuild()})
		for range guard.DefaultRateCalls {
			require.False(t, k.call(alice, "pay.now", validPay).IsError)
		}
		r := k.call(alice, "pay.now", validPay)
		refused(t, r, contract.CodeRateLimitExceeded, contract.ClassRetryable)
		assert.EqualValues(t, 100, r.Outcome.RetryAfterMs)
		assert.False(t, k.call(alice, "pay.later", validPay).IsError, "another tool")
		assert.False(t, k.call(carol, "pay.now", validPay).IsError, "another principal")
		other := alice
		other.Tenant = "other"
		assert.False(t, k.call(other, "pay.now", validPay).IsError, "the same subject in another tenant")
	})
}

// Invalid calls and replays count. Calls without the permission do not.
func TestRateLimit_CountsInvalidAndReplayedCalls(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).RateLimit(3, time.Hour).MustBuild()})
	for range 5 {
		refused(t, k.call(bob, "pay.now", validPay), contract.CodePermissionDenied, contract.ClassFatal)
	}
	refused(t, k.call(alice, "pay.now", `{}`), contract.CodeInvalidInput, contract.ClassRetryable)
	assert.False(t, k.call(alice, "pay.now", validPay).IsError)
	assert.Equal(t, contract.StatusReplayed, k.call(alice, "pay.now", validPay).Outcome.Status)
	for range 3 { // the retry budget does not count them
		refused(t, k.call(alice, "pay.now", `{}`), contract.CodeRateLimitExceeded, contract.ClassRetryable)
	}
}

// Calls refused by a caller's own limit do not count against the total limit.
func TestRateLimit_OneCallerDoesNotSpendTheTotalLimit(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").RateLimit(2, time.Hour).TotalRateLimit(3, time.Hour).MustBuild()})
	for i := range 10 {
		assert.Equal(t, i >= 2, k.call(alice, "pay.now", validPay).IsError)
	}
	assert.False(t, k.call(carol, "pay.now", validPay).IsError)
	refused(t, k.call(carol, "pay.now", validPay), contract.CodeRateLimitExceeded, contract.ClassRetryable)
	dora := guard.Principal{Subject: "dora", Permissions: alice.Permissions}
	refused(t, k.call(dora, "pay.now", validPay), contract.CodeRateLimitExceeded, contract.ClassRetryable)
}

func TestRateLimit_FailedLimiterRunsNothing(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]limiterFunc{
		"fails":  func(context.Context, ...store.Bucket) (time.Duration, error) { return 0, errors.New("down") },
		"panics": func(context.Context, ...store.Bucket) (time.Duration, error) { panic("down") },
		"does not return": func(ctx context.Context, _ ...store.Bucket) (time.Duration, error) {
			<-ctx.Done()
			return 0, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, guard.WithLimiter(l))
				r := k.call(alice, "pay.now", validPay)
				refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
				assert.Positive(t, r.Outcome.RetryAfterMs)
				assert.Zero(t, n.runs.Load())
			})
		})
	}
}

// Buckets are equal on every replica and do not reveal principals.
func TestRateLimit_BucketsHoldTheClauseAndNoPrincipal(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen [][]store.Bucket
	l := limiterFunc(func(_ context.Context, buckets ...store.Bucket) (time.Duration, error) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, buckets)
		return 0, nil
	})
	n := &counter{}
	tools := []*contract.Tool{n.payer("pay.now").RateLimit(2, time.Minute).TotalRateLimit(30, time.Hour).MustBuild(),
		n.payer("pay.later").MustBuild()}
	for range 2 {
		k := newKit(t, tools, guard.WithLimiter(l), guard.WithRateLimit(7, time.Second))
		k.call(alice, "pay.now", validPay)
		k.call(carol, "pay.now", validPay)
		k.call(alice, "pay.later", validPay)
	}
	require.Len(t, seen, 6)
	assert.Equal(t, seen[:3], seen[3:], "another replica")
	assert.Equal(t, 2, seen[0][0].Calls)
	assert.Equal(t, time.Minute, seen[0][0].Per)
	assert.Equal(t, 30, seen[0][1].Calls)
	assert.Equal(t, time.Hour, seen[0][1].Per)
	assert.Equal(t, seen[0][1], seen[1][1], "all callers share one bucket")
	assert.NotEqual(t, seen[0][0], seen[1][0])
	require.Len(t, seen[2], 1)
	assert.Equal(t, 7, seen[2][0].Calls)
	for _, buckets := range seen {
		for _, b := range buckets {
			assert.NotContains(t, b.Name, "alice")
			assert.NotContains(t, b.Name, "carol")
		}
	}
}

func TestRateLimit_InvalidOptionsAreErrors(t *testing.T) {
	t.Parallel()
	for _, o := range []guard.Option{guard.WithRateLimit(0, time.Second), guard.WithRateLimit(-1, time.Second),
		guard.WithRateLimit(1, 0), guard.WithLimiter(nil)} {
		_, err := guard.New(o)
		require.Error(t, err)
	}
}

package guard_test

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
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

// A spending store counts its Spend operations.
type spending struct {
	*store.Memory
	spent atomic.Int64
}

func (s *spending) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	s.spent.Add(1)
	return s.Memory.Spend(ctx, n, by)
}

// A state holds a credit, and the store records whether it is spent. The store
// is queried for at most ten rounds per charged call.
func TestRateLimit_FloodOfOneStateReachesTheStoreTenTimes(t *testing.T) {
	t.Parallel()
	n, s := &counter{}, &spending{Memory: newMemory(t)}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").RateLimit(1, time.Hour).MustBuild()}, guard.WithStore(s))
	flood := payNow.with(k.asked(payNow).State, confirmed)
	flood.arguments = `not JSON`
	for i := range 100 {
		r, err := k.round(flood)
		require.NoError(t, err)
		if i > 0 {
			refused(t, r, contract.CodeRateLimitExceeded, contract.ClassRetryable)
		}
	}
	assert.EqualValues(t, 10, s.spent.Load())
}

// A usual step-up is charged once. It takes several rounds: one that opens the
// page, and more until the person has authenticated.
func TestRateLimit_StepUpIsChargedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").ConfirmAlways().RateLimit(1, 24*time.Hour).MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		answer := payNow.with(k.urlRound(payNow).State, confirmed)
		answer.answerKey = people.ConfirmKey
		q := sent(t, k.urlRound(answer))
		for range 3 {
			q = sent(t, k.urlRound(payNow.opened(q.State, accepted)))
		}
		require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
		r := k.urlRound(payNow.opened(q.State, accepted))
		require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
		refused(t, k.urlRound(payNow), contract.CodeRateLimitExceeded, contract.ClassRetryable)
	})
}

// A round without a valid answer does not wait and earns no credit.
func TestRateLimit_RoundThatDoesNotWaitEarnsNoCredit(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").RateLimit(1, 24*time.Hour).MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	q := sent(t, k.urlRound(payNow))
	again := sent(t, k.urlRound(payNow.opened(q.State, `{}`)))
	refused(t, k.urlRound(payNow.opened(again.State, accepted)), contract.CodeRateLimitExceeded, contract.ClassRetryable)
}

// The terms of a question are known only after the limit is checked, so a
// question of weaker terms earns credit like any other.
func TestRateLimit_QuestionOfWeakerTermsEarnsCredit(t *testing.T) {
	t.Parallel()
	n := &counter{}
	weaker := contract.Resolution{Effect: risk.HighRiskWrite, Risk: risk.High}
	tool := n.grave("pay.now").RateLimit(1, time.Hour).Resolve(contract.Least(weaker), byAmount(weaker)).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	call := payNow
	call.arguments = weakPay
	r, err := k.round(call.with(k.asked(call).State, confirmed))
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
}

func TestRateLimit_AliasesAndToolsetsShareOneLimit(t *testing.T) {
	t.Parallel()
	n := &counter{}
	build := func() *contract.Tool {
		return n.payer("pay.now").Aliases("pay.old", "pay.older").RateLimit(2, time.Hour).MustBuild()
	}
	k := newKit(t, []*contract.Tool{build()})
	second, err := k.guard.Protect(build())
	require.NoError(t, err)
	for _, name := range []string{"pay.now", "pay.old", "pay.older"} {
		for _, set := range []*guard.Toolset{k.set, second} {
			_, err := set.Call(as(t.Context(), alice), guard.Request{Tool: name, Arguments: json.RawMessage(validPay), Server: name})
			require.NoError(t, err)
		}
	}
	assert.EqualValues(t, 2, n.runs.Load())
}

// The built-in limiter is called without a concurrency slot. Slots bound only
// the calls of a slow limiter, so a flood makes no call unavailable here.
func TestRateLimit_FloodMakesNoCallUnavailable(t *testing.T) {
	t.Parallel()
	const flood = 1500
	n := &counter{}
	var reached atomic.Int64
	goOn := make(chan struct{})
	now := time.Now()
	limiter, err := store.NewMemoryLimiter(store.WithClock(func() time.Time {
		if reached.Load() > 0 {
			<-goOn
		}
		return now
	}))
	require.NoError(t, err)
	k := newKit(t, []*contract.Tool{n.payer("pay.now").RateLimit(10, time.Hour).MustBuild()}, guard.WithLimiter(limiter))
	var group sync.WaitGroup
	var unavailable atomic.Int64
	for range flood {
		group.Go(func() {
			if reached.Add(1) == flood {
				close(goOn)
			}
			if k.call(alice, "pay.now", validPay).Outcome.Code == contract.CodeUnavailable {
				unavailable.Add(1)
			}
		})
	}
	group.Wait()
	assert.Zero(t, unavailable.Load())
	assert.EqualValues(t, 10, n.runs.Load())
}

// Calls of a client that cannot ask do not spend the retries of a client that
// can.
func TestRetryBudget_MissingClientCapabilityIsNotAFailure(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()}, guard.WithRetryBudget(1, time.Hour))
	for range 3 {
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeConfirmationRequired, contract.ClassFatal)
	}
	k.asked(payNow)
}

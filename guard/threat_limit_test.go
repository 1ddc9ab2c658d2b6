package guard_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

func TestThreat31_CallOverTheLimitWaitsAndSkipsTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		s := &spy{Memory: newMemory(t)}
		tool := n.managedPayer("pay.now", byClientKey, nil).RateLimit(2, time.Minute).MustBuild()
		k := newKit(t, []*contract.Tool{tool}, guard.WithStore(s))
		k.callKeyed(alice, "pay.now", validPay, "1")
		k.callKeyed(alice, "pay.now", validPay, "2")
		before := s.asked()
		r := k.callKeyed(alice, "pay.now", validPay, "3")
		refused(t, r, contract.CodeRateLimitExceeded, contract.ClassRetryable)
		assert.EqualValues(t, 30_000, r.Outcome.RetryAfterMs)
		assert.Equal(t, before, s.asked(), "the store was not queried")
		time.Sleep(time.Duration(r.Outcome.RetryAfterMs)*time.Millisecond - time.Nanosecond)
		refused(t, k.callKeyed(alice, "pay.now", validPay, "3"), contract.CodeRateLimitExceeded, contract.ClassRetryable)
		time.Sleep(time.Nanosecond)
		assert.False(t, k.callKeyed(alice, "pay.now", validPay, "3").IsError, "the delay was exact")
		assert.EqualValues(t, 3, n.runs.Load())
		events := k.events(audit.Terminal)
		assert.Equal(t, "admit", events[2].Stage)
		assert.Equal(t, contract.CodeRateLimitExceeded, events[2].Code)
	})
}

func TestThreat32_TenOfAThousandConcurrentCallsRun(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]func(*contract.Builder[payInput, payOutput]) *contract.Builder[payInput, payOutput]{
		"of one principal": func(b *contract.Builder[payInput, payOutput]) *contract.Builder[payInput, payOutput] {
			return b.RateLimit(10, time.Hour)
		},
		"of all callers": func(b *contract.Builder[payInput, payOutput]) *contract.Builder[payInput, payOutput] {
			return b.RateLimit(1, time.Hour).TotalRateLimit(10, time.Hour)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{limit(n.payer("pay.now")).MustBuild()})
			var refusals atomic.Int64
			var callers sync.WaitGroup
			for i := range 1000 {
				who := alice
				if name == "of all callers" {
					who.Subject = string(rune('a'+i%26)) + string(rune('a'+i/26))
				}
				callers.Go(func() {
					if k.call(who, "pay.now", validPay).Outcome.Code == contract.CodeRateLimitExceeded {
						refusals.Add(1)
					}
				})
			}
			callers.Wait()
			assert.EqualValues(t, 10, n.runs.Load())
			assert.EqualValues(t, 990, refusals.Load())
		})
	}
}

func TestThreat35_AnsweredQuestionIsChargedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").RateLimit(1, time.Hour).MustBuild()})
		q := k.asked(payNow)
		r, err := k.round(payNow.with(q.State, confirmed))
		require.NoError(t, err)
		require.False(t, r.IsError, r.Text)
		for range 3 {
			r, err = k.round(payNow.with(q.State, confirmed))
			require.NoError(t, err)
			refused(t, r, contract.CodeRateLimitExceeded, contract.ClassRetryable)
		}
		assert.EqualValues(t, 1, n.runs.Load())
		r, err = k.round(payNow)
		require.NoError(t, err)
		refused(t, r, contract.CodeRateLimitExceeded, contract.ClassRetryable)
	})
}

func TestThreat35_ConcurrentRoundsSpendOneCredit(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").RateLimit(1, time.Hour).MustBuild()})
	q := k.asked(payNow)
	var refusals atomic.Int64
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			r, err := k.round(payNow.with(q.State, confirmed))
			if assert.NoError(t, err) && r.Outcome.Code == contract.CodeRateLimitExceeded {
				refusals.Add(1)
			}
		})
	}
	callers.Wait()
	assert.EqualValues(t, 49, refusals.Load())
	assert.EqualValues(t, 1, n.runs.Load())
}

// A round without an answer earns no credit, so asking the same question again
// cannot bypass the limit. Any answer, even a malformed one, earns it.
func TestThreat35_RoundWithoutAnAnswerEarnsNoCredit(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").RateLimit(1, time.Hour).MustBuild()})
	again := k.asked(payNow.with(k.asked(payNow).State, "")) // spends the credit of the first
	r, err := k.round(payNow.with(again.State, confirmed))
	require.NoError(t, err)
	refused(t, r, contract.CodeRateLimitExceeded, contract.ClassRetryable)

	n = &counter{}
	k = newKit(t, []*contract.Tool{n.asking("pay.now").RateLimit(1, time.Hour).MustBuild()})
	again = k.asked(payNow.with(k.asked(payNow).State, `{"action":"ACCEPT"}`))
	r, err = k.round(payNow.with(again.State, confirmed))
	require.NoError(t, err)
	assert.False(t, r.IsError, r.Text)
}

// A question gives no credit to another principal, and none after it expired.
func TestThreat35_CreditIsBoundToItsPrincipalAndExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").RateLimit(1, 24*time.Hour).MustBuild()})
		mallory := guard.Principal{Issuer: "test", Subject: "mallory", Permissions: alice.Permissions}
		theirs := payNow
		theirs.who = mallory
		k.asked(theirs)
		q := k.asked(payNow)
		r, err := k.round(theirs.with(q.State, confirmed))
		require.NoError(t, err)
		refused(t, r, contract.CodeRateLimitExceeded, contract.ClassRetryable)
		time.Sleep(guard.DefaultQuestionTTL)
		r, err = k.round(payNow.with(q.State, confirmed))
		require.NoError(t, err)
		refused(t, r, contract.CodeRateLimitExceeded, contract.ClassRetryable)
		assert.Zero(t, n.runs.Load())
	})
}

func TestThreat112_OnlySomeClausesCanBeAuditOnly(t *testing.T) {
	t.Parallel()
	for _, clauses := range [][]string{
		{}, {""}, {"validation"}, {"inputSchema"}, {"authentication"}, {"audit"}, {"idempotency"}, {"timeoutMs"}, {"Confirmation"},
		{"permissions", "outputSchema"},
	} {
		_, err := guard.New(guard.WithPrincipal(guard.PrincipalFunc(fromContext)), guard.WithAuditOnly("pay.now", clauses...))
		require.Error(t, err, "%q", clauses)
	}
	_, err := guard.New(guard.WithAuditOnly("", "permissions"))
	require.Error(t, err)

	n := &counter{}
	for name, c := range map[string]struct {
		tool   *contract.Tool
		clause string
	}{
		"a critical tool's confirmation": {n.grave("pay.now").MustBuild(), "confirmation"},
		"a critical tool's permissions":  {n.grave("pay.now").MustBuild(), "permissions"},
		"a critical tool's rate limit":   {n.grave("pay.now").MustBuild(), "rateLimit"},
		"a critical tool that resolves":  {n.resolving("pay.now").MustBuild(), "confirmation"},
		"a forbidden tool's permissions": {n.payer("pay.now").Risk(4 + 2).MustBuild(), "permissions"},
		"no confirmation":                {n.payer("pay.now").MustBuild(), "confirmation"},
		"no dry run":                     {n.payer("pay.now").MustBuild(), "dryRun"},
		"no step-up":                     {n.payer("pay.now").MustBuild(), "stepUp"},
		"a clause of security level 4":   {n.payer("pay.now").SecurityLevel(4).MustBuild(), "permissions"},
		"a clause of security level 8":   {n.payer("pay.now").SecurityLevel(8).MustBuild(), "confirmation"},
		"the step-up of security level 8": {
			n.payer("pay.now").SecurityLevel(8).StepUp(contract.StepUp{ACR: "mfa"}).MustBuild(), "stepUp",
		},
	} {
		g, err := guard.New(guard.WithPrincipal(guard.PrincipalFunc(fromContext)), guard.WithAuditOnly("pay.now", c.clause))
		require.NoError(t, err)
		_, err = g.Protect(c.tool)
		mistakes := contract.DeclarationErrors(err)
		if assert.Len(t, mistakes, 1, name) {
			assert.Equal(t, "protect.auditOnly", mistakes[0].Rule, name)
			assert.Equal(t, c.clause, mistakes[0].Where, name)
			assert.Equal(t, "pay.now", mistakes[0].Tool, name)
		}
		require.NoError(t, g.Close(context.WithoutCancel(t.Context())))
	}
}

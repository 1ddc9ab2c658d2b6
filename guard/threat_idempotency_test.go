package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/store"
)

func TestThreat30_ReplayChecksThePermissionsAgain(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).MustBuild()})
	require.False(t, k.callKeyed(alice, "pay.now", validPay, "k1").IsError)
	revoked := alice
	revoked.Permissions = []string{"mail:read"}
	r := k.callKeyed(revoked, "pay.now", validPay, "k1")
	refused(t, r, contract.CodePermissionDenied, contract.ClassFatal)
	assert.NotContains(t, wire(t, r), "paid")

	// The authorizer is also called again.
	var denied atomic.Bool
	policy := guard.WithAuthorizer(func(context.Context, guard.Action) error {
		if denied.Load() {
			return errors.New("no longer")
		}
		return nil
	})
	k = newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).MustBuild()}, policy)
	require.False(t, k.callKeyed(alice, "pay.now", validPay, "k1").IsError)
	denied.Store(true)
	r = k.callKeyed(alice, "pay.now", validPay, "k1")
	refused(t, r, contract.CodePermissionDenied, contract.ClassFatal)
	assert.NotContains(t, wire(t, r), "paid")
}

func TestThreat72_RepeatedCallRunsOnceAndIsReplayed(t *testing.T) {
	t.Parallel()
	for name, i := range map[string]contract.Idempotency{
		"by all arguments":    byArguments,
		"by the client's key": byClientKey,
		"by a field":          {Mode: idempotency.Managed, KeyFields: []string{"pay"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", i, nil).MustBuild()})
			first := k.callKeyed(alice, "pay.now", validPay, "k1")
			require.Equal(t, contract.StatusOK, first.Outcome.Status)
			second := k.callKeyed(alice, "pay.now", ` { "pay": { "amount" : 10.0 } } `, "k1")
			replayOf(t, first, second)
			assert.JSONEq(t, `{"paid":10}`, string(second.Structured))
			assert.EqualValues(t, 1, n.runs.Load())
			assert.Equal(t, !i.ClientKey, second.Outcome.KeyIgnored)

			events := k.events(audit.Terminal)
			require.Len(t, events, 2)
			assert.Equal(t, audit.Allow, events[0].Decision)
			assert.Equal(t, audit.Replay, events[1].Decision)
			assert.Equal(t, "replayed", events[1].Status)
			assert.NotEmpty(t, events[0].LookupKey)
			assert.Equal(t, events[0].LookupKey, events[1].LookupKey)
			_, err := store.ParseKey(events[0].LookupKey)
			assert.NoError(t, err)
		})
	}
}

func TestThreat73_ConcurrentCallsRunOnce(t *testing.T) {
	t.Parallel()
	n := &counter{}
	started, goOn := make(chan struct{}), make(chan struct{})
	tool := n.managedPayer("pay.now", byClientKey, func(context.Context, payInput) error {
		close(started) // panics if it runs twice
		<-goOn
		return nil
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	var statuses sync.Map
	var others sync.WaitGroup
	first := make(chan *guard.Result)
	go func() { first <- k.callKeyed(alice, "pay.now", validPay, "k1") }()
	<-started
	for range 100 {
		others.Go(func() {
			r := k.callKeyed(alice, "pay.now", validPay, "k1")
			statuses.Store(r.Outcome.Code, r.Outcome.RetryAfterMs > 0)
		})
	}
	others.Wait()
	close(goOn)
	require.Equal(t, contract.StatusOK, (<-first).Outcome.Status)
	statuses.Range(func(code, delayed any) bool {
		assert.Equal(t, contract.CodeKeyInProgress, code)
		assert.Equal(t, true, delayed)
		return true
	})
	assert.Equal(t, contract.StatusReplayed, k.callKeyed(alice, "pay.now", validPay, "k1").Outcome.Status)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestThreat74_KeyWithOtherArgumentsIsAConflict(t *testing.T) {
	t.Parallel()
	n := &counter{}
	started, goOn := make(chan struct{}), make(chan struct{})
	tool := n.managedPayer("pay.now", byClientKey, func(context.Context, payInput) error {
		close(started)
		<-goOn
		return nil
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	done := make(chan *guard.Result)
	go func() { done <- k.callKeyed(alice, "pay.now", validPay, "k1") }()
	<-started
	conflict := func() {
		t.Helper()
		r := k.callKeyed(alice, "pay.now", `{"pay":{"amount":11}}`, "k1")
		refused(t, r, contract.CodeKeyConflict, contract.ClassRetryable)
		assert.NotContains(t, wire(t, r), "paid")
	}
	conflict()
	close(goOn)
	first := <-done
	conflict()
	replayOf(t, first, k.callKeyed(alice, "pay.now", validPay, "k1"))
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestThreat75_KeysBelongToOnePrincipalAndTool(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{
		n.managedPayer("pay.now", byClientKey, nil).MustBuild(), n.managedPayer("pay.later", byClientKey, nil).MustBuild(),
	})
	tenant, issuer, dan := alice, alice, alice
	tenant.Tenant, issuer.Issuer, dan.Subject = "other", "other", "dan"
	for i, p := range []guard.Principal{alice, tenant, issuer, dan} {
		for j, tool := range []string{"pay.now", "pay.later"} {
			r := k.callKeyed(p, tool, validPay, "k1")
			require.Equal(t, contract.StatusOK, r.Outcome.Status)
			require.EqualValues(t, 2*i+j+1, n.runs.Load())
		}
	}
}

func TestThreat82_ExpiryIsExact(t *testing.T) {
	t.Parallel()
	at := newClock()
	n := &counter{}
	hour := byClientKey
	hour.Retention = time.Hour
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", hour, nil).MustBuild()},
		guard.WithStore(newMemory(t, store.WithClock(at.Now))))
	first := k.callKeyed(alice, "pay.now", validPay, "k1")
	at.advance(time.Hour - 1)
	replayOf(t, first, k.callKeyed(alice, "pay.now", validPay, "k1"))
	at.advance(1)
	require.Equal(t, contract.StatusOK, k.callKeyed(alice, "pay.now", `{"pay":{"amount":11}}`, "k1").Outcome.Status)
	assert.EqualValues(t, 2, n.runs.Load())

	for name, retention := range map[string]time.Duration{"negative": -1, "no whole seconds": math.MaxInt64} {
		bad := byClientKey
		bad.Retention = retention
		_, err := n.managedPayer("pay.now", bad, nil).Build()
		var mistake *contract.DeclarationError
		require.ErrorAs(t, err, &mistake, name)
		assert.Equal(t, "idempotency.retention", mistake.Rule)
	}
	// Zero means undeclared and becomes the default.
	assert.Equal(t, 24*time.Hour, n.managedPayer("pay.now", byClientKey,
		nil).MustBuild().Document().Idempotency.Retention)
}

func TestThreat84_EmptyResultIsReplayed(t *testing.T) {
	t.Parallel()
	type list struct {
		Items []string `json:"items"`
		Sure  bool     `json:"sure"`
		Note  string   `json:"note"`
		N     int      `json:"n"`
	}
	twice := func(name string, tool *contract.Tool, n *counter) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{tool})
			first := k.call(alice, "say.it", `{}`)
			require.Equal(t, contract.StatusOK, first.Outcome.Status)
			replayOf(t, first, k.call(alice, "say.it", `{}`))
			assert.EqualValues(t, 1, n.runs.Load())
		})
	}
	tool, n := anything("say.it", "", byArguments)
	twice("an empty text", tool, n)
	tool, n = anything("say.it", struct{}{}, byArguments)
	twice("an empty object", tool, n)
	tool, n = anything("say.it", list{Items: []string{}}, byArguments)
	twice("false, zero, and an empty list", tool, n)
	tool, n = anything("say.it", map[string]int{}, byArguments)
	twice("an empty map", tool, n)
	tool, n = anything("say.it", "null", byArguments)
	twice("a text that looks like null", tool, n)
}

func TestThreat86_FailuresAreReleasedReplayedOrUnknown(t *testing.T) {
	t.Parallel()
	spent := contract.Retryable("spent", "Money may have moved.").EffectPossible()
	done := contract.Fatal("done", "Money may have moved.").EffectPossible()
	for _, c := range []struct {
		name       string
		fails      error
		panics     bool
		then       string // the code of the repeated call
		thenStatus contract.Status
	}{
		{name: "a retryable failure without effect", fails: errNoFunds, thenStatus: contract.StatusError, then: errNoFunds.Code()},
		{name: "a fatal failure", fails: errClosed, thenStatus: contract.StatusReplayed, then: errClosed.Code()},
		{name: "a fatal failure with an effect", fails: done, thenStatus: contract.StatusReplayed, then: done.Code()},
		{name: "a retryable failure with an effect", fails: spent, thenStatus: contract.StatusError, then: contract.CodeOutcomeUnknown},
		{name: "an undeclared error", fails: errSecret, thenStatus: contract.StatusError, then: contract.CodeOutcomeUnknown},
		{name: "the context's own error", fails: context.Canceled, thenStatus: contract.StatusError, then: contract.CodeOutcomeUnknown},
		{name: "a panic", panics: true, thenStatus: contract.StatusError, then: contract.CodeOutcomeUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			tool := n.managedPayer("pay.now", refusing(byArguments), func(context.Context, payInput) error {
				if c.panics {
					panic("at the disco")
				}
				return c.fails
			}).Failures(errNoFunds, errClosed, spent, done).MustBuild()
			k := newKit(t, []*contract.Tool{tool}, guard.WithRetryBudget(0, 0))
			first := k.call(alice, "pay.now", validPay)
			require.True(t, first.IsError)
			second := k.call(alice, "pay.now", validPay)
			assert.Equal(t, c.thenStatus, second.Outcome.Status)
			assert.Equal(t, c.then, second.Outcome.Code)
			if c.thenStatus == contract.StatusReplayed {
				replayOf(t, first, second)
			}
			wantRuns := 1
			if errors.Is(c.fails, errNoFunds) {
				wantRuns = 2
			}
			assert.EqualValues(t, wantRuns, n.runs.Load())
		})
	}
}

func TestThreat103_FreshKeyOnEveryRetryIsIgnored(t *testing.T) {
	t.Parallel()
	for name, i := range map[string]contract.Idempotency{
		"declared key fields": {Mode: idempotency.Managed, KeyFields: []string{"pay"}},
		"all arguments":       byArguments,
	} {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", i, nil).MustBuild()})
		for retry := range 10 {
			r := k.callKeyed(alice, "pay.now", validPay, fmt.Sprint("fresh ", retry))
			require.False(t, r.IsError, name)
			assert.True(t, r.Outcome.KeyIgnored, name)
		}
		assert.EqualValues(t, 1, n.runs.Load(), name)
	}
}

func TestThreat105_ClientThatHangsUpDoesNotEndAManagedCall(t *testing.T) {
	t.Parallel()
	n := &counter{}
	started, goOn := make(chan struct{}), make(chan struct{})
	tool := n.managedPayer("pay.now", refusing(byClientKey), func(ctx context.Context, _ payInput) error {
		close(started)
		<-goOn
		return ctx.Err()
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	ctx, hangUp := context.WithCancel(as(t.Context(), alice))
	key := "k1"
	done := make(chan *guard.Result)
	go func() {
		r, _ := k.set.Call(ctx, guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay), IdempotencyKey: &key})
		done <- r
	}()
	<-started
	hangUp()
	close(goOn)
	first := <-done
	require.Equal(t, contract.StatusOK, first.Outcome.Status)
	replayOf(t, first, k.callKeyed(alice, "pay.now", validPay, "k1"))
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestThreat109_FloodOfNewKeysRunsNothingTwice(t *testing.T) {
	t.Parallel()
	n := &counter{}
	memory := newMemory(t, store.WithMaxEntries(50), store.WithMaxBytes(10_000))
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).MustBuild()}, guard.WithStore(memory))
	require.False(t, k.callKeyed(alice, "pay.now", validPay, "victim").IsError)
	flood := alice
	flood.Subject = "flood"
	ran, full := int64(1), 0
	for i := range 500 {
		r := k.callKeyed(flood, "pay.now", validPay, fmt.Sprint(i))
		if r.IsError {
			refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
			full++
			continue
		}
		ran++
	}
	assert.Positive(t, full)
	assert.Equal(t, ran, n.runs.Load())
	for i := range 500 {
		r := k.callKeyed(flood, "pay.now", validPay, fmt.Sprint(i))
		assert.NotEqual(t, contract.StatusOK, r.Outcome.Status)
	}
	r := k.callKeyed(alice, "pay.now", validPay, "victim")
	assert.True(t, r.Outcome.Status == contract.StatusReplayed || r.Outcome.Code == contract.CodeAlreadyDone, r.Text)
	assert.Equal(t, ran, n.runs.Load(), "something ran twice")
}

func TestManaged_ClientKeyIsPrintableASCII(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).MustBuild()}, guard.WithRetryBudget(0, 0))
	for name, key := range map[string]string{
		"empty": "", "too long": strings.Repeat("k", 256), "a line break": "a\nb", "DEL": "a\x7f", "not ASCII": "schlüssel",
		"NUL": "\x00",
	} {
		r := k.callKeyed(alice, "pay.now", validPay, key)
		refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
		require.Len(t, r.Outcome.Violations, 1, name)
		assert.Equal(t, "idempotencyKey", r.Outcome.Violations[0].Rule, name)
	}
	assert.Zero(t, n.runs.Load())
	require.False(t, k.callKeyed(alice, "pay.now", validPay, strings.Repeat("~", 255)).IsError)
	require.False(t, k.callKeyed(alice, "pay.now", validPay, " ").IsError)
	// Without a client key, the key is derived from all arguments. It differs
	// from every client key.
	require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
	require.Equal(t, contract.StatusReplayed, k.call(alice, "pay.now", validPay).Outcome.Status)
	assert.EqualValues(t, 3, n.runs.Load())
}

func TestManaged_AnonymousCallerIsRefused(t *testing.T) {
	t.Parallel()
	tool, n := anything("say.it", "yes", byArguments)
	k := newKit(t, []*contract.Tool{tool})
	refused(t, k.call(guard.Principal{}, "say.it", `{}`), contract.CodeUnauthenticated, contract.ClassFatal)
	assert.Zero(t, n.runs.Load())
}

package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

// upTo allows amounts of at most 10.
func upTo(_ context.Context, _ contract.Principal, in payInput) error {
	if in.Pay.Amount > 10 {
		return errSecret
	}
	return nil
}

const foreignPay = `{"pay":{"amount":11}}`

func denies(t *testing.T, n *counter, r *guard.Result) {
	t.Helper()
	refused(t, r, contract.CodePermissionDenied, contract.ClassFatal)
	assert.Empty(t, r.Outcome.MissingPermissions)
	assert.NotContains(t, r.Text, "pq:")
	assert.Zero(t, n.runs.Load())
}

func TestObjectAuthorization_DecidesByPrincipalAndArguments(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.payer("pay.now").Authorize(func(_ context.Context, p contract.Principal, in payInput) error {
		if p.Subject == "carol" {
			return nil
		}
		return upTo(t.Context(), p, in)
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	denies(t, n, k.call(alice, "pay.now", foreignPay))
	refused(t, k.call(guard.Principal{}, "pay.now", validPay), contract.CodeUnauthenticated, contract.ClassFatal)
	require.False(t, k.call(alice, "pay.now", validPay).IsError)
	require.False(t, k.call(carol, "pay.now", foreignPay).IsError)

	events := k.events(audit.Terminal)
	assert.Equal(t, "authorize", events[0].Stage)
	assert.Equal(t, errSecret.Error(), events[0].Error, "the log holds the reason")
}

// Without permissions the function still never sees an anonymous caller.
func TestObjectAuthorization_NeedsAPrincipal(t *testing.T) {
	t.Parallel()
	tool := reader("time.now", func(context.Context) (string, error) { return "", nil }).
		Authorize(func(context.Context, contract.Principal, empty) error { return nil }).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	refused(t, k.call(guard.Principal{}, "time.now", ""), contract.CodeUnauthenticated, contract.ClassFatal)
	assert.False(t, k.set.Visible(t.Context())["time.now"])
	require.False(t, k.call(bob, "time.now", "").IsError)

	g, err := guard.New()
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	_, err = g.Protect(tool)
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 1)
	assert.Equal(t, "protect.principal", mistakes[0].Rule)
}

func TestObjectAuthorization_FailsClosed(t *testing.T) {
	t.Parallel()
	for name, decide := range map[string]func(context.Context) error{
		"a denial":            func(context.Context) error { return errSecret },
		"a panic":             func(context.Context) error { panic("pq: boom") },
		"the goroutine's end": func(context.Context) error { runtime.Goexit(); return nil },
		"no answer in time":   func(ctx context.Context) error { <-ctx.Done(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				tool := n.payer("pay.now").Authorize(func(ctx context.Context, _ contract.Principal, _ payInput) error { return decide(ctx) })
				k := newKit(t, []*contract.Tool{tool.MustBuild()})
				denies(t, n, k.call(alice, "pay.now", validPay))
				require.NoError(t, k.guard.Close(t.Context()))
			})
		})
	}
}

// If the answer cannot be found now, the caller may try again.
func TestAuthorize_SourceThatIsDownAnswersUnavailable(t *testing.T) {
	t.Parallel()
	down := fmt.Errorf("%w: %w", errSecret, guard.ErrUnavailable)
	n := &counter{}
	byTool := newKit(t, []*contract.Tool{n.payer("pay.now").Authorize(func(context.Context, contract.Principal,
		payInput) error {
		return down
	}).MustBuild()})
	byServer := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, guard.WithAuthorizer(func(context.Context,
		guard.Action) error {
		return down
	}))
	for _, k := range []*kit{byTool, byServer} {
		r := k.call(alice, "pay.now", validPay)
		refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
		assert.NotContains(t, r.Text, "pq:")
		assert.Zero(t, n.runs.Load())
	}
}

func TestObjectAuthorization_AndThePolicyOfTheServerMustBothAllow(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	n := &counter{}
	tool := n.payer("pay.now").Authorize(func(context.Context, contract.Principal,
		payInput) error {
		asked.Add(1)
		return nil
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithAuthorizer(func(context.Context,
		guard.Action) error {
		return errors.New("no")
	}))
	denies(t, n, k.call(alice, "pay.now", validPay))
	refused(t, k.call(bob, "pay.now", validPay), contract.CodePermissionDenied, contract.ClassFatal) // lacks a permission
	assert.Zero(t, asked.Load())
}

func TestObjectAuthorization_HoldsForDryRunsAndBeforeQuestions(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.tryable("pay.now").Authorize(upTo).ConfirmAlways().MustBuild()})
	denies(t, n, k.call(alice, "pay.now", `{"pay":{"amount":11},"dryRun":true}`))
	require.Equal(t, contract.StatusDryRun, k.call(alice, "pay.now", dryPay).Outcome.Status)
	denies(t, n, k.urlRound(round{who: alice, tool: "pay.now", arguments: foreignPay}))
}

// turning returns a function that denies once denied is set.
func turning(denied *atomic.Bool) func(context.Context, contract.Principal, payInput) error {
	return func(context.Context, contract.Principal, payInput) error {
		if denied.Load() {
			return errors.New("no longer")
		}
		return nil
	}
}

func TestThreat134_AccessThatWasLostEndsReplaysAndApprovals(t *testing.T) {
	t.Parallel()
	t.Run("a replay", func(t *testing.T) {
		t.Parallel()
		n, denied := &counter{}, &atomic.Bool{}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).Authorize(turning(denied)).MustBuild()})
		require.False(t, k.callKeyed(alice, "pay.now", validPay, "k1").IsError)
		denied.Store(true)
		r := k.callKeyed(alice, "pay.now", validPay, "k1")
		refused(t, r, contract.CodePermissionDenied, contract.ClassFatal)
		assert.NotContains(t, wire(t, r), "paid")
	})
	t.Run("an approval", func(t *testing.T) {
		t.Parallel()
		n, denied := &counter{}, &atomic.Bool{}
		k, d := approvals(t, n.asking("pay.now").Authorize(turning(denied)).MustBuild())
		waits(t, k.call(alice, "pay.now", validPay))
		q, _ := d.last(t)
		k.decide(q, true)
		denied.Store(true)
		denies(t, n, k.call(alice, "pay.now", validPay))
	})
}

func TestThreat134_AccessThatWasLostWhileAPersonDecided(t *testing.T) {
	t.Parallel()
	n, denied := &counter{}, &atomic.Bool{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").Authorize(turning(denied)).MustBuild()})
	r, err := k.set.Call(as(t.Context(), alice), guard.Request{
		Tool: "pay.now", Arguments: []byte(validPay),
		Client: guard.Client{
			Ask: func(context.Context, people.Question) (json.RawMessage, error) {
				denied.Store(true)
				return json.RawMessage(`{"action":"accept","content":{"confirm":true}}`), nil
			},
		},
	})
	require.NoError(t, err)
	denies(t, n, r)
	events := k.events(audit.Terminal)
	assert.Equal(t, "authorize", events[len(events)-1].Stage)
}

// The function gets copies, so that it cannot change the call.
func TestObjectAuthorization_CannotChangeTheCall(t *testing.T) {
	t.Parallel()
	var got []string
	type in struct {
		To []string `json:"to"`
	}
	tool := contract.New("mail.send", func(ctx context.Context, in in) (empty, error) {
		p, _ := guard.PrincipalFrom(ctx)
		got = slices.Concat(in.To, p.Permissions)
		return empty{}, nil
	}).From(writing()).Authorize(func(ctx context.Context, p contract.Principal, in in) error {
		in.To[0], p.Permissions[0] = "eve", "eve"
		also, _ := guard.PrincipalFrom(ctx)
		also.Permissions[0] = "eve"
		return nil
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	require.False(t, k.call(carol, "mail.send", `{"to":["anna"]}`).IsError)
	assert.Equal(t, []string{"anna", "mail:send"}, got)
}

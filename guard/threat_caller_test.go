package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

func TestThreat26_RefusedCallerLearnsNothingAndIsAudited(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		who  guard.Principal
		code string
	}{
		"anonymous":                        {guard.Principal{}, contract.CodeUnauthenticated},
		"a subject with other permissions": {bob, contract.CodePermissionDenied},
		"a subject with nil permissions":   {guard.Principal{Subject: "dave"}, contract.CodePermissionDenied},
		"a subject with an empty set": {guard.Principal{Subject: "dave", Permissions: []string{}},
			contract.CodePermissionDenied},
		"a subject with an empty permission": {guard.Principal{Subject: "dave", Permissions: []string{""}},
			contract.CodePermissionDenied},
		"permissions without a subject": {guard.Principal{Permissions: []string{"mail:send"}}, contract.CodeUnauthenticated},
		"a permission in another case": {guard.Principal{Subject: "dave", Permissions: []string{"MAIL:SEND"}},
			contract.CodePermissionDenied},
		"permissions with a common prefix": {guard.Principal{Subject: "dave", Permissions: []string{"mail:send:x", "mail"}},
			contract.CodePermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()})
			assert.Empty(t, k.set.Visible(as(t.Context(), c.who)))
			// The arguments are also invalid. The answer must not reveal that.
			r := k.call(c.who, "pay.now", `{"pay":{"amount":"x"}}`)
			refused(t, r, c.code, contract.ClassFatal)
			assert.Empty(t, r.Outcome.Violations)
			assert.Zero(t, n.runs.Load())
			events := k.events(audit.Terminal)
			require.Len(t, events, 1)
			assert.Equal(t, c.code, events[0].Code)
			assert.Equal(t, audit.Deny, events[0].Decision)
			assert.Equal(t, c.who.Subject, events[0].Principal)
			assert.Empty(t, events[0].ArgumentsDigest)
		})
	}
}

func TestVisible_HoldsTheToolsThatTheCallerMayCall(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{
		n.payer("pay.now").MustBuild(),
		reader("time.now", func(context.Context) (string, error) { return "noon", nil }).MustBuild(),
		reader("mail.read", func(context.Context) (string, error) { return "", nil }).Permissions("mail:read").MustBuild(),
		n.payer("keys.read").Risk(risk.Forbidden).MustBuild(),
	})
	assert.Equal(t, map[string]bool{"time.now": true}, k.set.Visible(t.Context()))
	assert.Equal(t, map[string]bool{"time.now": true, "mail.read": true}, k.set.Visible(as(t.Context(), bob)))
	assert.Equal(t, map[string]bool{"time.now": true, "mail.read": true, "pay.now": true}, k.set.Visible(as(t.Context(), alice)))
	assert.Equal(t, map[string]bool{"time.now": true, "pay.now": true, "keys.read": true}, k.set.Visible(as(t.Context(), carol)))
}

func TestVisible_IsTheAnonymousListIfThePrincipalFails(t *testing.T) {
	t.Parallel()
	n := &counter{}
	broken := guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
		return alice, errors.New("down")
	}))
	k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, broken)
	assert.Empty(t, k.set.Visible(t.Context()))
}

func TestAuthenticate_FailsClosed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source guard.PrincipalFunc
		code   string
		class  contract.Class
	}{
		"an error": {func(context.Context) (guard.Principal, error) { return alice, errSecret }, contract.CodeUnauthenticated,
			contract.ClassFatal},
		"an unavailable source": {func(context.Context) (guard.Principal, error) {
			return alice, fmt.Errorf("ldap: %w", guard.ErrUnavailable)
		}, contract.CodeUnavailable, contract.ClassRetryable},
		"a panic": {func(context.Context) (guard.Principal, error) { panic(errSecret) }, contract.CodeUnavailable,
			contract.ClassRetryable},
		"the goroutine's end": {func(context.Context) (guard.Principal, error) { runtime.Goexit(); return alice, nil },
			contract.CodeUnavailable, contract.ClassRetryable},
		"a zero principal": {func(context.Context) (guard.Principal, error) { return guard.Principal{}, nil },
			contract.CodeUnauthenticated, contract.ClassFatal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, guard.WithPrincipal(c.source))
			r := k.call(alice, "pay.now", validPay)
			refused(t, r, c.code, c.class)
			assert.NotContains(t, r.Text, "pq:")
			assert.Equal(t, c.code == contract.CodeUnavailable, r.Outcome.RetryAfterMs > 0)
			assert.Zero(t, n.runs.Load())
		})
	}
}

func TestAuthorize_FailsClosedAndHidesTheReason(t *testing.T) {
	t.Parallel()
	for name, authorizer := range map[string]func(context.Context, guard.Action) error{
		"a denial":            func(context.Context, guard.Action) error { return errSecret },
		"a panic":             func(context.Context, guard.Action) error { panic("pq: boom") },
		"the goroutine's end": func(context.Context, guard.Action) error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, guard.WithAuthorizer(authorizer))
			r := k.call(alice, "pay.now", validPay)
			refused(t, r, contract.CodePermissionDenied, contract.ClassFatal)
			assert.NotContains(t, r.Text, "pq:")
			assert.Zero(t, n.runs.Load())
			events := k.events(audit.Terminal)
			require.Len(t, events, 1)
			assert.NotEmpty(t, events[0].Error, "the log holds the reason")
		})
	}
}

func TestAuthorize_GetsTheCallThatWillRun(t *testing.T) {
	t.Parallel()
	var got guard.Action
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, guard.WithAuthorizer(func(_ context.Context,
		a guard.Action) error {
		got = a
		return nil
	}))
	require.False(t, k.call(alice, "pay.now", ` { "pay" : { "amount" : 1e1 } } `).IsError)
	assert.Equal(t, alice, got.Principal)
	assert.Equal(t, "pay.now", got.Contract.Name)
	assert.Equal(t, json.RawMessage(validPay), got.Arguments)
}

func TestCall_ForbiddenToolAnswersLikeAnUnknownOne(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("keys.read").Risk(risk.Forbidden).MustBuild()})
	for _, who := range []guard.Principal{{}, alice, bob} {
		for _, name := range []string{"keys.read", "keys.write", "", "a\x1b[31m\nb"} {
			r, err := k.set.Call(as(t.Context(), who), guard.Request{Tool: name, Arguments: json.RawMessage(validPay)})
			assert.Nil(t, r)
			assert.Equal(t, guard.ErrUnknownTool, err)
		}
	}
	assert.Zero(t, n.runs.Load())
	// A person may call it, because the level restricts agents. The contract
	// still asks for confirmation.
	refused(t, k.call(carol, "keys.read", validPay), contract.CodeConfirmationRequired, contract.ClassFatal)
	for _, e := range k.events(audit.Terminal)[:12] {
		assert.Equal(t, "unknown_tool", e.Code)
		assert.NotContains(t, e.Tool, "\x1b")
	}
}

func TestCall_AliasRunsAndNamesTheTool(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.payer("pay.now").Aliases("pay.old").Deprecated(contract.Deprecation{Since: "1.0.0",
		ReplacedBy: "pay.later"}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	r := k.call(alice, "pay.old", validPay)
	assert.Equal(t, "pay.now", r.Outcome.UseName)
	assert.Equal(t, &contract.Deprecation{Since: "1.0.0", ReplacedBy: "pay.later"}, r.Outcome.Deprecated)
	assert.Empty(t, k.call(alice, "pay.now", validPay).Outcome.UseName)
	refused(t, k.call(bob, "pay.old", validPay), contract.CodePermissionDenied, contract.ClassFatal)
}

func TestProtect_ReportsEveryMistakeAtOnce(t *testing.T) {
	t.Parallel()
	n := &counter{}
	g, err := guard.New()
	require.NoError(t, err)
	_, err = g.Protect(
		nil,
		reader("time.now", func(context.Context) (string, error) { return "", nil }).Aliases("time.old").MustBuild(),
		reader("time.now", func(context.Context) (string, error) { return "", nil }).MustBuild(),
		reader("time.then", func(context.Context) (string, error) { return "", nil }).Aliases("time.old").MustBuild(),
		n.payer("pay.now").MustBuild(),
	)
	require.NotEmpty(t, contract.DeclarationErrors(err))
	var got []string
	for _, e := range contract.DeclarationErrors(err) {
		got = append(got, e.Rule+" "+e.Tool)
		assert.NotEmpty(t, e.Remedy)
	}
	assert.Equal(t, []string{"protect.nil ", "protect.duplicate time.now", "protect.principal pay.now",
		"protect.duplicate time.then"}, got)
}

func TestNew_RefusesInvalidOptions(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]guard.Option{
		"no option":     nil,
		"no principal":  guard.WithPrincipal(nil),
		"no authorizer": guard.WithAuthorizer(nil),
		"no sink":       guard.WithAudit(nil),
		"nobody":        guard.WithPeople(guard.PeopleOptions{}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := guard.New(o)
			assert.Error(t, err)
		})
	}
}

func TestNew_NoTimeButTheDrainIsNegative(t *testing.T) {
	t.Parallel()
	for field, times := range map[string]guard.Times{
		"QuestionTimeout": {QuestionTimeout: -1}, "QuestionTTL": {QuestionTTL: -1}, "DeclineMemory": {DeclineMemory: -1},
		"DryRunTTL": {DryRunTTL: -1}, "StoreTimeout": {StoreTimeout: -1}, "Lease": {Lease: -1},
	} {
		_, err := guard.New(guard.WithTimes(times))
		assert.EqualError(t, err, "guard: WithTimes: "+field+" is negative; leave it out for its default")
	}
}

func TestNew_NilIsAnErrorWithARemedy(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]guard.Option{
		"WithPrincipal": guard.WithPrincipal(nil), "WithAuthorizer": guard.WithAuthorizer(nil), "WithAudit": guard.WithAudit(nil),
		"WithLogger": guard.WithLogger(nil), "WithLimiter": guard.WithLimiter(nil), "WithStore": guard.WithStore(nil),
	} {
		_, err := guard.New(option)
		require.ErrorContains(t, err, "guard: "+name+": the ")
		assert.Contains(t, err.Error(), " is nil; pass one, ", name)
	}
}

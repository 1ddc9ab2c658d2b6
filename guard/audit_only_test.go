package guard_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

// Without the option, each of these clauses is enforced. With it, the call
// runs, and the log names the broken clause.
func TestAuditOnly_CallRunsAndTheLogNamesTheClause(t *testing.T) {
	t.Parallel()
	for clause, c := range map[string]struct {
		tool func(*counter) *contract.Tool
		who  guard.Principal
		code string
	}{
		"confirmation": {func(n *counter) *contract.Tool { return n.asking("pay.now").MustBuild() }, alice,
			contract.CodeConfirmationRequired},
		"dryRun": {func(n *counter) *contract.Tool { return n.tryFirst("pay.now").MustBuild() }, alice, contract.CodeDryRunRequired},
		"objectAuthorization": {func(n *counter) *contract.Tool {
			return n.payer("pay.now").Authorize(func(context.Context, contract.Principal,
				payInput) error {
				return errors.New("not theirs")
			}).MustBuild()
		}, alice, contract.CodePermissionDenied},
		"permissions": {func(n *counter) *contract.Tool { return n.payer("pay.now").MustBuild() }, bob, contract.CodePermissionDenied},
		"stepUp": {func(n *counter) *contract.Tool {
			return n.payer("pay.now").StepUp(contract.StepUp{ACR: "mfa"}).MustBuild()
		},
			alice, contract.CodeStepUpRequired},
	} {
		t.Run(clause, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			kept := newKit(t, []*contract.Tool{c.tool(n)})
			refused(t, kept.call(c.who, "pay.now", validPay), c.code, kept.class("pay.now", c.code))
			assert.Zero(t, n.runs.Load())

			watched := newKit(t, []*contract.Tool{c.tool(n)}, guard.WithAuditOnly("pay.now", clause), guard.WithAuditOnly("pay.later",
				"permissions"))
			r := watched.call(c.who, "pay.now", validPay)
			require.False(t, r.IsError, r.Text)
			assert.EqualValues(t, 1, n.runs.Load())
			events := watched.events(audit.Terminal)
			require.Len(t, events, 1)
			assert.Equal(t, []string{clause}, events[0].AuditOnly)
			assert.Equal(t, audit.Allow, events[0].Decision)
			assert.Equal(t, clause == "permissions", events[0].Error == "not enforced: missing permissions: mail:send")
		})
	}
}

func TestAuditOnly_RateLimit(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").RateLimit(1, time.Hour).MustBuild()}, guard.WithAuditOnly("pay.now",
		"rateLimit"))
	for range 3 {
		require.False(t, k.call(alice, "pay.now", validPay).IsError)
	}
	events := k.events(audit.Terminal)
	assert.Empty(t, events[0].AuditOnly, "the first call breaks nothing")
	assert.Equal(t, []string{"rateLimit"}, events[1].AuditOnly)
	assert.Equal(t, []string{"rateLimit"}, events[2].AuditOnly)
}

// The other clauses stay enforced. Several broken clauses are named in order.
func TestAuditOnly_OtherClausesStayEnforced(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.tryFirst("pay.now").Effect(risk.HighRiskWrite).StepUp(contract.StepUp{MaxAge: time.Minute}).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithAuditOnly("pay.now", "stepUp", "dryRun", "permissions"),
		guard.WithAuditOnly("pay.now", "confirmation"))
	refused(t, k.call(guard.Principal{}, "pay.now", validPay), contract.CodeUnauthenticated, contract.ClassFatal)
	refused(t, k.call(bob, "pay.now", `{}`), contract.CodeInvalidInput, contract.ClassRetryable)
	assert.Zero(t, n.runs.Load())
	r := k.call(bob, "pay.now", validPay)
	require.False(t, r.IsError, r.Text)
	assert.True(t, k.set.Visible(as(t.Context(), bob))["pay.now"], "a caller that may call it finds it")
	assert.False(t, k.set.Visible(t.Context())["pay.now"])
	for _, kind := range []audit.Kind{audit.Terminal, audit.Intent} {
		events := k.events(kind)
		assert.Equal(t, []string{"confirmation", "dryRun", "permissions", "stepUp"}, events[len(events)-1].AuditOnly)
	}
}

// A call that conforms to an audit-only clause is not recorded as breaking it.
func TestAuditOnly_ConformingCallIsNotRecorded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		tool := n.tryFirst("pay.now").StepUp(contract.StepUp{MaxAge: time.Minute}).MustBuild()
		k := newKit(t, []*contract.Tool{tool}, guard.WithAuditOnly("pay.now", "stepUp", "dryRun", "permissions"))
		fresh := alice
		fresh.AuthTime = time.Now()
		call := payWith(tokenOf(t, k.call(fresh, "pay.now", dryPay)))
		require.False(t, k.call(fresh, "pay.now", call).IsError)
		require.False(t, k.call(fresh, "pay.now", call).IsError, "the spent token only breaks an audit-only clause")
		events := k.events(audit.Terminal)
		assert.Empty(t, events[1].AuditOnly)
		assert.Equal(t, []string{"dryRun"}, events[2].AuditOnly)
	})
}

// class returns the class of a code in a tool's contract.
func (k *kit) class(tool, code string) contract.Class {
	for _, t := range k.set.Tools() {
		for _, m := range t.Document().FailureModes {
			if t.Name() == tool && m.Code == code {
				return m.Class
			}
		}
	}
	return 0
}

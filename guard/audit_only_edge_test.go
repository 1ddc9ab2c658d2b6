package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// During a rollout, a question of a replica that enforces the clause may be
// answered at an audit-only replica. Approving and declining count there, and
// with any other answer the call runs.
func TestAuditOnly_AnswersAQuestionOfAnEnforcingReplica(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		after  time.Duration
		runs   int64
		waived []string
	}{
		"approved":          {answer: confirmed, runs: 1},
		"declined":          {answer: declined},
		"no answer":         {runs: 1, waived: []string{"confirmation"}},
		"malformed answer":  {answer: `{"action":"ACCEPT"}`, runs: 1, waived: []string{"confirmation"}},
		"approved too late": {answer: confirmed, after: guard.DefaultQuestionTTL, runs: 1, waived: []string{"confirmation"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, shared := &counter{}, guard.WithStore(newMemory(t))
				tools := []*contract.Tool{n.asking("pay.now").MustBuild()}
				keeps, watches := newKit(t, tools, shared, sealing), newKit(t, tools, shared, sealing, guard.WithAuditOnly("pay.now",
					"confirmation"))
				q := keeps.asked(payNow)
				time.Sleep(c.after)
				r, err := watches.round(payNow.with(q.State, c.answer))
				require.NoError(t, err)
				assert.Nil(t, r.Question)
				assert.Equal(t, c.runs == 0, r.IsError, r.Text)
				assert.Equal(t, c.runs, n.runs.Load())
				events := watches.events(audit.Terminal)
				require.Len(t, events, 1)
				assert.Equal(t, c.waived, events[0].AuditOnly)
			})
		})
	}
}

// An approval from a replica that enforces the clause satisfies the clause at
// an audit-only replica. It still allows one execution.
func TestAuditOnly_ApprovalFromAnEnforcingReplicaRunsOnce(t *testing.T) {
	t.Parallel()
	n, p, shared := &counter{}, &page{}, guard.WithStore(newMemory(t))
	tools := []*contract.Tool{n.steppingUp("pay.now").ConfirmAlways().MustBuild()}
	keeps := newKit(t, tools, shared, sealing, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	watches := newKit(t, tools, shared, sealing, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}),
		guard.WithAuditOnly("pay.now", "confirmation"))
	answer := payNow.with(keeps.urlRound(payNow).State, confirmed)
	answer.answerKey = people.ConfirmKey
	up := sent(t, keeps.urlRound(answer))
	require.NoError(t, keeps.guard.People().CompleteStepUp(t.Context(), up.Question.ID, strong(alice)))
	require.Equal(t, contract.StatusOK, watches.urlRound(payNow.opened(up.State, accepted)).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, keeps.urlRound(payNow.opened(up.State, accepted)).Outcome.Status)
	assert.EqualValues(t, 1, n.runs.Load())
	assert.Empty(t, watches.events(audit.Terminal)[0].AuditOnly)
}

// An audit-only clause is audit-only in every round, including those of a
// step-up, for each kind of client. The log names the clause in every round.
func TestAuditOnly_ConfirmationIsAuditOnlyInEveryRound(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(*kit, round) *guard.Result{
		"a client that shows forms": func(k *kit, r round) *guard.Result { return k.urlRound(r) },
		"a client that only opens addresses": func(k *kit, r round) *guard.Result {
			return k.pageRound(r, answers{r.answerKey: r.answer})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, p := &counter{}, &page{}
			tool := n.steppingUp("pay.now").ConfirmAlways().MustBuild()
			k, d := approvals(t, tool, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}), guard.WithAuditOnly("pay.now",
				"confirmation"), guard.WithPeople(guard.PeopleOptions{ApproverFrom: risk.Medium}))
			up := sent(t, call(k, payNow))
			require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), up.Question.ID, strong(alice)))
			require.Equal(t, contract.StatusOK, call(k, payNow.opened(up.State, accepted)).Outcome.Status)
			assert.EqualValues(t, 1, n.runs.Load())
			assert.Empty(t, d.asked)
			events := append(k.events(audit.Terminal), k.log.Events(audit.Asked)...)
			require.Len(t, events, 2)
			for _, e := range events {
				assert.Equal(t, []string{"confirmation"}, e.AuditOnly)
			}
		})
	}
}

// A security level has two clauses. One of them must stay enforced for every
// call.
func TestAuditOnly_OneClauseOfASecurityLevelStaysEnforced(t *testing.T) {
	t.Parallel()
	n := &counter{}
	level := func() *contract.Builder[payInput, payOutput] {
		return n.payer("pay.now").SecurityLevel(8).StepUp(demand)
	}
	always := level().ConfirmAlways().MustBuild()
	sometimes := level().ConfirmWhen(func(payInput) bool { return false }).MustBuild()
	resolved := level().ConfirmAlways().Resolve(contract.Least{Confirmation: contract.ConfirmationNever},
		func(payInput) contract.Resolution { return contract.Resolution{} }).MustBuild()
	resolvedRisk := level().ConfirmAlways().Risk(risk.High).Resolve(contract.Least{Risk: risk.Medium},
		func(payInput) contract.Resolution { return contract.Resolution{} }).MustBuild()
	for name, c := range map[string]struct {
		tool    *contract.Tool
		watched []string
		refused []string
	}{
		"step-up, always confirmed":         {always, []string{"stepUp"}, nil},
		"confirmation, always step-up":      {always, []string{"confirmation"}, nil},
		"both":                              {always, []string{"confirmation", "stepUp"}, []string{"confirmation"}},
		"step-up, sometimes confirmed":      {sometimes, []string{"stepUp"}, []string{"stepUp"}},
		"confirmation, sometimes confirmed": {sometimes, []string{"confirmation"}, nil},
		"step-up, confirmation resolved":    {resolved, []string{"stepUp"}, []string{"stepUp"}},
		"step-up, only the risk resolved":   {resolvedRisk, []string{"stepUp"}, nil},
		"both, confirmation resolved":       {resolved, []string{"confirmation", "stepUp"}, []string{"confirmation", "stepUp"}},
	} {
		g, err := guard.New(guard.WithPrincipal(guard.PrincipalFunc(fromContext)), guard.WithAuditOnly("pay.now", c.watched...))
		require.NoError(t, err)
		_, err = g.Protect(c.tool)
		var refused []string
		for _, mistake := range contract.DeclarationErrors(err) {
			assert.Equal(t, "protect.auditOnly", mistake.Rule, name)
			refused = append(refused, mistake.Where)
		}
		assert.Equal(t, c.refused, refused, name)
		require.NoError(t, g.Close(t.Context()))
	}
}

// An alias is an error, because the clause would stay enforced.
func TestAuditOnly_NeedsTheNameOfTheTool(t *testing.T) {
	t.Parallel()
	n := &counter{}
	g, err := guard.New(guard.WithPrincipal(guard.PrincipalFunc(fromContext)), guard.WithAuditOnly("pay.old", "permissions"))
	require.NoError(t, err)
	_, err = g.Protect(n.payer("pay.now").Aliases("pay.old").MustBuild())
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 1)
	assert.Equal(t, []string{"protect.auditOnly", "pay.now", "aliases"}, []string{mistakes[0].Rule, mistakes[0].Tool,
		mistakes[0].Where})
	require.NoError(t, g.Close(t.Context()))
}

// An unknown name is no error, because the tool may belong to another server of
// the guard, or may be added later. The guard warns of it once.
func TestAuditOnly_WarnsOfTheNameOfAnUnknownTool(t *testing.T) {
	t.Parallel()
	n, log := &counter{}, &serverLog{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild(), n.payer("pay.later").MustBuild()}, log.option(),
		guard.WithAuditOnly("pay.nwo", "permissions"), guard.WithAuditOnly("pay.later", "permissions"))
	refused(t, k.call(bob, "pay.now", validPay), contract.CodePermissionDenied, contract.ClassFatal)
	assert.Empty(t, k.events(audit.Terminal)[0].AuditOnly)
	_, err := k.guard.Protect(n.payer("pay.other").MustBuild())
	require.NoError(t, err)
	lines := log.lines(t)
	require.Len(t, lines, 1, "pay.later was known to the first toolset")
	assert.Equal(t, "WARN", lines[0].Level)
	assert.Equal(t, "pay.nwo", lines[0].Tool)
	assert.Contains(t, lines[0].Msg, "guard.WithAuditOnly")
	assert.Contains(t, lines[0].Remedy, `"pay.now"`)
}

// A gateway begins without a tool, and its tools come later.
func TestAuditOnly_DoesNotWarnBeforeThereIsATool(t *testing.T) {
	t.Parallel()
	n, log := &counter{}, &serverLog{}
	k := newKit(t, nil, log.option(), guard.WithAuditOnly("pay.now", "permissions"))
	_, err := k.guard.Protect(n.payer("pay.now").MustBuild())
	require.NoError(t, err)
	assert.Empty(t, log.lines(t))
}

// The clause rateLimit is the limit of one caller. The total limit stays
// enforced.
func TestAuditOnly_TotalRateLimitStaysEnforced(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").RateLimit(1, time.Hour).TotalRateLimit(2, time.Hour).MustBuild()},
		guard.WithAuditOnly("pay.now", "rateLimit"))
	for range 2 {
		require.False(t, k.call(alice, "pay.now", validPay).IsError)
	}
	for _, who := range []guard.Principal{alice, carol} {
		refused(t, k.call(who, "pay.now", validPay), contract.CodeRateLimitExceeded, contract.ClassRetryable)
	}
	assert.EqualValues(t, 2, n.runs.Load())
}

// If the limiter fails, a call whose limit is audit-only runs and is recorded.
func TestAuditOnly_FailedLimiterDoesNotBlock(t *testing.T) {
	t.Parallel()
	down := guard.WithLimiter(limiterFunc(func(context.Context, ...store.Bucket) (time.Duration, error) {
		return 0, errors.New("down")
	}))
	n := &counter{}
	k := newKit(t, []*contract.Tool{
		n.payer("pay.now").MustBuild(), n.payer("pay.total").TotalRateLimit(600, time.Minute).MustBuild(),
	}, down, guard.WithAuditOnly("pay.now", "rateLimit"), guard.WithAuditOnly("pay.total", "rateLimit"))
	require.False(t, k.call(alice, "pay.now", validPay).IsError)
	refused(t, k.call(alice, "pay.total", validPay), contract.CodeUnavailable, contract.ClassRetryable)
	assert.EqualValues(t, 1, n.runs.Load())
	assert.Equal(t, []string{"rateLimit"}, k.events(audit.Terminal)[0].AuditOnly)
}

// A caller that may list a tool may also query its effective contract.
func TestAuditOnly_EffectiveCoversListedTools(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.asking("pay.now").MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithAuditOnly("pay.now", "permissions", "confirmation"))
	require.True(t, k.set.Visible(as(t.Context(), bob))["pay.now"])
	d, err := k.guard.Effective(as(t.Context(), bob), tool, json.RawMessage(validPay))
	require.NoError(t, err)
	assert.Equal(t, contract.ConfirmationAlways, d.Confirmation, "the declared value")
	_, err = k.guard.Effective(t.Context(), tool, json.RawMessage(validPay))
	require.ErrorIs(t, err, guard.ErrUnknownTool)
}

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

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/ratelimit"
	"github.com/toolcontract/toolcontract/risk"
)

// A question that was put where the clause is kept may be answered where it is
// only watched, while the option is rolled out: a yes and a no are what they
// are, and everything else goes on.
func TestAuditOnly_AQuestionOfAReplicaThatKeepsTheClause(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		after  time.Duration
		runs   int64
		waived []string
	}{
		"is agreed to":              {answer: yes, runs: 1},
		"is declined":               {answer: no},
		"is not answered":           {runs: 1, waived: []string{"confirmation"}},
		"is answered by nothing":    {answer: `{"action":"ACCEPT"}`, runs: 1, waived: []string{"confirmation"}},
		"is agreed to when too old": {answer: yes, after: guard.DefaultQuestionTTL, runs: 1, waived: []string{"confirmation"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, shared := &counter{}, guard.WithStore(newMemory(t))
				tools := []*contract.Tool{n.asking("pay.now").MustBuild()}
				keeps, watches := newKit(t, tools, shared, sealing), newKit(t, tools, shared, sealing, guard.WithAuditOnly("pay.now", "confirmation"))
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

// Who agreed where the clause was kept has not broken it where it is watched,
// and what they agreed to is one execution still.
func TestAuditOnly_AnAgreementOfAReplicaThatKeepsTheClauseIsOneExecution(t *testing.T) {
	t.Parallel()
	n, p, shared := &counter{}, &page{}, guard.WithStore(newMemory(t))
	tools := []*contract.Tool{n.steppingUp("pay.now").ConfirmAlways().MustBuild()}
	keeps := newKit(t, tools, shared, sealing, guard.WithStepUp(p.address))
	watches := newKit(t, tools, shared, sealing, guard.WithStepUp(p.address), guard.WithAuditOnly("pay.now", "confirmation"))
	answer := payNow.with(keeps.urlRound(payNow).State, yes)
	answer.answerKey = guard.ConfirmKey
	up := sent(t, keeps.urlRound(answer))
	require.NoError(t, keeps.guard.CompleteStepUp(t.Context(), up.Question.ID, strong(alice)))
	require.Equal(t, contract.StatusOK, watches.urlRound(payNow.opened(up.State, accepted)).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, keeps.urlRound(payNow.opened(up.State, accepted)).Outcome.Status)
	assert.EqualValues(t, 1, n.runs.Load())
	assert.Empty(t, watches.events(audit.Terminal)[0].AuditOnly)
}

// What is watched in the first round is watched in those that a step-up adds,
// for whichever client; the log names the clause in each.
func TestAuditOnly_AWatchedConfirmationIsWatchedInEveryRound(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(*kit, round) *guard.Result{
		"of a client that shows forms": func(k *kit, r round) *guard.Result { return k.urlRound(r) },
		"of one that opens addresses alone": func(k *kit, r round) *guard.Result {
			return k.pageRound(r, answers{r.answerKey: r.answer})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, p := &counter{}, &page{}
			tool := n.steppingUp("pay.now").ConfirmAlways().MustBuild()
			k, d := approvals(t, tool, guard.WithStepUp(p.address), guard.WithAuditOnly("pay.now", "confirmation"), guard.WithApproverFrom(risk.Medium))
			up := sent(t, call(k, payNow))
			require.NoError(t, k.guard.CompleteStepUp(t.Context(), up.Question.ID, strong(alice)))
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

// Of the two clauses that keep a security level, one stays that holds for every
// call.
func TestAuditOnly_OneOfTheClausesThatKeepALevelStays(t *testing.T) {
	t.Parallel()
	n := &counter{}
	level := func() *contract.Builder[payInput, payOutput] {
		return n.payer("pay.now").SecurityLevel(8).StepUp(demand)
	}
	always := level().ConfirmAlways().MustBuild()
	sometimes := level().ConfirmWhen(func(payInput) bool { return false }).MustBuild()
	resolved := level().ConfirmAlways().Resolve(func(payInput) contract.Resolution {
		return contract.Resolution{Confirmation: contract.ConfirmationNever}
	}).MustBuild()
	for name, c := range map[string]struct {
		tool    *contract.Tool
		watched []string
		refused []string
	}{
		"the step-up, where all are asked":      {always, []string{"stepUp"}, nil},
		"the confirmation, where all prove":     {always, []string{"confirmation"}, nil},
		"both":                                  {always, []string{"confirmation", "stepUp"}, []string{"confirmation"}},
		"the step-up, where some are asked":     {sometimes, []string{"stepUp"}, []string{"stepUp"}},
		"the confirmation, where some are":      {sometimes, []string{"confirmation"}, nil},
		"the step-up, where it may be resolved": {resolved, []string{"stepUp"}, []string{"stepUp"}},
		"both, where it may be resolved":        {resolved, []string{"confirmation", "stepUp"}, []string{"confirmation", "stepUp"}},
	} {
		g, err := guard.New(guard.WithPrincipal(fromContext), guard.WithAuditOnly("pay.now", c.watched...))
		require.NoError(t, err)
		_, err = g.Protect(c.tool)
		var refused []string
		for _, mistake := range contract.DeclarationErrors(err) {
			assert.Equal(t, "protect.auditOnly", mistake.Rule, name)
			refused = append(refused, mistake.Clause)
		}
		assert.Equal(t, c.refused, refused, name)
		require.NoError(t, g.Close(t.Context()))
	}
}

// An alias is a mistake that would keep what was to be watched; a name that no
// tool has may be another server's.
func TestAuditOnly_IsSaidByTheNameOfTheTool(t *testing.T) {
	t.Parallel()
	n := &counter{}
	g, err := guard.New(guard.WithPrincipal(fromContext), guard.WithAuditOnly("pay.old", "permissions"))
	require.NoError(t, err)
	_, err = g.Protect(n.payer("pay.now").Aliases("pay.old").MustBuild())
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 1)
	assert.Equal(t, []string{"protect.auditOnly", "pay.now", "aliases"}, []string{mistakes[0].Rule, mistakes[0].Tool, mistakes[0].Clause})
	require.NoError(t, g.Close(t.Context()))

	k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, guard.WithAuditOnly("pay.nwo", "permissions"))
	refused(t, k.call(bob, "pay.now", validPay), contract.CodePermissionDenied, contract.ClassFatal)
	assert.Empty(t, k.events(audit.Terminal)[0].AuditOnly)
}

// rateLimit is the caller's own. That of all callers is kept.
func TestAuditOnly_TheLimitOfAllCallersIsKept(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").RateLimit(1, time.Hour).TotalRateLimit(2, time.Hour).MustBuild()}, guard.WithAuditOnly("pay.now", "rateLimit"))
	for range 2 {
		require.False(t, k.call(alice, "pay.now", validPay).IsError)
	}
	for _, who := range []guard.Principal{alice, carol} {
		refused(t, k.call(who, "pay.now", validPay), contract.CodeRateLimitExceeded, contract.ClassRetryable)
	}
	assert.EqualValues(t, 2, n.runs.Load())
}

// Where the limiter fails, what it was only to watch goes on, and is noted.
func TestAuditOnly_ALimiterThatFailsKeepsNothingUp(t *testing.T) {
	t.Parallel()
	down := guard.WithLimiter(limiterFunc(func(context.Context, ...ratelimit.Bucket) (time.Duration, error) { return 0, errors.New("down") }))
	n := &counter{}
	k := newKit(t, []*contract.Tool{
		n.payer("pay.now").MustBuild(), n.payer("pay.total").TotalRateLimit(600, time.Minute).MustBuild(),
	}, down, guard.WithAuditOnly("pay.now", "rateLimit"), guard.WithAuditOnly("pay.total", "rateLimit"))
	require.False(t, k.call(alice, "pay.now", validPay).IsError)
	refused(t, k.call(alice, "pay.total", validPay), contract.CodeUnavailable, contract.ClassRetryable)
	assert.EqualValues(t, 1, n.runs.Load())
	assert.Equal(t, []string{"rateLimit"}, k.events(audit.Terminal)[0].AuditOnly)
}

// Who finds a tool in the list is told what would hold for them.
func TestAuditOnly_EffectiveKnowsOfWhatIsListed(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.asking("pay.now").MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithAuditOnly("pay.now", "permissions", "confirmation"))
	require.True(t, k.set.Visible(as(t.Context(), bob))["pay.now"])
	d, err := k.guard.Effective(as(t.Context(), bob), tool, json.RawMessage(validPay))
	require.NoError(t, err)
	assert.Equal(t, contract.ConfirmationAlways, d.Confirmation, "as it is declared")
	_, err = k.guard.Effective(t.Context(), tool, json.RawMessage(validPay))
	require.ErrorIs(t, err, guard.ErrUnknownTool)
}

package guard_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// A question that was put where the clause is kept may be answered where it is
// only watched, while the option is rolled out: a yes and a no are what they are,
// and everything else goes on.
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
				keeps, watches := newKit(t, tools, shared, sealing), newKit(t, tools, shared, sealing, guard.AuditOnly("pay.now", "confirmation"))
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

// Who agreed where the clause was kept has not broken it where it is watched, and
// what they agreed to is one execution still.
func TestAuditOnly_AnAgreementOfAReplicaThatKeepsTheClauseIsOneExecution(t *testing.T) {
	t.Parallel()
	n, p, shared := &counter{}, &page{}, guard.WithStore(newMemory(t))
	tools := []*contract.Tool{n.steppingUp("pay.now").ConfirmAlways().MustBuild()}
	keeps := newKit(t, tools, shared, sealing, guard.WithStepUp(p.address))
	watches := newKit(t, tools, shared, sealing, guard.WithStepUp(p.address), guard.AuditOnly("pay.now", "confirmation"))
	answer := payNow.with(keeps.urlRound(payNow).State, yes)
	answer.answerKey = guard.ConfirmKey
	up := sent(t, keeps.urlRound(answer))
	require.NoError(t, keeps.guard.CompleteStepUp(t.Context(), up.Question.ID, strong(alice)))
	require.Equal(t, contract.StatusOK, watches.urlRound(payNow.opened(up.State, accepted)).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, keeps.urlRound(payNow.opened(up.State, accepted)).Outcome.Status)
	assert.EqualValues(t, 1, n.runs.Load())
	assert.Empty(t, watches.events(audit.Terminal)[0].AuditOnly)
}

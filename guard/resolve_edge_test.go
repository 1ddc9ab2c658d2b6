package guard_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
)

// turning returns a tool whose resolution is weaker until turned is set. Such a
// function depends on more than the arguments.
func (n *counter) turning(turned *atomic.Bool) *contract.Builder[payInput, payOutput] {
	least := contract.Least{Effect: risk.HighRiskWrite, Risk: risk.High}
	return n.grave("pay.now").Resolve(least, func(payInput) contract.Resolution {
		if turned.Load() {
			return contract.Resolution{}
		}
		return contract.Resolution{Effect: risk.HighRiskWrite, Risk: risk.High}
	})
}

func TestResolve_AnswerIsBoundToTheTermsOfItsQuestion(t *testing.T) {
	t.Parallel()
	n, turned := &counter{}, &atomic.Bool{}
	k := newKit(t, []*contract.Tool{n.turning(turned).MustBuild()})
	q := k.asked(payNow)
	require.Contains(t, q.Question.Facts, `Risk high, effect high-risk-write, cannot be undone, on behalf of "alice".`)
	turned.Store(true)
	again := k.asked(payNow.with(q.State, confirmed))
	assert.Contains(t, again.Question.Facts, `Risk critical, effect destructive, cannot be undone, on behalf of "alice".`)
	assert.Zero(t, n.runs.Load())
	r, err := k.round(payNow.with(again.State, confirmed))
	require.NoError(t, err)
	require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestResolve_ApprovalIsBoundToTheTermsOfItsQuestion(t *testing.T) {
	t.Parallel()
	n, turned := &counter{}, &atomic.Bool{}
	k, d := approvals(t, n.turning(turned).MustBuild())
	waits(t, k.call(alice, "pay.now", validPay))
	q, _ := d.last(t)
	require.Equal(t, risk.High, q.Risk)
	k.decide(q, true)
	turned.Store(true)
	waits(t, k.call(alice, "pay.now", validPay))
	q, questions := d.last(t)
	assert.Equal(t, 2, questions)
	assert.Equal(t, risk.Critical, q.Risk)
	assert.Zero(t, n.runs.Load())
}

// An authentication does not count for changed terms, and neither does the
// approval that the state carries.
func TestResolve_StepUpIsBoundToTheTermsOfItsRound(t *testing.T) {
	t.Parallel()
	n, turned, p := &counter{}, &atomic.Bool{}, &page{}
	k := newKit(t, []*contract.Tool{n.turning(turned).StepUp(demand).MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	answer := payNow.with(k.urlRound(payNow).State, confirmed)
	answer.answerKey = people.ConfirmKey
	up := sent(t, k.urlRound(answer))
	require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), up.Question.ID, strong(alice)))
	turned.Store(true)
	again := k.urlRound(payNow.opened(up.State, accepted))
	isQuestion(t, again)
	assert.Empty(t, again.Question.URL, "the call must be confirmed again")
	assert.Zero(t, n.runs.Load())
}

// A question is asked because a function failed. Declining it counts even if
// the function works again and would not demand the question.
func TestConfirm_DeclineCountsIfNoQuestionIsNeededAnyMore(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(*counter, func()) *contract.Tool{
		"confirmWhen": func(n *counter, mayFail func()) *contract.Tool {
			return n.payer("pay.now").ConfirmWhen(func(payInput) bool { mayFail(); return false }).MustBuild()
		},
		"resolve": func(n *counter, mayFail func()) *contract.Tool {
			weaker := contract.Resolution{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever}
			return n.payer("pay.now").Effect(risk.HighRiskWrite).ConfirmAlways().Resolve(contract.Least(weaker),
				func(payInput) contract.Resolution { mayFail(); return weaker }).MustBuild()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, fails := &counter{}, true
			k := newKit(t, []*contract.Tool{build(n, func() {
				if fails {
					panic("down for a moment")
				}
			})})
			q := k.asked(payNow)
			fails = false
			r, err := k.round(payNow.with(q.State, declined))
			require.NoError(t, err)
			refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
			assert.Zero(t, n.runs.Load())
		})
	}
}

// A state of other arguments ends any call, even one that needs no question: a
// call of weaker terms, a dry run, and a call with an outcome.
func TestConfirm_StateOfOtherArgumentsEndsTheCall(t *testing.T) {
	t.Parallel()
	other := payNow
	other.arguments = otherPay
	for name, c := range map[string]struct {
		build func(*counter) *contract.Builder[payInput, payOutput]
		call  string
	}{
		"resolved to no confirmation": {
			func(n *counter) *contract.Builder[payInput, payOutput] {
				return n.resolving("pay.now")
			}, weakPay,
		},
		"a dry run": {
			func(n *counter) *contract.Builder[payInput, payOutput] {
				return n.asking("pay.now").DryRun(dryrun.By(previewPay))
			}, dryPay,
		},
		"with an outcome": {
			func(n *counter) *contract.Builder[payInput, payOutput] {
				return n.managedPayer("pay.now", byArguments, nil).ConfirmAlways()
			}, validPay,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{c.build(n).MustBuild()})
			if name == "with an outcome" {
				_, err := k.round(payNow.with(k.asked(payNow).State, confirmed))
				require.NoError(t, err)
			}
			before := n.runs.Load()
			foreign := payNow.with(k.asked(other).State, confirmed)
			foreign.arguments = c.call
			_, err := k.round(foreign)
			require.ErrorIs(t, err, guard.ErrRejectedState)
			assert.Equal(t, before, n.runs.Load())
		})
	}
}

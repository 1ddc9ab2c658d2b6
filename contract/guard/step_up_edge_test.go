package guard_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// answers are what a client sends with a round, by input key.
type answers map[string]string

// pageRound is a call of a client that opens addresses and shows no forms.
func (k *kit) pageRound(r round, said answers) *guard.Result {
	k.t.Helper()
	req := guard.Request{
		Tool: r.tool, Arguments: json.RawMessage(r.arguments), RoundsURL: true, State: r.state, Answers: map[string]json.RawMessage{},
	}
	if r.key != "" {
		req.IdempotencyKey = &r.key
	}
	for key, answer := range said {
		req.Answers[key] = json.RawMessage(answer)
	}
	result, err := k.set.Call(as(k.t.Context(), r.who), req)
	require.NoError(k.t, err)
	k.complete(r.tool, result)
	return result
}

// approvedAndSent is a call that a person has agreed to outside the client, and
// has authenticated for: its state is worth one execution.
func approvedAndSent(t *testing.T, k *kit, d *door, r round) (q guard.PendingQuestion, up *guard.Result) {
	t.Helper()
	waits(t, k.pageRound(r, nil))
	q, _ = d.last(t)
	k.decide(q, true)
	up = sent(t, k.pageRound(r, nil))
	require.NoError(t, k.guard.CompleteStepUp(t.Context(), up.Question.ID, strong(alice)))
	return q, up
}

// A state that asks to authenticate is no question whether the call may happen:
// a yes that comes with it is none, and no second way to spend an approval.
func TestStepUp_AYesToWhatWasNotAskedIsNoSecondExecution(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k, d := approvals(t, n.steppingUp("pay.now").ConfirmAlways().MustBuild(), guard.WithStepUp(p.address))
	_, up := approvedAndSent(t, k, d, payNow)
	call := payNow.with(up.State, "")
	require.Equal(t, contract.StatusOK, k.pageRound(call, answers{guard.ConfirmKey: yes, guard.StepUpKey: accepted}).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, k.pageRound(call, answers{guard.StepUpKey: accepted}).Outcome.Status)
	assert.EqualValues(t, 1, n.runs.Load())
}

// One who can be shown a form after all is asked by it, and not by what it says
// of its own accord.
func TestStepUp_AFormThatWasNotShownIsNotAnswered(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k, d := approvals(t, n.steppingUp("pay.now").ConfirmAlways().MustBuild(), guard.WithStepUp(p.address))
	_, up := approvedAndSent(t, k, d, payNow)
	call := payNow.with(up.State, yes)
	call.answerKey = guard.ConfirmKey
	q := k.urlRound(call)
	isQuestion(t, q)
	assert.Empty(t, q.Question.URL)
	assert.Zero(t, n.runs.Load())
}

// A no in the client ends what a person has agreed to outside of it.
func TestStepUp_ANoAfterTheApprovalEndsIt(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k, d := approvals(t, n.steppingUp("pay.now").ConfirmAlways().MustBuild(), guard.WithStepUp(p.address))
	_, up := approvedAndSent(t, k, d, payNow)
	call := payNow.with(up.State, "")
	for _, said := range []answers{{guard.ConfirmKey: no}, {guard.StepUpKey: accepted}, {}} {
		refused(t, k.pageRound(call, said), contract.CodeConfirmationDeclined, contract.ClassRetryable)
	}
	refused(t, k.pageRound(payNow, nil), contract.CodeConfirmationDeclined, contract.ClassRetryable)
	assert.Zero(t, n.runs.Load())
}

// waitingRounds starts calls that wait for their person, with other arguments
// each, and returns when they do.
func waitingRounds(t *testing.T, k *kit, calls ...round) {
	t.Helper()
	for _, call := range calls {
		q := sent(t, k.urlRound(call))
		go func() { _, _ = k.tryURLRound(call.opened(q.State, accepted)) }()
	}
	synctest.Wait()
}

// Two calls of a principal wait for their person at once, whichever server it
// calls from; what needs no waiting is let through all the same.
func TestStepUp_TwoCallsOfAPrincipalWaitAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()}, guard.WithStepUp(p.address))
		mild, other, theirs := payNow, payNow, payNow
		mild.arguments, other.arguments, theirs.who = mildPay, otherPay, carol
		q := sent(t, k.urlRound(payNow))
		waitingRounds(t, k, mild, other)
		before := time.Now()
		refused(t, k.urlRound(payNow.opened(q.State, accepted)), contract.CodeUnavailable, contract.ClassRetryable)
		assert.Zero(t, time.Since(before))
		require.NoError(t, k.guard.CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
		r := k.urlRound(payNow.opened(q.State, accepted))
		require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
		assert.Zero(t, time.Since(before), "the person has authenticated")
		waitingRounds(t, k, theirs)
		time.Sleep(time.Minute)
		again := sent(t, k.urlRound(other))
		sent(t, k.urlRound(other.opened(again.State, accepted))) // there is room again
		assert.EqualValues(t, 1, n.runs.Load())
	})
}

// An id that outlived the key which sealed it can never be completed: there is a
// new one.
func TestStepUp_AnIDWhoseKeyIsGoneIsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, two := []byte(strings.Repeat("1", 32)), []byte(strings.Repeat("2", 32))
		n, p, s := &counter{}, &page{}, newMemory(t)
		at := func(keys guard.Option) *kit {
			return newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()}, guard.WithStepUp(p.address), guard.WithStore(s), keys)
		}
		before, between, after := at(guard.WithSealingKeys(one)), at(guard.WithSealingKeys(two, one)), at(guard.WithSealingKeys(two))
		q := sent(t, before.urlRound(payNow))
		carried := sent(t, between.urlRound(payNow.opened(q.State, accepted)))
		require.Equal(t, q.Question.ID, carried.Question.ID)
		require.ErrorIs(t, after.guard.CompleteStepUp(t.Context(), q.Question.ID, strong(alice)), guard.ErrNoStepUp)
		anew := sent(t, after.urlRound(payNow.opened(carried.State, accepted)))
		require.NotEqual(t, q.Question.ID, anew.Question.ID)
		require.NoError(t, after.guard.CompleteStepUp(t.Context(), anew.Question.ID, strong(alice)))
		require.Equal(t, contract.StatusOK, after.urlRound(payNow.opened(anew.State, accepted)).Outcome.Status)
		assert.EqualValues(t, 1, n.runs.Load())
	})
}

package guard_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

func TestThreat65_AcceptingTheAddressDoesNotAuthenticate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		first := sent(t, k.urlRound(payNow))
		q := first
		for range 4 {
			q = sent(t, k.urlRound(payNow.opened(q.State, accepted)))
			assert.NotEqual(t, first.State, q.State)
		}
		assert.Zero(t, n.runs.Load())
		require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
		r := k.urlRound(payNow.opened(first.State, accepted)) // each of the questions led to the same page
		require.False(t, r.IsError, r.Text)
		assert.EqualValues(t, 1, n.runs.Load())
	})
}

func TestThreat65_OnlyThePrincipalsOwnFreshAuthenticationCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild(), n.steppingUp("pay.later").MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		q := sent(t, k.urlRound(payNow))
		id := q.Question.ID
		stale, weak, otherIssuer, otherTenant := strong(alice), strong(alice), strong(alice), strong(alice)
		stale.AuthTime, weak.ACR, otherIssuer.Issuer, otherTenant.Tenant = time.Now().Add(-lately-time.Second), "pwd", "evil", "evil"
		for _, c := range []struct {
			id   string
			by   guard.Principal
			want error
		}{
			{id, strong(carol), people.ErrStepUpForeign},
			{id, strong(guard.Principal{}), people.ErrStepUpForeign},
			{id, otherIssuer, people.ErrStepUpForeign},
			{id, otherTenant, people.ErrStepUpForeign},
			{id, stale, people.ErrStepUpTooWeak},
			{id, weak, people.ErrStepUpTooWeak},
			{id, alice, people.ErrStepUpTooWeak},
			{id[:len(id)-1], strong(alice), people.ErrNoStepUp},
			{id + "A", strong(alice), people.ErrNoStepUp},
			{q.State, strong(alice), people.ErrNoStepUp},
			{"", strong(alice), people.ErrNoStepUp},
		} {
			require.ErrorIs(t, k.guard.People().CompleteStepUp(t.Context(), c.id, c.by), c.want)
		}
		sent(t, k.urlRound(payNow.opened(q.State, accepted)))
		time.Sleep(guard.DefaultQuestionTTL)
		require.ErrorIs(t, k.guard.People().CompleteStepUp(t.Context(), id, strong(alice)), people.ErrNoStepUp)
		assert.Zero(t, n.runs.Load())

		for _, e := range k.events(audit.Asked) {
			if e.Stage == "completestepup" {
				assert.Equal(t, audit.Deny, e.Decision)
			}
		}
	})
}

func TestThreat65_StepUpIsBoundToOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild(), n.steppingUp("pay.later").MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		q := sent(t, k.urlRound(payNow))
		require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
		others := []round{payNow, payNow, payNow}
		others[0].arguments = otherPay
		others[1].tool = "pay.later"
		others[2].who = guard.Principal{Issuer: "test", Subject: "mallory", Permissions: alice.Permissions}
		for _, other := range others {
			_, err := k.tryURLRound(other.opened(q.State, accepted))
			require.ErrorIs(t, err, guard.ErrRejectedState)
			r, err := k.tryURLRound(other)
			require.NoError(t, err)
			sent(t, r)
		}
		assert.Zero(t, n.runs.Load())
	})
}

func TestThreat66_ClientClaimsDoNotAuthenticate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		refused(t, k.call(alice, "pay.now", `{"pay":{"amount":10},"acr":"mfa","mfa":true}`), contract.CodeInvalidInput,
			contract.ClassRetryable)
		for _, answer := range []string{
			`{"action":"accept","content":{"acr":"mfa","mfa":true,"auth_time":9999999999}}`,
			`{"action":"accept","content":{"confirm":true}}`,
			`{"action":"accept","_meta":{"acr":"mfa"}}`,
		} {
			q := sent(t, k.urlRound(payNow))
			sent(t, k.urlRound(payNow.opened(q.State, answer)))
			sent(t, k.urlRound(payNow.opened("", answer)))
		}
		assert.Zero(t, n.runs.Load())
	})
}

// Only the sealed state carries the approval from the confirmation round to the
// round after step-up. The question is not repeated, and its lifetime is not
// extended.
func TestThreat66_ApprovalSurvivesStepUpOnlyInTheSealedState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").ConfirmAlways().MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		asked := k.urlRound(payNow)
		isQuestion(t, asked)
		require.Empty(t, asked.Question.URL, "confirmation comes before step-up")
		answer := payNow.with(asked.State, confirmed)
		answer.answerKey = people.ConfirmKey
		up := sent(t, k.urlRound(answer))
		require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), up.Question.ID, strong(alice)))

		// The question's state, no state, and other arguments do not run the
		// call.
		sent(t, k.urlRound(answer))
		isQuestion(t, k.urlRound(payNow.opened("", accepted)))
		result, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(otherPay),
			Client: guard.Client{
				Rounds: true, RoundsURL: true, State: up.State,
				Answers: map[string]json.RawMessage{people.StepUpKey: json.RawMessage(accepted)},
			},
		})
		require.ErrorIs(t, err, guard.ErrRejectedState)
		require.Nil(t, result)
		assert.Zero(t, n.runs.Load())

		r := k.urlRound(payNow.opened(up.State, accepted))
		require.False(t, r.IsError, r.Text)
		assert.Equal(t, asked.Outcome.CallID, r.Outcome.CallID)
		replay := k.urlRound(payNow.opened(up.State, accepted))
		assert.Equal(t, contract.StatusReplayed, replay.Outcome.Status)
		replay = k.urlRound(answer) // the question's own state is also spent
		assert.NotEqual(t, contract.StatusOK, replay.Outcome.Status)
		assert.EqualValues(t, 1, n.runs.Load())
	})
}

func TestThreat66_AskingAgainDoesNotExtendTheApproval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").ConfirmAlways().MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		answer := payNow.with(k.urlRound(payNow).State, confirmed)
		answer.answerKey = people.ConfirmKey
		q := sent(t, k.urlRound(answer))
		for range 3 {
			time.Sleep(guard.DefaultQuestionTTL/4 + time.Second)
			next := k.urlRound(payNow.opened(q.State, accepted))
			if next.Question.URL == "" {
				break
			}
			q = next
		}
		time.Sleep(guard.DefaultQuestionTTL / 4)
		require.ErrorIs(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)), people.ErrNoStepUp)
		again := k.urlRound(payNow.opened(q.State, accepted))
		isQuestion(t, again)
		assert.Empty(t, again.Question.URL, "the person is asked again")
		assert.Zero(t, n.runs.Load())
	})
}

func TestThreat156_ACallThatItsPrincipalDisownsIsRefusedAndTheOperatorIsWarned(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(k *kit, q *guard.Result){
		"before the client asks again": func(*kit, *guard.Result) {},
		"while the client waits": func(k *kit, q *guard.Result) {
			sent(k.t, k.urlRound(payNow.opened(q.State, accepted)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, p, lines := &counter{}, &page{}, &serverLog{}
				k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
					lines.option(), guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
				q := sent(t, k.urlRound(payNow))
				alter(k, q)
				require.ErrorIs(t, k.guard.People().DeclineStepUp(t.Context(), q.Question.ID, strong(carol)), people.ErrStepUpForeign)
				require.NoError(t, k.guard.People().DeclineStepUp(t.Context(), q.Question.ID, alice), "a weak authentication is enough")
				require.ErrorIs(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)), people.ErrStepUpUsed)
				require.ErrorIs(t, k.guard.People().DeclineStepUp(t.Context(), q.Question.ID, alice), people.ErrStepUpUsed)
				r := k.urlRound(payNow.opened(q.State, accepted))
				refused(t, r, contract.CodeStepUpRequired, contract.ClassFatal)
				assert.Contains(t, r.Text, "not theirs")
				refused(t, k.urlRound(payNow), contract.CodeStepUpRequired, contract.ClassFatal) // the person is not asked again
				other := payNow
				other.arguments = otherPay
				sent(t, k.urlRound(other)) // one report does not end the asking about other calls
				assert.Zero(t, n.runs.Load())

				var warned, recorded int
				for _, line := range lines.lines(t) {
					if strings.Contains(line.Msg, "was not theirs") {
						warned++
						assert.Equal(t, logLine{Level: "WARN", Msg: line.Msg, Tool: "pay.now", CallID: q.Outcome.CallID}, line)
					}
				}
				assert.Equal(t, 1, warned)
				require.NoError(t, k.guard.Close(t.Context()))
				for _, e := range k.log.Events() {
					if e.Stage == "completestepup" && e.Decision == audit.Deny && e.Status == "" {
						recorded++
						assert.Equal(t, "alice", e.Principal)
						assert.Equal(t, q.Outcome.CallID, e.CallID)
					}
				}
				assert.Equal(t, 1, recorded)
			})
		})
	}
}

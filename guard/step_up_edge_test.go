package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// answers holds a client's answers of a round, by input key.
type answers map[string]string

// pageRound makes a call of a client that opens addresses and shows no forms.
func (k *kit) pageRound(r round, replies answers) *guard.Result {
	k.t.Helper()
	req := guard.Request{
		Tool: r.tool, Arguments: json.RawMessage(r.arguments),
		Client: guard.Client{RoundsURL: true, State: r.state, Answers: map[string]json.RawMessage{}},
	}
	if r.key != "" {
		req.IdempotencyKey = &r.key
	}
	for key, answer := range replies {
		req.Answers[key] = json.RawMessage(answer)
	}
	result, err := k.set.Call(as(k.t.Context(), r.who), req)
	require.NoError(k.t, err)
	k.complete(r.tool, result)
	return result
}

// approvedAndSent makes a call that a person approved outside the client and
// authenticated for. Its state is good for one execution.
func approvedAndSent(t *testing.T, k *kit, d *door, r round) (q people.PendingQuestion, up *guard.Result) {
	t.Helper()
	sentToApprover(t, k.pageRound(r, nil))
	q, _ = d.last(t)
	k.decide(q, true)
	up = sent(t, k.pageRound(r, nil))
	require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), up.Question.ID, strong(alice)))
	return q, up
}

// The state of a step-up request is not a confirmation question. A confirmation
// sent with it does not count, so it cannot spend the approval a second time.
func TestStepUp_ConfirmAnswerToAStepUpStateDoesNotCount(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k, d := approvals(t, n.steppingUp("pay.now").ConfirmAlways().MustBuild(),
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	_, up := approvedAndSent(t, k, d, payNow)
	call := payNow.with(up.State, "")
	require.Equal(t, contract.StatusOK, k.pageRound(call, answers{people.ConfirmKey: confirmed,
		people.StepUpKey: accepted}).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, k.pageRound(call, answers{people.StepUpKey: accepted}).Outcome.Status)
	assert.EqualValues(t, 1, n.runs.Load())
}

// A client that can show a form is asked by that form. An answer to a form that
// was not shown does not count.
func TestStepUp_AnswerToAnUnshownFormDoesNotCount(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k, d := approvals(t, n.steppingUp("pay.now").ConfirmAlways().MustBuild(),
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	_, up := approvedAndSent(t, k, d, payNow)
	call := payNow.with(up.State, confirmed)
	call.answerKey = people.ConfirmKey
	q := k.urlRound(call)
	isQuestion(t, q)
	assert.Empty(t, q.Question.URL)
	assert.Zero(t, n.runs.Load())
}

// Declining in the client ends an approval that was given outside the client.
func TestStepUp_DeclineInTheClientEndsTheApproval(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k, d := approvals(t, n.steppingUp("pay.now").ConfirmAlways().MustBuild(),
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	_, up := approvedAndSent(t, k, d, payNow)
	call := payNow.with(up.State, "")
	for _, said := range []answers{{people.ConfirmKey: declined}, {people.StepUpKey: accepted}, {}} {
		refused(t, k.pageRound(call, said), contract.CodeConfirmationDeclined, contract.ClassRetryable)
	}
	refused(t, k.pageRound(payNow, nil), contract.CodeConfirmationDeclined, contract.ClassRetryable)
	assert.Zero(t, n.runs.Load())
}

// waitingRounds starts calls that wait for an authentication, and returns once
// all of them wait. Each call needs its own arguments.
func waitingRounds(t *testing.T, k *kit, calls ...round) {
	t.Helper()
	for _, call := range calls {
		q := sent(t, k.urlRound(call))
		go func() { _, _ = k.tryURLRound(call.opened(q.State, accepted)) }()
	}
	synctest.Wait()
}

// At most two calls of a principal wait for an authentication, on all servers
// together. Calls that need not wait are not limited.
func TestStepUp_AtMostTwoCallsOfAPrincipalWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		mild, other, theirs := payNow, payNow, payNow
		mild.arguments, other.arguments, theirs.who = weakPay, otherPay, carol
		q := sent(t, k.urlRound(payNow))
		waitingRounds(t, k, mild, other)
		before := time.Now()
		refused(t, k.urlRound(payNow.opened(q.State, accepted)), contract.CodeUnavailable, contract.ClassRetryable)
		assert.Zero(t, time.Since(before))
		require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
		r := k.urlRound(payNow.opened(q.State, accepted))
		require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
		assert.Zero(t, time.Since(before), "an authenticated call does not wait")
		q = sent(t, k.urlRound(theirs))
		sent(t, k.urlRound(theirs.opened(q.State, accepted)))
		assert.Equal(t, 20*time.Second, time.Since(before), "another principal has its own limit")
		time.Sleep(time.Second)
		again := sent(t, k.urlRound(other))
		sent(t, k.urlRound(other.opened(again.State, accepted))) // a waiting call has ended
		assert.EqualValues(t, 1, n.runs.Load())
	})
}

// An id cannot be completed after its sealing key is gone, so the guard makes a
// new one.
func TestStepUp_IDWithoutItsSealingKeyIsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, two := []byte(strings.Repeat("1", 32)), []byte(strings.Repeat("2", 32))
		n, p, s := &counter{}, &page{}, newMemory(t)
		at := func(keys guard.Option) *kit {
			return newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
				guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}), guard.WithStore(s), keys)
		}
		before, between, after := at(guard.WithSealingKeys(one)), at(guard.WithSealingKeys(two, one)), at(guard.WithSealingKeys(two))
		q := sent(t, before.urlRound(payNow))
		carried := sent(t, between.urlRound(payNow.opened(q.State, accepted)))
		require.Equal(t, q.Question.ID, carried.Question.ID)
		require.ErrorIs(t, after.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)), people.ErrNoStepUp)
		anew := sent(t, after.urlRound(payNow.opened(carried.State, accepted)))
		require.NotEqual(t, q.Question.ID, anew.Question.ID)
		require.NoError(t, after.guard.People().CompleteStepUp(t.Context(), anew.Question.ID, strong(alice)))
		require.Equal(t, contract.StatusOK, after.urlRound(payNow.opened(anew.State, accepted)).Outcome.Status)
		assert.EqualValues(t, 1, n.runs.Load())
	})
}

// One authentication runs once, also with an approver. The next approval of the
// same call needs a new authentication.
func TestStepUp_AuthenticationIsBoundToOneApproval(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		build        func(*counter) *contract.Builder[payInput, payOutput]
		first, again string // idempotency keys
		passes       time.Duration
	}{
		"another client key": {
			func(n *counter) *contract.Builder[payInput, payOutput] {
				return n.managedPayer("pay.now", byClientKey, nil)
			}, "k1", "k2", 0,
		},
		"an expired approval": {
			func(n *counter) *contract.Builder[payInput, payOutput] { return n.payer("pay.now") }, "", "", guard.DefaultQuestionTTL,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, p := &counter{}, &page{}
				tool := c.build(n).StepUp(contract.StepUp{ACR: "mfa"}).ConfirmAlways().MustBuild()
				k, d := approvals(t, tool, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
				call := payNow
				call.key = c.first
				_, up := approvedAndSent(t, k, d, call)
				call.state = up.State
				require.Equal(t, contract.StatusOK, k.pageRound(call, answers{people.StepUpKey: accepted}).Outcome.Status)
				time.Sleep(c.passes)
				call.key = c.again
				sentToApprover(t, k.pageRound(call, answers{people.StepUpKey: accepted}))
				second, questions := d.last(t)
				require.Equal(t, 2, questions)
				k.decide(second, true)
				again := sent(t, k.pageRound(call, answers{people.StepUpKey: accepted}))
				assert.NotEqual(t, up.Question.ID, again.Question.ID)
				assert.EqualValues(t, 1, n.runs.Load())
				require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), again.Question.ID, strong(alice)))
				call.state = again.State
				require.Equal(t, contract.StatusOK, k.pageRound(call, answers{people.StepUpKey: accepted}).Outcome.Status)
				assert.EqualValues(t, 2, n.runs.Load())
			})
		})
	}
}

// The log records the decision, the authentication and the execution of a call
// under one id, with the same contract data.
func TestStepUp_ApprovalAndAuthenticationShareTheCallIDInTheLog(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	tool := n.steppingUp("pay.now").AuditEvent("payment.made").ConfirmAlways().MustBuild()
	k, d := approvals(t, tool, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	_, up := approvedAndSent(t, k, d, payNow)
	ran := k.pageRound(payNow.with(up.State, ""), answers{people.StepUpKey: accepted})
	require.Equal(t, contract.StatusOK, ran.Outcome.Status)
	stages := map[string]bool{}
	for _, e := range k.events(audit.Decided) {
		stages[e.Stage] = true
		assert.Equal(t, ran.Outcome.CallID, e.CallID, e.Stage)
		assert.Equal(t, tool.Digest(), e.ContractDigest, e.Stage)
		assert.Equal(t, "payment.made", e.AuditEvent, e.Stage)
		assert.Equal(t, risk.Medium, e.Risk, e.Stage)
		assert.NotEmpty(t, e.ArgumentsDigest, e.Stage)
	}
	assert.True(t, stages["decide"] && stages["completestepup"], "%v", stages)
}

// The log records a refused authentication with its principal.
func TestStepUp_RefusedAuthenticationIsAudited(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	q := sent(t, k.urlRound(payNow))
	weak := strong(alice)
	weak.ACR = "pwd"
	require.ErrorIs(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, weak), people.ErrStepUpTooWeak)
	require.ErrorIs(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(carol)), people.ErrStepUpForeign)
	refusals := k.events(audit.Decided)
	require.Len(t, refusals, 2)
	for i, who := range []string{"alice", "carol"} {
		assert.Equal(t, []any{who, audit.Deny, q.Outcome.CallID}, []any{refusals[i].Principal, refusals[i].Decision,
			refusals[i].CallID})
		assert.NotEmpty(t, refusals[i].Error)
	}
}

// A caller whose credentials are fresh by the next round needs no page. The
// state is still spent, so the call runs once.
func TestStepUp_FreshCredentialsAlsoSpendTheState(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	q := sent(t, k.urlRound(payNow))
	require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
	fresh := payNow.opened(q.State, accepted)
	fresh.who = strong(alice)
	require.Equal(t, contract.StatusOK, k.urlRound(fresh).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, k.urlRound(fresh).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, k.urlRound(payNow.opened(q.State, accepted)).Outcome.Status)
	assert.EqualValues(t, 1, n.runs.Load())
}

// A client of MCP 2026-07-28 sends the next round once the address is open.
// That round waits for the authentication, continues when it is made, and
// otherwise asks again with the same id.
func TestStepUp_RoundWaitsForTheAuthentication(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		q := sent(t, k.urlRound(payNow))
		before := time.Now()
		again := sent(t, k.urlRound(payNow.opened(q.State, accepted)))
		assert.Equal(t, 20*time.Second, time.Since(before))
		assert.Equal(t, q.Question.ID, again.Question.ID)
		assert.Contains(t, again.Question.Message, "not authenticated yet")
		go func() {
			time.Sleep(10*time.Second + time.Millisecond)
			assert.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
		}()
		before = time.Now()
		r := k.urlRound(payNow.opened(again.State, accepted))
		require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
		assert.Equal(t, 11*time.Second, time.Since(before))
		assert.EqualValues(t, 1, n.runs.Load())
	})
}

// No confirmation is asked if step-up would then refuse the call, because the
// client cannot open the page.
func TestStepUp_NoQuestionIfStepUpWouldRefuse(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	tool := n.steppingUp("pay.now").ConfirmAlways().MustBuild()
	call := func(k *kit, who guard.Principal, forms bool, within people.Asker) *guard.Result {
		r, err := k.set.Call(as(t.Context(), who), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(validPay),
			Client: guard.Client{Session: "1", Rounds: forms, Ask: within},
		})
		require.NoError(t, err)
		return r
	}
	asked := 0
	agrees := func(context.Context, people.Question) (json.RawMessage, error) {
		asked++
		return json.RawMessage(confirmed), nil
	}
	for name, opts := range map[string][]guard.Option{
		"without a page": nil,
		"with a page that the client cannot open": {guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address})},
		"when only an approver counts":            {guard.WithPeople(guard.PeopleOptions{ApproverFrom: risk.Medium})},
	} {
		k, d := approvals(t, tool, opts...)
		for _, r := range []*guard.Result{call(k, alice, true, nil), call(k, alice, false, agrees), call(k, alice, false, nil)} {
			refused(t, r, contract.CodeStepUpRequired, contract.ClassFatal)
		}
		assert.Empty(t, d.asked, name)
		waits(t, call(k, strong(alice), false, nil)) // needs no step-up, so it is asked
	}
	assert.Zero(t, asked)
	assert.Zero(t, n.runs.Load())
}

// A call whose answer was already spent is asked again. While it waits, it
// holds no concurrency slot.
func TestStepUp_RepeatedQuestionHoldsNoConcurrencySlot(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(*counter) *contract.Builder[payInput, payOutput]{
		"to confirm": func(n *counter) *contract.Builder[payInput, payOutput] {
			return n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways()
		},
		"to authenticate": func(n *counter) *contract.Builder[payInput, payOutput] {
			return n.managedPayer("pay.now", byClientKey, nil).StepUp(demand)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, p := &counter{}, &page{}
				k := newKit(t, []*contract.Tool{build(n).MaxConcurrent(1).MustBuild()},
					guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
				call := func(who guard.Principal, key, state string, within people.Asker) *guard.Result {
					r, err := k.set.Call(as(t.Context(), who), guard.Request{
						Tool: "pay.now", Arguments: json.RawMessage(validPay), IdempotencyKey: &key,
						Client: guard.Client{
							Session: who.Subject, State: state,
							Answers: map[string]json.RawMessage{
								people.ConfirmKey: json.RawMessage(confirmed), people.StepUpKey: json.RawMessage(accepted),
							},
							Rounds: within == nil, RoundsURL: within == nil, Ask: within, AskURL: within,
						},
					})
					require.NoError(t, err)
					return r
				}
				q := call(alice, "k1", "", nil)
				isQuestion(t, q)
				if q.Question.URL != "" {
					require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
				}
				require.Equal(t, contract.StatusOK, call(alice, "k1", q.State, nil).Outcome.Status)
				var again *guard.Result
				silent := func(ctx context.Context, _ people.Question) (json.RawMessage, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				go func() { again = call(alice, "k2", q.State, silent) }()
				synctest.Wait()
				require.Nil(t, again, "a person is asked")
				agrees := func(context.Context, people.Question) (json.RawMessage, error) {
					return json.RawMessage(confirmed), nil
				}
				r := call(strong(carol), "k3", "", agrees)
				assert.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
				time.Sleep(guard.DefaultQuestionTimeout)
				synctest.Wait()
				require.NotNil(t, again)
				assert.True(t, again.IsError)
				assert.EqualValues(t, 2, n.runs.Load())
			})
		})
	}
}

// A call that waits for an authentication ends with a retryable error if the
// server closes or the store fails.
func TestStepUp_InterruptedWaitIsRetryable(t *testing.T) {
	t.Parallel()
	older := func(k *kit) *guard.Result {
		r, err := k.set.Call(as(k.t.Context(), alice), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(validPay),
			Client: guard.Client{
				Session: "1",
				AskURL:  func(context.Context, people.Question) (json.RawMessage, error) { return json.RawMessage(accepted), nil },
			},
		})
		require.NoError(k.t, err)
		return r
	}
	newer := func(k *kit) *guard.Result {
		return k.urlRound(payNow.opened(sent(k.t, k.urlRound(payNow)).State, accepted))
	}
	for name, c := range map[string]struct {
		call func(*kit) *guard.Result
		goes func(*kit, *faultystore.Store)
	}{
		"older client, server closes": {older, func(k *kit, _ *faultystore.Store) { _ = k.guard.Close(k.t.Context()) }},
		"newer client, server closes": {newer, func(k *kit, _ *faultystore.Store) { _ = k.guard.Close(k.t.Context()) }},
		"older client, store fails": {older, func(_ *kit, s *faultystore.Store) {
			s.FailBefore(faultystore.Get, faultystore.Every,
				nil)
		}},
		"newer client, store fails": {newer, func(_ *kit, s *faultystore.Store) {
			s.FailBefore(faultystore.Get, faultystore.Every,
				nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, p, s := &counter{}, &page{}, newFaulty(t)
				k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
					guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}), guard.WithStore(s),
					guard.WithTimes(guard.Times{Drain: time.Second}))
				go func() {
					time.Sleep(3 * time.Second)
					c.goes(k, s)
				}()
				refused(t, c.call(k), contract.CodeUnavailable, contract.ClassRetryable)
				assert.Zero(t, n.runs.Load())
			})
		})
	}
}

// Callers that hang up and clients that never answer leave no goroutine behind.
// synctest fails if one is left.
func TestStepUp_WaitLeavesNoGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		var group sync.WaitGroup
		for i := range 12 {
			group.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Second)
				defer cancel()
				_, err := k.set.Call(as(ctx, alice), guard.Request{
					Tool: "pay.now", Arguments: json.RawMessage(validPay),
					Client: guard.Client{
						Session: fmt.Sprint(i),
						AskURL: func(ctx context.Context, _ people.Question) (json.RawMessage, error) {
							if i%2 == 0 {
								<-ctx.Done()
							}
							return json.RawMessage(accepted), ctx.Err()
						},
					},
				})
				assert.NoError(t, err)
			})
		}
		group.Wait()
		assert.Zero(t, n.runs.Load())
	})
}

func TestThreat66_AnsweringAgainDoesNotExtendTheApproval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").ConfirmAlways().MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		answer := payNow.with(k.urlRound(payNow).State, confirmed)
		answer.answerKey = people.ConfirmKey
		sent(t, k.urlRound(answer))
		time.Sleep(guard.DefaultQuestionTTL - time.Second)
		up := sent(t, k.urlRound(answer))
		time.Sleep(time.Second)
		require.ErrorIs(t, k.guard.People().CompleteStepUp(t.Context(), up.Question.ID, strong(alice)), people.ErrNoStepUp)
		again := k.urlRound(payNow.opened(up.State, accepted))
		isQuestion(t, again)
		assert.Empty(t, again.Question.URL, "the person is asked again")
	})
}

// A long text in the contract does not make the address too long to open.
func TestStepUp_IDIsShortForAnyDemand(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]string{
		"many letters": strings.Repeat("w", 1500), "ideographs": strings.Repeat("銀", 500), "ampersands": strings.Repeat("&", 230),
	} {
		n, p := &counter{}, &page{}
		tool := n.payer("pay.now").StepUp(contract.StepUp{When: when, MaxAge: 5 * time.Minute}).MustBuild()
		k := newKit(t, []*contract.Tool{tool}, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		sent(t, k.urlRound(payNow))
		assert.Less(t, len(p.last().ID), 1000, name)
		assert.Equal(t, when, p.last().Demand.When, name)
	}
}

// The message of a question in URL mode holds no address (MCP 2026-07-28,
// elicitation), not even one from the contract.
func TestStepUp_MessageHoldsNoAddress(t *testing.T) {
	t.Parallel()
	for _, d := range []contract.StepUp{{ACR: "https://refeds.org/profile/mfa"}, {ACR: "mfa", When: "See https://help.example/."}} {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").StepUp(d).MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		sent(t, k.urlRound(payNow)) // sent checks the message
		assert.Equal(t, d, p.last().Demand, "the page gets the whole demand")
	}
}

// The record that limits an authentication to one execution answers only with
// codes that the contract lists. A concurrent repetition is retryable.
func TestStepUp_RecordAnswersWithListedCodes(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	running, goOn := make(chan struct{}), make(chan struct{})
	tool := contract.New("pay.now", func(context.Context, payInput) (payOutput, error) {
		n.runs.Add(1)
		close(running)
		<-goOn
		panic("boom")
	}).From(writing()).StepUp(demand).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	q := sent(t, k.urlRound(payNow))
	require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = k.tryURLRound(payNow.opened(q.State, accepted))
	}()
	<-running
	refused(t, k.urlRound(payNow.opened(q.State, accepted)), contract.CodeKeyInProgress, contract.ClassRetryable)
	close(goOn)
	<-done
	refused(t, k.urlRound(payNow.opened(q.State, accepted)), contract.CodeOutcomeUnknown, contract.ClassFatal)
	assert.EqualValues(t, 1, n.runs.Load())
}

// Concurrent calls with one authentication run once, on any replica and with
// any key.
func TestThreat65_FiftyConcurrentCallsShareOneAuthentication(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(*counter) *contract.Builder[payInput, payOutput]{
		"a tool without keys": func(n *counter) *contract.Builder[payInput, payOutput] { return n.steppingUp("pay.now") },
		"one key each": func(n *counter) *contract.Builder[payInput, payOutput] {
			return n.managedPayer("pay.now", byClientKey, nil).StepUp(demand)
		},
		"with confirmation": func(n *counter) *contract.Builder[payInput, payOutput] {
			return n.steppingUp("pay.now").ConfirmAlways()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, p, shared := &counter{}, &page{}, guard.WithStore(newMemory(t))
			tools := []*contract.Tool{build(n).MustBuild()}
			replicas := []*kit{newKit(t, tools, shared, sealing, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address})),
				newKit(t, tools, shared, sealing, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))}
			q := replicas[0].urlRound(payNow)
			if q.Question.URL == "" {
				answer := payNow.with(q.State, confirmed)
				answer.answerKey = people.ConfirmKey
				q = replicas[1].urlRound(answer)
			}
			sent(t, q)
			var group sync.WaitGroup
			var completed atomic.Int64
			for i := range 20 {
				group.Go(func() {
					if replicas[i%2].guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)) == nil {
						completed.Add(1)
					}
				})
			}
			group.Wait()
			assert.EqualValues(t, 1, completed.Load())
			for i := range 50 {
				call := payNow
				call.state, call.key = q.State, fmt.Sprint(i)
				req := guard.Request{
					Tool: call.tool, Arguments: json.RawMessage(call.arguments), IdempotencyKey: &call.key,
					Client: guard.Client{
						Rounds: true, RoundsURL: true, State: call.state,
						Answers: map[string]json.RawMessage{people.StepUpKey: json.RawMessage(accepted)},
					},
				}
				group.Go(func() {
					_, err := replicas[i%2].set.Call(as(t.Context(), alice), req)
					assert.NoError(t, err)
				})
			}
			group.Wait()
			assert.EqualValues(t, 1, n.runs.Load())
		})
	}
}

// A decline concurrent with its call either stops the call or is reported as
// too late.
func TestStepUp_ConcurrentDeclineAndCallAgree(t *testing.T) {
	t.Parallel()
	for range 20 {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").ConfirmAlways().MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		answer := payNow.with(k.urlRound(payNow).State, confirmed)
		answer.answerKey = people.ConfirmKey
		up := sent(t, k.urlRound(answer))
		require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), up.Question.ID, strong(alice)))
		var decline, ran *guard.Result
		var group sync.WaitGroup
		group.Go(func() {
			refusal := payNow.with(up.State, declined)
			refusal.answerKey = people.ConfirmKey
			decline, _ = k.tryURLRound(refusal)
		})
		group.Go(func() { ran, _ = k.tryURLRound(payNow.opened(up.State, accepted)) })
		group.Wait()
		switch ran.Outcome.Status {
		case contract.StatusOK:
			require.NotContains(t, decline.Text, "The person asked did not agree.", "the decline was too late")
		default:
			require.Equal(t, contract.CodeConfirmationDeclined, decline.Outcome.Code)
			require.Zero(t, n.runs.Load())
		}
		require.NotEqual(t, contract.StatusOK, k.urlRound(payNow.opened(up.State, accepted)).Outcome.Status)
	}
}

// Ids and states are not interchangeable, and altered ones are rejected.
func TestThreat65_AlteredIDOrStateIsRejected(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}), unlimited)
	q := sent(t, k.urlRound(payNow))
	is := func(id, state string) {
		t.Helper()
		require.ErrorIs(t, k.guard.People().CompleteStepUp(t.Context(), id, strong(alice)), people.ErrNoStepUp)
		_, err := k.tryURLRound(payNow.opened(state, accepted))
		require.ErrorIs(t, err, guard.ErrRejectedState)
	}
	is(q.State, q.Question.ID)
	random := rand.New(rand.NewPCG(6, 5))
	for range 300 {
		id, state := []byte(q.Question.ID), []byte(q.State)
		for _, text := range [][]byte{id, state} {
			text[random.IntN(len(text))] ^= byte(1 + random.IntN(255))
		}
		is(string(id), string(state))
	}
	assert.Zero(t, n.runs.Load())
}

// A forgetful store drops results, as a full store does. It still knows that an
// outcome exists.
type forgetful struct {
	*store.Memory
	full atomic.Bool
}

func (s *forgetful) Get(ctx context.Context, key store.Key) (store.Record, error) {
	record, err := s.Memory.Get(ctx, key)
	if s.full.Load() {
		record.Result = nil
	}
	return record, err
}

func TestStepUp_DroppedResultDoesNotAuthenticate(t *testing.T) {
	t.Parallel()
	n, p, s := &counter{}, &page{}, &forgetful{Memory: newMemory(t)}
	k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}), guard.WithStore(s))
	q := sent(t, k.urlRound(payNow))
	require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
	s.full.Store(true)
	again := sent(t, k.urlRound(payNow.opened(q.State, accepted)))
	assert.NotEqual(t, q.Question.ID, again.Question.ID, "the first id is spent")
	assert.Zero(t, n.runs.Load())
}

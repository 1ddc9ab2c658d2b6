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
)

// sentToApprover asserts that the client must send its user to the approver's
// page.
func sentToApprover(t *testing.T, r *guard.Result) *guard.Result {
	t.Helper()
	isQuestion(t, r)
	require.Equal(t, people.ApprovalKey, r.Question.Key)
	require.Equal(t, desk, r.Question.URL)
	require.NotContains(t, r.Question.Message, "://")
	return r
}

// sends calls pay.now as a client that opens addresses and shows no forms, and
// asserts that it gets the address. It returns the question, and the request
// with the client's answer.
func sends(t *testing.T, k *kit, d *door, answers map[string]string) (people.PendingQuestion, guard.Request) {
	t.Helper()
	req := guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay), Client: guard.Client{RoundsURL: true}}
	asked, err := k.set.Call(as(t.Context(), alice), req)
	require.NoError(t, err)
	sentToApprover(t, asked)
	q, _ := d.last(t)
	assert.Equal(t, q.Token, asked.Question.ID)
	assert.True(t, q.ClientSends)
	req.State, req.Answers = asked.State, map[string]json.RawMessage{}
	for key, answer := range answers {
		req.Answers[key] = json.RawMessage(answer)
	}
	return q, req
}

func (k *kit) send(req guard.Request) *guard.Result {
	k.t.Helper()
	r, err := k.set.Call(as(k.t.Context(), alice), req)
	require.NoError(k.t, err)
	k.complete(req.Tool, r)
	return r
}

func TestApprovalSend_CallContinuesWhenThePersonDecides(t *testing.T) {
	t.Parallel()
	for name, approve := range map[string]bool{"approved": true, "declined": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				k, d := approvals(t, n.asking("pay.now").MustBuild())
				q, answer := sends(t, k, d, map[string]string{people.ApprovalKey: accepted})
				go func() {
					time.Sleep(10*time.Second - 1)
					k.decide(q, approve)
				}()
				before := time.Now()
				r := k.send(answer)
				assert.Equal(t, 10*time.Second, time.Since(before))
				if !approve {
					refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
					assert.Zero(t, n.runs.Load())
					return
				}
				require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
				assert.Equal(t, q.CallID, r.Outcome.CallID)
				replayOf(t, r, k.send(answer))
				assert.EqualValues(t, 1, n.runs.Load())
				events := k.events(audit.Asked)
				require.Len(t, events, 1)
				assert.Equal(t, q.CallID, events[0].CallID)
			})
		})
	}
}

// Opening the page decides nothing, whatever the client answers.
func TestApprovalSend_OnlyTheRulingCounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers map[string]string
		waits   time.Duration
	}{
		"accepted":                             {map[string]string{people.ApprovalKey: accepted}, 20 * time.Second},
		"accepted, with the content of a form": {map[string]string{people.ApprovalKey: confirmed}, 20 * time.Second},
		"declined":                             {map[string]string{people.ApprovalKey: declined}, 0},
		"cancelled":                            {map[string]string{people.ApprovalKey: `{"action":"cancel"}`}, 0},
		"malformed":                            {map[string]string{people.ApprovalKey: `{"action":"ACCEPT"}`}, 0},
		"not answered":                         {nil, 0},
		"a form that was not shown":            {map[string]string{people.ConfirmKey: confirmed}, 0},
		"an address for step-up":               {map[string]string{people.StepUpKey: accepted}, 0},
		"every key": {map[string]string{people.ConfirmKey: confirmed, people.StepUpKey: accepted,
			people.ApprovalKey: accepted}, 20 * time.Second},
	} {
		for mode, opts := range map[string][]guard.Option{
			"the client cannot ask": nil, "only the approver counts": {guard.WithPeople(guard.PeopleOptions{ApproverFrom: risk.Medium})},
		} {
			t.Run(name+", "+mode, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					n := &counter{}
					k, d := approvals(t, n.asking("pay.now").MustBuild(), opts...)
					q, answer := sends(t, k, d, c.answers)
					before := time.Now()
					r := k.send(answer)
					waits(t, r)
					assert.Equal(t, c.waits, time.Since(before))
					assert.Equal(t, desk, r.Outcome.URL)
					assert.Contains(t, r.Text, desk, "the person still learns where to decide")
					again, questions := d.last(t)
					assert.Equal(t, 1, questions)
					assert.False(t, again.ClientSends)

					// The client gets the address once.
					answer.State, answer.Answers = "", nil
					waits(t, k.send(answer))
					assert.Zero(t, n.runs.Load())
					k.decide(q, true)
					assert.Equal(t, contract.StatusOK, k.send(answer).Outcome.Status)
					assert.EqualValues(t, 1, n.runs.Load())
				})
			})
		}
	}
}

// The call of an older client asks within the call and waits for the ruling.
func TestApprovalSend_CallOfAnOlderClientWaitsForTheRuling(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		err    error
		decide bool // the person approves after a minute
		runs   int64
		waits  time.Duration
	}{
		"approved":             {accepted, nil, true, 1, time.Minute},
		"no decision":          {accepted, nil, false, 0, guard.DefaultQuestionTimeout},
		"declined":             {declined, nil, true, 0, 0},
		"malformed":            {`{}`, nil, true, 0, 0},
		"the client's failure": {"", errors.New("method not found"), true, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				k, d := approvals(t, n.asking("pay.now").MustBuild())
				var opened []people.Question
				req := guard.Request{
					Tool: "pay.now", Arguments: json.RawMessage(validPay),
					Client: guard.Client{
						Session: "1",
						AskURL: func(_ context.Context, q people.Question) (json.RawMessage, error) {
							opened = append(opened, q)
							if waiting, _ := d.last(t); c.decide {
								time.AfterFunc(time.Minute-1, func() { k.decide(waiting, true) })
							}
							return json.RawMessage(c.answer), c.err
						},
					},
				}
				before := time.Now()
				r := k.send(req)
				assert.Equal(t, c.waits, time.Since(before))
				if c.runs == 1 {
					require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
				} else {
					waits(t, r)
					assert.Equal(t, desk, r.Outcome.URL)
					waits(t, k.send(req))
				}
				require.Len(t, opened, 1, "a question is sent once")
				assert.Equal(t, people.ApprovalKey, opened[0].Key)
				assert.Equal(t, desk, opened[0].URL)
				assert.Equal(t, c.runs, n.runs.Load())
				time.Sleep(2 * time.Minute)
				if c.decide {
					assert.Contains(t, []contract.Status{contract.StatusOK, contract.StatusReplayed}, k.send(req).Outcome.Status)
					assert.EqualValues(t, 1, n.runs.Load())
				}
				events := k.events(audit.Asked)
				require.Len(t, events, 1)
			})
		})
	}
}

// No user is sent to a page on which other people decide.
func TestApprovalSend_OnlyWhereTheUserMayDecide(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address string
		opts    []guard.Option
	}{
		"other people decide":     {desk, []guard.Option{fourEyes}},
		"there is no address":     {"", nil},
		"the address is not good": {"javascript:alert(1)", nil},
	} {
		n := &counter{}
		k, d := approvals(t, n.asking("pay.now").MustBuild(), c.opts...)
		d.address = c.address
		waits(t, k.send(guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(validPay),
			Client: guard.Client{RoundsURL: true},
		}))
		q, _ := d.last(t)
		assert.Equal(t, c.opts == nil, q.ClientSends, name)
		waits(t, k.send(guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(otherPay),
			Client: guard.Client{
				Session: "1",
				AskURL: func(context.Context, people.Question) (json.RawMessage, error) {
					t.Errorf("%s: the client is asked", name)
					return json.RawMessage(accepted), nil
				},
			},
		}))
	}
}

// A client that shows forms is asked by one, unless only the approver counts.
func TestApprovalSend_FormsComeFirst(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, _ := approvals(t, n.asking("pay.now").MustBuild())
	r := k.urlRound(payNow)
	isQuestion(t, r)
	assert.Equal(t, people.ConfirmKey, r.Question.Key)
	assert.Empty(t, r.Question.URL)

	k, _ = approvals(t, n.asking("pay.now").MustBuild(), guard.WithPeople(guard.PeopleOptions{ApproverFrom: risk.Medium}))
	sentToApprover(t, k.urlRound(payNow))
}

// Closing the guard ends the wait.
func TestApprovalSend_ClosingEndsTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k, d := approvals(t, n.asking("pay.now").MustBuild(), guard.WithTimes(guard.Times{Drain: -1}))
		_, answer := sends(t, k, d, map[string]string{people.ApprovalKey: accepted})
		time.AfterFunc(3*time.Second, func() { _ = k.guard.Close(context.WithoutCancel(t.Context())) })
		before := time.Now()
		refused(t, k.send(answer), contract.CodeUnavailable, contract.ClassRetryable)
		assert.Less(t, time.Since(before), 20*time.Second)
		assert.Zero(t, n.runs.Load())
	})
}

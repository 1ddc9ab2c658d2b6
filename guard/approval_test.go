package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
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

const desk = "https://desk.example/approvals"

// A door is an approver that records its questions.
type door struct {
	address string
	err     error

	mu    sync.Mutex
	asked []people.PendingQuestion
}

func (d *door) Attach(guard.People) error { return nil }

func (d *door) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, q)
	return d.address, d.err
}

// last returns the newest question and the number of different ones.
func (d *door) last(t *testing.T) (people.PendingQuestion, int) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	require.NotEmpty(t, d.asked, "no question was asked")
	tokens := map[string]bool{}
	for _, q := range d.asked {
		tokens[q.Token] = true
	}
	return d.asked[len(d.asked)-1], len(tokens)
}

// dave decides. He has no permissions.
var dave = guard.Principal{Issuer: "staff", Subject: "dave", Human: true}

// waits asserts that the call waits for an approval.
func waits(t *testing.T, r *guard.Result) {
	t.Helper()
	refused(t, r, contract.CodeConfirmationPending, contract.ClassRetryable)
	require.Positive(t, r.Outcome.RetryAfterMs)
}

func approvals(t *testing.T, tool *contract.Tool, opts ...guard.Option) (*kit, *door) {
	t.Helper()
	d := &door{address: desk}
	return newKit(t, []*contract.Tool{tool}, append(opts, guard.WithPeople(guard.PeopleOptions{Approver: d}))...), d
}

func (k *kit) decide(q people.PendingQuestion, approve bool) {
	k.t.Helper()
	require.NoError(k.t, k.guard.People().Decide(k.t.Context(), q.Token, approve, dave))
}

func TestApproval_ApprovedCallRunsOnce(t *testing.T) {
	t.Parallel()
	for name, tool := range map[string]func(*counter) *contract.Tool{
		"a tool without keys": func(n *counter) *contract.Tool { return n.asking("pay.now").MustBuild() },
		"a managed tool": func(n *counter) *contract.Tool {
			return n.managedPayer("pay.now", byArguments, nil).ConfirmAlways().MustBuild()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k, d := approvals(t, tool(n))
			first := k.call(alice, "pay.now", validPay)
			waits(t, first)
			assert.Equal(t, desk, first.Outcome.URL)
			assert.Contains(t, first.Text, desk)
			assert.NotEmpty(t, first.Outcome.Hint)
			again := k.call(alice, "pay.now", validPay)
			waits(t, again)
			assert.Equal(t, desk, again.Outcome.URL)
			q, questions := d.last(t)
			require.Equal(t, 1, questions, "a repetition is the same question")
			assert.Equal(t, first.Outcome.CallID, q.CallID)
			assert.Equal(t, people.PrincipalName{Issuer: "test", Subject: "alice"}, q.Principal)
			assert.Contains(t, q.Question.Message, `"amount":10`)
			require.Zero(t, n.runs.Load())

			k.decide(q, true)
			ran := k.call(alice, "pay.now", validPay)
			require.Equal(t, contract.StatusOK, ran.Outcome.Status, ran.Text)
			assert.Equal(t, q.CallID, ran.Outcome.CallID, "the call has the id of its question")
			replayOf(t, ran, k.call(alice, "pay.now", validPay))
			assert.EqualValues(t, 1, n.runs.Load())

			terminals := map[string]int{}
			for _, e := range k.events(audit.Terminal) {
				terminals[e.CallID]++
				if e.Code == contract.CodeConfirmationPending {
					assert.Equal(t, audit.Ask, e.Decision)
				}
			}
			assert.Len(t, terminals, 3, "the repetition, the run and the replay")
			assert.Equal(t, 1, terminals[q.CallID])
			require.Len(t, k.log.Events(audit.Asked), 1)
			assert.Equal(t, q.CallID, k.log.Events(audit.Asked)[0].CallID)
			assert.Equal(t, audit.Ask, k.log.Events(audit.Asked)[0].Decision)
			assert.Equal(t, "asked", k.log.Events(audit.Asked)[0].Status)
			decided := k.log.Events(audit.Decided)
			require.Len(t, decided, 1)
			assert.Equal(t, []any{q.CallID, "decide", audit.Allow, "dave", "staff", false}, []any{
				decided[0].CallID, decided[0].Stage, decided[0].Decision, decided[0].Principal, decided[0].Issuer, decided[0].Agent,
			})
		})
	}
}

func TestApproval_DeclineIsRemembered(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.asking("pay.now").MustBuild())
	waits(t, k.call(alice, "pay.now", validPay))
	q, _ := d.last(t)
	k.decide(q, false)
	for range 2 {
		r := k.call(alice, "pay.now", validPay)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		assert.NotEmpty(t, r.Outcome.Hint)
	}
	// A client that can ask does not get the question either.
	r, err := k.round(payNow)
	require.NoError(t, err)
	refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
	waits(t, k.call(alice, "pay.now", `{"pay":{"amount":11}}`))
	assert.Zero(t, n.runs.Load())
}

func TestApproval_ThreeDeclinesEndTheAskingButApprovalsStand(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.asking("pay.now").MustBuild())
	amount := func(i int) string { return fmt.Sprintf(`{"pay":{"amount":%d}}`, i) }
	for i := range 4 {
		waits(t, k.call(alice, "pay.now", amount(i+1)))
		q, _ := d.last(t)
		k.decide(q, i == 0)
	}
	refused(t, k.call(alice, "pay.now", amount(9)), contract.CodeConfirmationDeclined, contract.ClassRetryable)
	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", amount(1)).Outcome.Status)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestApproval_TheFirstDecisionCounts(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		n := &counter{}
		k, d := approvals(t, n.asking("pay.now").MustBuild())
		k.call(alice, "pay.now", validPay)
		q, _ := d.last(t)
		k.decide(q, first)
		for _, second := range []bool{true, false} {
			require.ErrorIs(t, k.guard.People().Decide(t.Context(), q.Token, second, dave), people.ErrDecided)
		}
		opened, err := k.guard.People().OpenQuestion(t.Context(), q.Token, dave)
		require.NoError(t, err)
		require.NotNil(t, opened.Decision)
		assert.Equal(t, first, opened.Decision.Approved)
		assert.Equal(t, "dave", opened.Decision.By.Subject)
		assert.Equal(t, first, k.call(alice, "pay.now", validPay).Outcome.Status == contract.StatusOK)
	}
}

func TestApproval_OneOfManyConcurrentDecisionsCounts(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.asking("pay.now").MustBuild())
	k.call(alice, "pay.now", validPay)
	q, _ := d.last(t)
	var group sync.WaitGroup
	results := make(chan error, 20)
	for i := range 20 {
		group.Go(func() { results <- k.guard.People().Decide(t.Context(), q.Token, i%2 == 0, dave) })
	}
	group.Wait()
	close(results)
	counted := 0
	for err := range results {
		if err == nil {
			counted++
			continue
		}
		assert.True(t, errors.Is(err, people.ErrDecided) || errors.Is(err, guard.ErrUnavailable), err)
	}
	assert.Equal(t, 1, counted)
}

func decidedBy(deciders ...guard.Decider) guard.Option {
	return guard.WithPeople(guard.PeopleOptions{Deciders: deciders})
}

var fourEyes = decidedBy(guard.FourEyes)

func TestApproval_OnlyAuthorizedPeopleDecide(t *testing.T) {
	t.Parallel()
	refuses := func(context.Context, guard.Principal, people.PendingQuestion) error { return errSecret }
	panics := func(context.Context, guard.Principal, people.PendingQuestion) error { panic("no") }
	tenant := dave
	tenant.Tenant = "another"
	owner := guard.Principal{Issuer: "test", Subject: "alice", Human: true}
	for name, c := range map[string]struct {
		by   guard.Principal
		opts []guard.Option
		may  bool
	}{
		"anonymous":                     {guard.Principal{Human: true}, nil, false},
		"an agent":                      {guard.Principal{Issuer: "staff", Subject: "dave"}, nil, false},
		"the agent that calls":          {alice, nil, false},
		"a person of another tenant":    {tenant, nil, false},
		"a person":                      {dave, nil, true},
		"the agent's person":            {owner, nil, true},
		"the agent's person, four eyes": {owner, []guard.Option{fourEyes}, false},
		"another person, four eyes":     {dave, []guard.Option{fourEyes}, true},
		"the first decider refuses":     {dave, []guard.Option{decidedBy(refuses, guard.FourEyes)}, false},
		"the last decider refuses":      {dave, []guard.Option{decidedBy(guard.FourEyes, refuses)}, false},
		"a decider panics":              {dave, []guard.Option{decidedBy(panics)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k, d := approvals(t, n.asking("pay.now").MustBuild(), c.opts...)
			k.call(alice, "pay.now", validPay)
			q, _ := d.last(t)
			_, openErr := k.guard.People().OpenQuestion(t.Context(), q.Token, c.by)
			decideErr := k.guard.People().Decide(t.Context(), q.Token, true, c.by)
			if c.may {
				require.NoError(t, openErr)
				require.NoError(t, decideErr)
				assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
				return
			}
			require.ErrorIs(t, openErr, people.ErrMayNotDecide)
			require.ErrorIs(t, decideErr, people.ErrMayNotDecide)
			waits(t, k.call(alice, "pay.now", validPay))
			assert.Zero(t, n.runs.Load())
		})
	}
}

func TestApproval_IsBoundToOneCallOfOnePrincipal(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.asking("pay.now").MustBuild())
	k.call(alice, "pay.now", validPay)
	q, _ := d.last(t)
	k.decide(q, true)
	waits(t, k.call(carol, "pay.now", validPay))
	waits(t, k.call(alice, "pay.now", `{"pay":{"amount":11}}`))
	waits(t, k.call(alice, "pay.now", `{"pay":{"amount":10},"note":""}`))
	r, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Server: "another"})
	require.NoError(t, err)
	waits(t, r)
	less := alice
	less.Permissions = nil
	refused(t, k.call(less, "pay.now", validPay), contract.CodePermissionDenied, contract.ClassFatal)
	require.Zero(t, n.runs.Load())
	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", ` { "pay" : {"amount": 1e1} } `).Outcome.Status)
}

func TestApproval_AnotherContractIsAnotherQuestion(t *testing.T) {
	t.Parallel()
	n := &counter{}
	store, key := guard.WithStore(newMemory(t)), guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32))
	k, d := approvals(t, n.asking("pay.now").MustBuild(), store, key)
	k.call(alice, "pay.now", validPay)
	q, _ := d.last(t)
	k.decide(q, true)
	changed, _ := approvals(t, n.asking("pay.now").Version("1.0.1").MustBuild(), store, key)
	waits(t, changed.call(alice, "pay.now", validPay))
	assert.Zero(t, n.runs.Load())
}

func TestApproval_EveryReplicaShowsDecidesAndRuns(t *testing.T) {
	t.Parallel()
	n := &counter{}
	store, key := guard.WithStore(newMemory(t)), guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32))
	tool := n.asking("pay.now").MustBuild()
	one, door1 := approvals(t, tool, store, key)
	two, door2 := approvals(t, tool, store, key)
	stranger, _ := approvals(t, tool)
	first := one.call(alice, "pay.now", validPay)
	waits(t, two.call(alice, "pay.now", validPay))
	q1, _ := door1.last(t)
	q2, _ := door2.last(t)
	assert.Equal(t, q1.Token, q2.Token, "it is one question")
	shown, err := two.guard.People().OpenQuestion(t.Context(), q1.Token, dave)
	require.NoError(t, err)
	assert.Equal(t, q1.Question, shown.Question)
	_, err = stranger.guard.People().OpenQuestion(t.Context(), q1.Token, dave)
	require.ErrorIs(t, err, people.ErrNoQuestion)

	two.decide(q1, true)
	require.ErrorIs(t, one.guard.People().Decide(t.Context(), q1.Token, false, dave), people.ErrDecided)
	ran := two.call(alice, "pay.now", validPay)
	require.Equal(t, contract.StatusOK, ran.Outcome.Status)
	assert.Equal(t, first.Outcome.CallID, ran.Outcome.CallID)
	replayOf(t, ran, one.call(alice, "pay.now", validPay))
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestApproval_FiftyConcurrentRepetitionsRunOnce(t *testing.T) {
	t.Parallel()
	for name, tool := range map[string]func(*counter) *contract.Tool{
		"a tool without keys": func(n *counter) *contract.Tool { return n.asking("pay.now").MustBuild() },
		"a tool with the client's keys": func(n *counter) *contract.Tool {
			return n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways().MustBuild()
		},
	} {
		n := &counter{}
		k, d := approvals(t, tool(n))
		k.callKeyed(alice, "pay.now", validPay, "k")
		q, _ := d.last(t)
		k.decide(q, true)
		var group sync.WaitGroup
		for i := range 50 {
			group.Go(func() { k.callKeyed(alice, "pay.now", validPay, fmt.Sprint("k", i)) })
		}
		group.Wait()
		assert.EqualValues(t, 1, n.runs.Load(), name)
		_, questions := d.last(t)
		assert.LessOrEqual(t, questions, 2, name)
	}
}

// A call whose approval is spent is asked again, so every approval ends.
func TestThreat104_SpentApprovalIsAskedAgain(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways().MustBuild())
	call := func(key string) *guard.Result { return k.callKeyed(alice, "pay.now", validPay, key) }
	waits(t, call("k1"))
	for i, key := range []string{"k1", "k2", "k3"} {
		q, questions := d.last(t)
		require.Equal(t, i+1, questions)
		k.decide(q, true)
		ran := call(key)
		require.Equal(t, contract.StatusOK, ran.Outcome.Status, ran.Text)
		require.EqualValues(t, i+1, n.runs.Load())
		replayOf(t, ran, call(key))
		waits(t, call(fmt.Sprint("k", i+2)))
	}
	q, _ := d.last(t)
	k.decide(q, false)
	refused(t, call("k4"), contract.CodeConfirmationDeclined, contract.ClassRetryable)
}

func TestApproval_RetryableFailureIsAskedAgain(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.managedPayer("pay.now", byArguments, func(context.Context,
		payInput) error {
		return errNoFunds
	}).ConfirmAlways().MustBuild())
	k.call(alice, "pay.now", validPay)
	q, _ := d.last(t)
	k.decide(q, true)
	refused(t, k.call(alice, "pay.now", validPay), errNoFunds.Code(), contract.ClassRetryable)
	waits(t, k.call(alice, "pay.now", validPay))
	_, questions := d.last(t)
	assert.Equal(t, 2, questions)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestApproval_QuestionExpires(t *testing.T) {
	t.Parallel()
	for _, approved := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			n := &counter{}
			k, d := approvals(t, n.asking("pay.now").MustBuild())
			k.call(alice, "pay.now", validPay)
			old, _ := d.last(t)
			assert.Equal(t, guard.DefaultQuestionTTL, old.Expires.Sub(old.Issued))
			if approved {
				k.decide(old, true)
			}
			time.Sleep(guard.DefaultQuestionTTL)
			_, err := k.guard.People().OpenQuestion(t.Context(), old.Token, dave)
			require.ErrorIs(t, err, people.ErrNoQuestion)
			waits(t, k.call(alice, "pay.now", validPay))
			q, questions := d.last(t)
			require.Equal(t, 2, questions, "it is a new question")
			require.ErrorIs(t, k.guard.People().Decide(t.Context(), old.Token, true, dave), people.ErrNoQuestion)
			waits(t, k.call(alice, "pay.now", validPay))
			time.Sleep(guard.DefaultQuestionTTL - time.Millisecond)
			k.decide(q, true)
			assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
			assert.EqualValues(t, 1, n.runs.Load())
			require.NoError(t, k.guard.Close(t.Context()))
		})
	}
}

func TestApproval_AtMostTenQuestionsOfAPrincipalWait(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.asking("pay.now").MustBuild())
	amount := func(i int) string { return fmt.Sprintf(`{"pay":{"amount":%d}}`, i) }
	for i := range 10 {
		waits(t, k.call(alice, "pay.now", amount(i+1)))
	}
	r := k.call(alice, "pay.now", amount(11))
	refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
	assert.Positive(t, r.Outcome.RetryAfterMs)
	waits(t, k.call(alice, "pay.now", amount(10)))
	waits(t, k.call(carol, "pay.now", amount(11)))
	k.call(alice, "pay.now", amount(1))
	q, _ := d.last(t)
	k.decide(q, true)
	waits(t, k.call(alice, "pay.now", amount(11)))
}

func TestApproval_MalformedTokenIsRejected(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.asking("pay.now").MustBuild())
	k.call(alice, "pay.now", validPay)
	q, _ := d.last(t)
	assert.Less(t, len(q.Token), 200)
	state := k.asked(payNow).State
	for _, bad := range []string{"", "garbage", "tc1.", q.Token[:len(q.Token)-1], q.Token + "A", strings.ToUpper(q.Token),
		" " + q.Token, state} {
		_, err := k.guard.People().OpenQuestion(t.Context(), bad, dave)
		require.ErrorIs(t, err, people.ErrNoQuestion)
		require.ErrorIs(t, k.guard.People().Decide(t.Context(), bad, true, dave), people.ErrNoQuestion)
	}
	_, err := k.round(payNow.with(q.Token, confirmed))
	require.ErrorIs(t, err, guard.ErrRejectedState)
	assert.Zero(t, n.runs.Load())
}

func TestApproval_ClientThatCanAskIsPreferred(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.asking("pay.now").MustBuild())
	q := k.asked(payNow)
	r, err := k.round(payNow.with(q.State, confirmed))
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, r.Outcome.Status)
	assert.Empty(t, d.asked)
}

// A client that lies has no part in the approver's answer.
func TestThreat41_ClientAnswerDoesNotCountIfTheApproverIsDemanded(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tools := []*contract.Tool{n.asking("pay.now").MustBuild(), n.asking("pay.all").Risk(risk.Critical).MustBuild()}
	store, key := guard.WithStore(newMemory(t)), guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32))
	d := &door{}
	k := newKit(t, tools, store, key, guard.WithPeople(guard.PeopleOptions{Approver: d, ApproverFrom: risk.Critical}))
	lax := newKit(t, tools, store, key)
	k.asked(payNow) // the client may confirm a medium-risk call
	all := payNow
	all.tool = "pay.all"
	state := lax.asked(all).State
	for _, r := range []round{all, all.with("", confirmed), all.with(state, confirmed)} {
		result, err := k.round(r)
		require.NoError(t, err)
		waits(t, result)
		assert.Empty(t, result.Outcome.URL, "the approver has no address")
	}
	result, err := k.set.Call(as(t.Context(), alice), guard.Request{
		Tool: "pay.all", Arguments: json.RawMessage(validPay),
		Client: guard.Client{
			Ask: func(context.Context, people.Question) (json.RawMessage, error) {
				return json.RawMessage(confirmed), nil
			},
		},
	})
	require.NoError(t, err)
	waits(t, result)
	require.Zero(t, n.runs.Load())
	q, questions := d.last(t)
	require.Equal(t, 1, questions)
	k.decide(q, true)
	result, err = k.round(all)
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, result.Outcome.Status)
}

func TestApproval_AnonymousCallIsNotAsked(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := reader("text.read", func(context.Context) (string, error) {
		n.runs.Add(1)
		return "", nil
	}).ConfirmAlways().MustBuild()
	for _, opts := range [][]guard.Option{nil, {guard.WithPeople(guard.PeopleOptions{ApproverFrom: risk.Low})}} {
		k, d := approvals(t, tool, opts...)
		refused(t, k.call(guard.Principal{}, "text.read", `{}`), contract.CodeConfirmationRequired, contract.ClassFatal)
		assert.Empty(t, d.asked)
		assert.Zero(t, n.runs.Load())
	}
}

func TestApproval_FailedApproverIsUnavailable(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.asking("pay.now").MustBuild())
	d.err = errSecret
	r := k.call(alice, "pay.now", validPay)
	refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
	assert.NotContains(t, r.Text, "pq")
	d.err = nil
	waits(t, k.call(alice, "pay.now", validPay))
	q, questions := d.last(t)
	assert.Equal(t, 1, questions)
	k.decide(q, true)
	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
}

func TestApproval_InvalidAddressIsNotSent(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"/approvals", "javascript:alert(1)", "file:///etc/passwd", "https://a b/", "https://x/\nforged",
		"https://u:p@x/", "https://x/" + strings.Repeat("a", 4000)} {
		n := &counter{}
		k, d := approvals(t, n.asking("pay.now").MustBuild())
		d.address = address
		r := k.call(alice, "pay.now", validPay)
		waits(t, r)
		assert.Empty(t, r.Outcome.URL)
		assert.NotContains(t, r.Text, address)
	}
}

// A decision that is not recorded in the log does not count.
func TestApproval_DecisionNeedsTheAuditLog(t *testing.T) {
	t.Parallel()
	n := &counter{}
	down := guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { return errors.New("disk full") }))
	k, d := approvals(t, n.asking("pay.now").MustBuild(), down)
	k.call(alice, "pay.now", validPay)
	q, _ := d.last(t)
	require.ErrorIs(t, k.guard.People().Decide(t.Context(), q.Token, true, dave), guard.ErrUnavailable)
	waits(t, k.call(alice, "pay.now", validPay))
}

func TestThreat113_StoreAndLogDoNotHoldTheShownArguments(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &spy{Memory: newMemory(t)}
	k, d := approvals(t, n.asking("pay.now").MustBuild(), guard.WithStore(s))
	const arguments = `{"pay":{"amount":10},"note":"meet me at noon"}`
	r := k.call(alice, "pay.now", arguments)
	waits(t, r)
	q, _ := d.last(t)
	assert.Contains(t, q.Question.Message, "meet me at noon")
	k.decide(q, true)
	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", arguments).Outcome.Status)
	require.NoError(t, k.guard.Close(t.Context()))
	log, err := json.Marshal(k.log.Events())
	require.NoError(t, err)
	for _, kept := range []string{string(log), fmt.Sprintf("%+v", s.claims), fmt.Sprintf("%s", s.completions), q.Token, r.Text} {
		assert.NotContains(t, kept, "noon")
	}
}

func TestApproval_InvalidOptionsAreErrors(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]guard.Option{
		"a nil approver": {guard.WithPeople(guard.PeopleOptions{Approver: nil})},
		"no deciders":    {guard.WithPeople(guard.PeopleOptions{Approver: &door{}, Deciders: []guard.Decider{}})},
		"a nil decider": {guard.WithPeople(guard.PeopleOptions{
			Approver: &door{}, Deciders: []guard.Decider{guard.FourEyes, nil},
		})},
		"no level of ours":             {guard.WithPeople(guard.PeopleOptions{Approver: &door{}, ApproverFrom: risk.Level(200)})},
		"a level without an approver":  {guard.WithPeople(guard.PeopleOptions{ApproverFrom: risk.Critical})},
		"deciders without an approver": {fourEyes},
	} {
		_, err := guard.New(opts...)
		require.Error(t, err, name)
	}
}

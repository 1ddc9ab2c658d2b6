package guard_test

import (
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
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
)

const (
	accepted = `{"action":"accept"}`
	lately   = 5 * time.Minute
)

var demand = contract.StepUp{When: "Money moves.", MaxAge: 5 * time.Minute, ACR: "mfa"}

// A page records the step-up requests that it gets.
type page struct {
	mu   sync.Mutex
	seen []people.StepUpRequest
}

func (p *page) address(_ context.Context, r people.StepUpRequest) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, r)
	return "https://id.example/step-up?id=" + r.ID, nil
}

func (p *page) last() people.StepUpRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[len(p.seen)-1]
}

// strong returns p with an authentication made just now.
func strong(p guard.Principal) guard.Principal {
	p.AuthTime, p.ACR = time.Now(), "mfa"
	return p
}

// steppingUp returns a payer that demands step-up and no confirmation.
func (n *counter) steppingUp(name string) *contract.Builder[payInput, payOutput] {
	return n.payer(name).StepUp(demand)
}

// urlRound makes a call of a client that opens addresses and shows forms.
func (k *kit) urlRound(r round) *guard.Result {
	k.t.Helper()
	result, err := k.tryURLRound(r)
	require.NoError(k.t, err)
	k.complete(r.tool, result)
	return result
}

func (k *kit) tryURLRound(r round) (*guard.Result, error) {
	req := guard.Request{
		Tool: r.tool, Arguments: json.RawMessage(r.arguments), Server: r.server,
		Client: guard.Client{Rounds: true, RoundsURL: true, State: r.state},
	}
	if r.answer != "" {
		req.Answers = map[string]json.RawMessage{r.answerKey: json.RawMessage(r.answer)}
	}
	return k.set.Call(as(k.t.Context(), r.who), req)
}

// opened returns r with an answer to the request to open the address.
func (r round) opened(state, answer string) round {
	r.state, r.answer, r.answerKey = state, answer, people.StepUpKey
	return r
}

// sent asserts that the result sends a person to the page.
func sent(t testing.TB, r *guard.Result) *guard.Result {
	t.Helper()
	isQuestion(t, r)
	require.NotEmpty(t, r.Question.URL)
	require.Contains(t, r.Question.URL, r.Question.ID)
	require.NotContains(t, r.Question.Message, "://")
	return r
}

func TestStepUp_ChecksAgeAndClass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		for _, c := range []struct {
			name  string
			at    time.Time
			acr   string
			lacks contract.StepUp
		}{
			{"fresh and strong", now, "mfa", contract.StepUp{}},
			{"at the maximum age", now.Add(-lately), "mfa", contract.StepUp{}},
			{"one tick older", now.Add(-lately - 1), "mfa", contract.StepUp{MaxAge: 5 * time.Minute}},
			{"unknown time", time.Time{}, "mfa", contract.StepUp{MaxAge: 5 * time.Minute}},
			{"one minute ahead", now.Add(time.Minute), "mfa", contract.StepUp{}},
			{"more than a minute ahead", now.Add(time.Minute + 1), "mfa", contract.StepUp{MaxAge: 5 * time.Minute}},
			{"another class", now, "pwd", contract.StepUp{ACR: "mfa"}},
			{"no class", now, "", contract.StepUp{ACR: "mfa"}},
			{"the class in another case", now, "MFA", contract.StepUp{ACR: "mfa"}},
			{"too old and another class", now.Add(-time.Hour), "pwd", contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"}},
		} {
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()})
			who := alice
			who.AuthTime, who.ACR = c.at, c.acr
			r := k.call(who, "pay.now", validPay)
			if c.lacks == (contract.StepUp{}) {
				assert.False(t, r.IsError, c.name)
				continue
			}
			refused(t, r, contract.CodeStepUpRequired, contract.ClassFatal)
			assert.Equal(t, &c.lacks, r.Outcome.StepUp, c.name)
			assert.Equal(t, c.lacks.MaxAge > 0, strings.Contains(r.Text, "5m0s"), c.name)
			assert.Equal(t, c.lacks.ACR != "", strings.Contains(r.Text, "mfa"), c.name)
			assert.Zero(t, n.runs.Load(), c.name)
		}
	})
}

func TestStepUp_UndeclaredDemandIsNotChecked(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{
		n.payer("pay.recent").StepUp(contract.StepUp{MaxAge: time.Minute}).MustBuild(),
		n.payer("pay.strong").StepUp(contract.StepUp{ACR: "mfa"}).MustBuild(),
	})
	recent, old := alice, alice
	recent.AuthTime, old.ACR = time.Now(), "mfa"
	assert.False(t, k.call(recent, "pay.recent", validPay).IsError)
	assert.False(t, k.call(old, "pay.strong", validPay).IsError)
	refused(t, k.call(old, "pay.recent", validPay), contract.CodeStepUpRequired, contract.ClassFatal)
	refused(t, k.call(recent, "pay.strong", validPay), contract.CodeStepUpRequired, contract.ClassFatal)
}

func TestStepUp_PageGetsTheDemandAndTheCall(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	q := sent(t, k.urlRound(payNow))
	r := p.last()
	assert.Equal(t, q.Question.ID, r.ID)
	assert.Equal(t, demand, r.Demand)
	assert.Equal(t, "pay.now", r.Tool)
	assert.Equal(t, people.PrincipalName{Issuer: "test", Subject: "alice"}, r.Principal)
	assert.Equal(t, q.Outcome.CallID, r.CallID)
	assert.Contains(t, q.Question.Message, "Money moves.")
	opened, err := k.guard.People().OpenStepUp(t.Context(), r.ID, alice)
	require.NoError(t, err)
	require.NotNil(t, opened.Question)
	assert.Contains(t, opened.Question.Message, `"pay": {"amount":10}`)
	assert.Contains(t, opened.Question.Facts, `Risk medium, effect low-risk-write, cannot be undone, on behalf of "alice".`)
	r.Demand.When, r.Question = "", opened.Question // the id does not carry texts
	assert.Equal(t, r, opened)
	_, err = k.guard.People().OpenStepUp(t.Context(), r.ID, carol)
	require.ErrorIs(t, err, people.ErrStepUpForeign)
	_, err = k.guard.People().OpenStepUp(t.Context(), "nonsense", alice)
	require.ErrorIs(t, err, people.ErrNoStepUp)
}

func TestStepUp_OneAuthenticationRunsOnce(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	q := sent(t, k.urlRound(payNow))
	require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
	require.ErrorIs(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)), people.ErrStepUpUsed)
	first := k.urlRound(payNow.opened(q.State, accepted))
	require.False(t, first.IsError, first.Text)
	again := k.urlRound(payNow.opened(q.State, accepted))
	assert.Equal(t, contract.StatusReplayed, again.Outcome.Status)
	sent(t, k.urlRound(payNow)) // an equal call needs a new authentication
	assert.EqualValues(t, 1, n.runs.Load())

	decided := k.events(audit.Decided)
	require.Len(t, decided, 2, "the second attempt is on record")
	assert.Equal(t, "completestepup", decided[0].Stage)
	assert.Equal(t, first.Outcome.CallID, decided[0].CallID, "the call has the id of its question")
	assert.Equal(t, "alice", decided[0].Principal)
	assert.Equal(t, []any{audit.Deny, "error"}, []any{decided[1].Decision, decided[1].Status})
}

func TestStepUp_ExpiredAuthenticationIsAskedForAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}), guard.WithTimes(guard.Times{QuestionTTL: time.Hour}))
		q := sent(t, k.urlRound(payNow))
		require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
		time.Sleep(lately + 1)
		again := sent(t, k.urlRound(payNow.opened(q.State, accepted)))
		assert.NotEqual(t, q.Question.ID, again.Question.ID)
		require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), again.Question.ID, strong(alice)))
		r := k.urlRound(payNow.opened(again.State, accepted))
		require.False(t, r.IsError, r.Text)
		assert.EqualValues(t, 1, n.runs.Load())
	})
}

func TestStepUp_DeclineIsRefusedWithTheMissingDemand(t *testing.T) {
	t.Parallel()
	n, p := &counter{}, &page{}
	k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	for i, answer := range []string{declined, cancelled, declined} {
		call := payNow
		call.arguments = fmt.Sprintf(`{"pay":{"amount":%d}}`, i+1)
		q := sent(t, k.urlRound(call))
		r := k.urlRound(call.opened(q.State, answer))
		refused(t, r, contract.CodeStepUpRequired, contract.ClassFatal)
		assert.Equal(t, &contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"}, r.Outcome.StepUp)
		refused(t, k.urlRound(call), contract.CodeStepUpRequired, contract.ClassFatal) // the decline is remembered
	}
	refused(t, k.urlRound(payNow), contract.CodeStepUpRequired, contract.ClassFatal) // three declines end the asking
	k = newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	q := sent(t, k.urlRound(payNow)) // a malformed answer is asked again
	for _, answer := range []string{`{"action":"ACCEPT"}`, `null`, `12345`, `{}`} {
		q = sent(t, k.urlRound(payNow.opened(q.State, answer)))
	}
	assert.Zero(t, n.runs.Load())
}

func TestStepUp_FailedPageIsNotOpened(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]guard.StepUpPage{
		"an error":           func(context.Context, people.StepUpRequest) (string, error) { return "", errors.New("down") },
		"a panic":            func(context.Context, people.StepUpRequest) (string, error) { panic("down") },
		"no address":         func(context.Context, people.StepUpRequest) (string, error) { return "", nil },
		"a script":           func(context.Context, people.StepUpRequest) (string, error) { return "javascript:alert(1)", nil },
		"a relative address": func(context.Context, people.StepUpRequest) (string, error) { return "/step-up", nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
				guard.WithPeople(guard.PeopleOptions{StepUpPage: address}))
			refused(t, k.urlRound(payNow), contract.CodeUnavailable, contract.ClassRetryable)
			assert.Zero(t, n.runs.Load())
		})
	}
	_, err := guard.New(guard.WithPeople(guard.PeopleOptions{StepUpPage: nil}))
	require.Error(t, err)
}

// If the store cannot report the authentication, nothing runs. If it cannot
// record the authentication, the page gets an error.
func TestStepUp_FailedStoreRunsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, stepUpWithFailedStore)
}

func stepUpWithFailedStore(t *testing.T) {
	n, p := &counter{}, &page{}
	s := newFaulty(t)
	k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}), guard.WithStore(s))
	q := sent(t, k.urlRound(payNow))
	s.FailBefore(faultystore.Claim, faultystore.Every, nil)
	refused(t, k.urlRound(payNow), contract.CodeUnavailable, contract.ClassRetryable)
	s.Heal()
	for _, operation := range []faultystore.Operation{faultystore.Get, faultystore.Claim} {
		s.FailBefore(operation, faultystore.Every, nil)
		require.ErrorIs(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)), guard.ErrUnavailable)
		s.Heal()
	}
	s.FailBefore(faultystore.Get, faultystore.Every, nil)
	refused(t, k.urlRound(payNow.opened(q.State, accepted)), contract.CodeUnavailable, contract.ClassRetryable)
	s.Heal()
	require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
	r := k.urlRound(payNow.opened(q.State, accepted))
	require.False(t, r.IsError, r.Text)
	assert.EqualValues(t, 1, n.runs.Load())
}

// The call of an older client asks within the call and waits for the page.
func TestStepUp_CallOfAnOlderClientWaitsForThePage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		call := func(answer string, meanwhile func(people.Question)) *guard.Result {
			r, err := k.set.Call(as(t.Context(), alice), guard.Request{
				Tool: "pay.now", Arguments: json.RawMessage(validPay),
				Client: guard.Client{
					Session: "1",
					AskURL: func(_ context.Context, q people.Question) (json.RawMessage, error) {
						go meanwhile(q)
						return json.RawMessage(answer), nil
					},
				},
			})
			require.NoError(t, err)
			return r
		}
		r := call(accepted, func(q people.Question) {
			time.Sleep(time.Minute)
			assert.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.ID, strong(alice)))
		})
		require.False(t, r.IsError, r.Text)
		before := time.Now()
		refused(t, call(accepted, func(people.Question) {}), contract.CodeStepUpRequired, contract.ClassFatal)
		assert.Equal(t, guard.DefaultQuestionTimeout, time.Since(before))
		refused(t, call(declined, func(people.Question) {}), contract.CodeStepUpRequired, contract.ClassFatal)
		refused(t, call(`{}`, func(people.Question) {}), contract.CodeStepUpRequired, contract.ClassFatal)
		assert.EqualValues(t, 1, n.runs.Load())
	})
}

// A managed call that already ran is replayed without step-up.
func TestStepUp_ReplayNeedsNoStepUp(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).StepUp(demand).MustBuild()})
	require.False(t, k.call(strong(alice), "pay.now", validPay).IsError)
	assert.Equal(t, contract.StatusReplayed, k.call(alice, "pay.now", validPay).Outcome.Status)
	assert.EqualValues(t, 1, n.runs.Load())
}

// Each security level is enforced by the clauses that the tool declares for it.
func TestSecurityLevel_IsEnforcedByItsClauses(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{
		n.payer("pay.known").NoPermissions("Everyone may.").SecurityLevel(1).MustBuild(),
		n.payer("pay.allowed").SecurityLevel(4).MustBuild(),
		n.payer("pay.asked").SecurityLevel(8).MustBuild(),
		n.payer("pay.proved").SecurityLevel(10).StepUp(demand).MustBuild(),
	})
	for _, tool := range k.set.Tools() {
		refused(t, k.call(guard.Principal{}, tool.Name(), validPay), contract.CodeUnauthenticated, contract.ClassFatal)
	}
	refused(t, k.call(bob, "pay.allowed", validPay), contract.CodePermissionDenied, contract.ClassFatal)
	refused(t, k.call(alice, "pay.asked", validPay), contract.CodeConfirmationRequired, contract.ClassFatal)
	refused(t, k.call(alice, "pay.proved", validPay), contract.CodeStepUpRequired, contract.ClassFatal)
	assert.Zero(t, n.runs.Load())
	assert.False(t, k.call(alice, "pay.allowed", validPay).IsError)
	assert.False(t, k.call(strong(alice), "pay.proved", validPay).IsError)
}

// A caller with a better authentication may call, even after many refusals of
// the same call.
func TestStepUp_RefusalsDoNotUseUpTheRetries(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()}, guard.WithRetryBudget(1, time.Hour))
	for range 3 {
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeStepUpRequired, contract.ClassFatal)
	}
	assert.False(t, k.call(strong(alice), "pay.now", validPay).IsError)
}

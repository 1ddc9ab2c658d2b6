package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

const (
	confirmed = `{"action":"accept","content":{"confirm":true}}`
	declined  = `{"action":"decline"}`
	cancelled = `{"action":"cancel"}`
)

// A round is one call of a client that gets questions as results.
type round struct {
	who       guard.Principal
	tool      string
	arguments string
	key       string // the client's idempotency key; empty: none
	state     string
	answer    string // empty: none
	answerKey string // empty: confirm
	server    string
}

func (k *kit) round(r round) (*guard.Result, error) {
	k.t.Helper()
	req := guard.Request{
		Tool: r.tool, Arguments: json.RawMessage(r.arguments), Server: r.server,
		Client: guard.Client{Rounds: true, State: r.state},
	}
	if r.key != "" {
		req.IdempotencyKey = &r.key
	}
	if r.answer != "" {
		key := people.ConfirmKey
		if r.answerKey != "" {
			key = r.answerKey
		}
		req.Answers = map[string]json.RawMessage{key: json.RawMessage(r.answer)}
	}
	result, err := k.set.Call(as(k.t.Context(), r.who), req)
	if err == nil {
		k.complete(r.tool, result)
	}
	return result, err
}

// asked makes a call and asserts that its result is a question.
func (k *kit) asked(r round) *guard.Result {
	k.t.Helper()
	result, err := k.round(r)
	require.NoError(k.t, err)
	isQuestion(k.t, result)
	return result
}

func isQuestion(t testing.TB, r *guard.Result) {
	t.Helper()
	require.Equal(t, contract.StatusAsked, r.Outcome.Status, r.Text)
	require.NotNil(t, r.Question)
	require.NotEmpty(t, r.State)
	require.False(t, r.IsError)
	require.Nil(t, r.Structured)
}

// asking returns a payer that always asks for confirmation.
func (n *counter) asking(name string) *contract.Builder[payInput, payOutput] {
	return n.payer(name).ConfirmAlways()
}

var payNow = round{who: alice, tool: "pay.now", arguments: validPay}

func (r round) with(state, answer string) round {
	r.state, r.answer = state, answer
	return r
}

func TestThreat28_PermissionRevokedDuringAQuestionRefusesTheCall(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
	q := k.asked(payNow)
	second := payNow.with(q.State, confirmed)
	second.who.Permissions = nil
	r, err := k.round(second)
	require.NoError(t, err)
	refused(t, r, contract.CodePermissionDenied, contract.ClassFatal)
	assert.Zero(t, n.runs.Load())
}

func TestThreat41_AnswerWithoutAStateDoesNotCount(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
	k.asked(payNow.with("", confirmed))
	r, err := k.set.Call(as(t.Context(), alice), guard.Request{
		Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Client: guard.Client{Answers: map[string]json.RawMessage{"confirm": json.RawMessage(confirmed)}},
	})
	require.NoError(t, err)
	refused(t, r, contract.CodeConfirmationRequired, contract.ClassFatal)
	assert.Zero(t, n.runs.Load())
}

func TestThreat42_MalformedStateIsAnError(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
	state := k.asked(payNow).State
	for _, bad := range []string{"garbage", "{}", "null", "tc1.", state[:len(state)-1], state[:len(state)/2], state[1:], state + "A",
		strings.ToUpper(state), state + "=", " " + state, state + "\n"} {
		_, err := k.round(payNow.with(bad, confirmed))
		require.ErrorIs(t, err, guard.ErrRejectedState)
	}
	assert.Zero(t, n.runs.Load())
	events := k.events(audit.Terminal)
	require.NotEmpty(t, events)
	for _, e := range events {
		assert.Equal(t, "rejected_state", e.Code)
		assert.Equal(t, audit.Deny, e.Decision)
	}
}

func TestThreat43_AlteredStateIsRejectedWithOneError(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
	state, other := k.asked(payNow).State, k.asked(payNow).State
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	altered := []string{state + "-TAMPERED", strings.Replace(state, "tc1.", "tc2.", 1), strings.Replace(state, "tc1.", "", 1),
		other[:len(other)/2] + state[len(state)/2:]}
	for i := range state {
		for _, c := range []byte{alphabet[(strings.IndexByte(alphabet, state[i])+1)%64], '!', state[i] ^ 1} {
			if c != state[i] {
				altered = append(altered, state[:i]+string(c)+state[i+1:])
			}
		}
	}
	for _, bad := range altered {
		r, err := k.round(payNow.with(bad, confirmed))
		require.Nil(t, r)
		require.Equal(t, guard.ErrRejectedState, err)
	}
	assert.Zero(t, n.runs.Load())
}

func TestThreat44_AnswerIsBoundToItsArguments(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
	q := k.asked(round{who: alice, tool: "pay.now", arguments: `{"pay":{"amount":10},"note":"a"}`})
	for _, changed := range []string{`{"pay":{"amount":11},"note":"a"}`, `{"pay":{"amount":10},"note":"b"}`, `{"pay":{"amount":10}}`,
		`{"pay":{"amount":10},"note":""}`} {
		_, err := k.round(round{who: alice, tool: "pay.now", arguments: changed, state: q.State, answer: confirmed})
		require.ErrorIs(t, err, guard.ErrRejectedState, changed)
	}
	require.Zero(t, n.runs.Load())
	r, err := k.round(round{who: alice, tool: "pay.now", arguments: `{ "note" : "\u0061", "pay" : { "amount" : 1e1 } }`,
		state: q.State, answer: confirmed})
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, r.Outcome.Status)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestThreat47_RepeatedAnswerReplaysTheOutcome(t *testing.T) {
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
			k := newKit(t, []*contract.Tool{tool(n)})
			q := k.asked(payNow)
			first, err := k.round(payNow.with(q.State, confirmed))
			require.NoError(t, err)
			require.Equal(t, contract.StatusOK, first.Outcome.Status)
			assert.Equal(t, q.Outcome.CallID, first.Outcome.CallID, "the call has the id of its question")
			second, err := k.round(payNow.with(q.State, confirmed))
			require.NoError(t, err)
			replayOf(t, first, second)
			assert.EqualValues(t, 1, n.runs.Load())

			terminals := map[string]int{}
			for _, e := range k.events(audit.Terminal) {
				terminals[e.CallID]++
			}
			assert.Equal(t, map[string]int{first.Outcome.CallID: 1, second.Outcome.CallID: 1}, terminals)
			require.Len(t, k.log.Events(audit.Asked), 1)
			assert.Equal(t, q.Outcome.CallID, k.log.Events(audit.Asked)[0].CallID)
			assert.Equal(t, audit.Ask, k.log.Events(audit.Asked)[0].Decision)
		})
	}
}

// A retryable failure is also the outcome, because the person approved one
// execution.
func TestThreat47_FailureSpendsTheAnswer(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := contract.New("pay.now", func(context.Context, payInput) (payOutput, error) {
		n.runs.Add(1)
		return payOutput{}, errNoFunds
	}).From(writing()).ConfirmAlways().MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	q := k.asked(payNow)
	for range 2 {
		r, err := k.round(payNow.with(q.State, confirmed))
		require.NoError(t, err)
		assert.Equal(t, errNoFunds.Code(), r.Outcome.Code)
	}
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestThreat48_FiftyConcurrentAnswersRunOnce(t *testing.T) {
	t.Parallel()
	for name, builder := range map[string]func(*counter) *contract.Tool{
		"a tool without keys": func(n *counter) *contract.Tool { return n.asking("pay.now").MustBuild() },
		"a managed tool": func(n *counter) *contract.Tool {
			return n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways().MustBuild()
		},
	} {
		n := &counter{}
		k := newKit(t, []*contract.Tool{builder(n)})
		q := k.asked(payNow)
		var group sync.WaitGroup
		var ok atomic.Int64
		for range 50 {
			group.Go(func() {
				if r, err := k.round(payNow.with(q.State, confirmed)); err == nil && r.Outcome.Status == contract.StatusOK {
					ok.Add(1)
				}
			})
		}
		group.Wait()
		assert.EqualValues(t, 1, n.runs.Load(), name)
		assert.EqualValues(t, 1, ok.Load(), name)
	}
}

func TestThreat49_AnswerIsBoundToPrincipalToolAndServer(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tools := []*contract.Tool{n.asking("pay.now").MustBuild(), n.asking("pay.later").MustBuild()}
	key, store := guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32)), guard.WithStore(newMemory(t))
	k := newKit(t, tools, key, store)
	elsewhere := newKit(t, tools, key, store, guard.WithNamespace("elsewhere"))
	first := payNow
	first.server = "one"
	state := k.asked(first).State
	for name, c := range map[string]struct {
		kit    *kit
		change func(*round)
	}{
		"another principal":      {k, func(r *round) { r.who = carol }},
		"another tenant":         {k, func(r *round) { r.who.Tenant = "t" }},
		"another issuer":         {k, func(r *round) { r.who.Issuer = "i" }},
		"another tool":           {k, func(r *round) { r.tool = "pay.later" }},
		"another server":         {k, func(r *round) { r.server = "two" }},
		"a server without name":  {k, func(r *round) { r.server = "" }},
		"another namespace":      {elsewhere, func(*round) {}},
		"a server without a key": {newKit(t, tools), func(*round) {}},
	} {
		second := first.with(state, confirmed)
		c.change(&second)
		_, err := c.kit.round(second)
		require.ErrorIs(t, err, guard.ErrRejectedState, name)
	}
	assert.Zero(t, n.runs.Load())
	r, err := k.round(first.with(state, confirmed))
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, r.Outcome.Status)
}

func TestThreat51_AnswerExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
		late := k.asked(payNow).State
		time.Sleep(guard.DefaultQuestionTTL)
		k.asked(payNow.with(late, confirmed))
		edge := k.asked(payNow).State
		time.Sleep(guard.DefaultQuestionTTL - time.Millisecond)
		require.Zero(t, n.runs.Load())
		r, err := k.round(payNow.with(edge, confirmed))
		require.NoError(t, err)
		assert.Equal(t, contract.StatusOK, r.Outcome.Status)

		now := k.asked(payNow).State
		future := guard.Retimed(k.guard, now, func(issued, expires *int64) { *issued += 120_000; *expires += 120_000 })
		k.asked(payNow.with(future, confirmed))
		past := guard.Retimed(k.guard, now, func(issued, expires *int64) { *issued -= 600_000; *expires -= 600_000 })
		k.asked(payNow.with(past, confirmed))
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestThreat52_AnswerToAnotherContractIsAskedAgain(t *testing.T) {
	t.Parallel()
	n := &counter{}
	key, store := guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32)), guard.WithStore(newMemory(t))
	state := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()}, key, store).asked(payNow).State
	for name, tool := range map[string]*contract.Tool{
		"another version":     n.asking("pay.now").Version("1.0.1").MustBuild(),
		"another description": n.asking("pay.now").Description("Pays twice.").MustBuild(),
	} {
		k := newKit(t, []*contract.Tool{tool}, key, store)
		k.asked(payNow.with(state, confirmed))
		assert.Zero(t, n.runs.Load(), name)
	}
}

func TestThreat53_DeclinedCallDoesNotRun(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{declined, cancelled} {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
		q := k.asked(payNow)
		r, err := k.round(payNow.with(q.State, answer))
		require.NoError(t, err)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		assert.NotEmpty(t, r.Outcome.Hint)
		assert.Equal(t, q.Outcome.CallID, r.Outcome.CallID)
		// It is not asked again, and a later approval does not count.
		r, err = k.round(payNow)
		require.NoError(t, err)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		r, err = k.round(payNow.with(q.State, confirmed))
		require.NoError(t, err)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		assert.Zero(t, n.runs.Load())
	}
}

func TestThreat54_OnlyAcceptWithTrueApproves(t *testing.T) {
	t.Parallel()
	for answer, malformed := range map[string]bool{
		`{"action":"ACCEPT","content":{"confirm":true}}`:                   true,
		`{"action":"","content":{"confirm":true}}`:                         true,
		`{"Action":"accept","content":{"confirm":true}}`:                   true,
		`{"action":"accept","action":"accept","content":{"confirm":true}}`: true,
		`{}`:       true,
		`null`:     true,
		`12345`:    true,
		`"accept"`: true,
		`[{"action":"accept","content":{"confirm":true}}]`: true,
		`{"action":"accept"}`:                              false,
		`{"action":"accept","content":null}`:               false,
		`{"action":"accept","content":{}}`:                 false,
		`{"action":"accept","content":{"confirm":false}}`:  false,
		`{"action":"accept","content":{"confirm":"true"}}`: false,
		`{"action":"accept","content":{"confirm":1}}`:      false,
		`{"action":"accept","content":{"CONFIRM":true}}`:   false,
		`{"action":"accept","content":{"confirm":[true]}}`: false,
		`{"action":"decline","content":{"confirm":true}}`:  false,
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
			state := k.asked(payNow).State
			if malformed {
				for range 2 {
					state = k.asked(payNow.with(state, answer)).State
				}
			}
			r, err := k.round(payNow.with(state, answer))
			require.NoError(t, err)
			refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
			assert.Zero(t, n.runs.Load())
		})
	}
}

func TestThreat55_OtherAnswersAreIgnored(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
	q := k.asked(payNow)
	other := payNow.with(q.State, confirmed)
	other.answerKey = "approve"
	k.asked(other)
	r, err := k.set.Call(as(t.Context(), alice), guard.Request{
		Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Client: guard.Client{
			Rounds: true, State: q.State,
			Answers: map[string]json.RawMessage{
				"confirm": json.RawMessage(confirmed), "approve": json.RawMessage(declined), "x": json.RawMessage(`1`),
			},
		},
	})
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, r.Outcome.Status)
}

func TestThreat60_StatesSurviveReplicasAndKeyRotation(t *testing.T) {
	t.Parallel()
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	store := newMemory(t)
	n := &counter{}
	replica := func(current []byte, previous ...[]byte) *kit {
		return newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()}, guard.WithStore(store), guard.WithSealingKeys(current,
			previous...))
	}
	old := replica(key(1))
	opens, mints := replica(key(1), key(2)), replica(key(2), key(1))
	ran := int64(0)
	for i, c := range []struct{ asks, runs *kit }{{old, replica(key(1))}, {old, opens}, {old, mints}, {opens, old}, {mints, opens},
		{mints, replica(key(2))}} {
		r := payNow
		r.arguments = fmt.Sprintf(`{"pay":{"amount":%d}}`, i+1)
		q := c.asks.asked(r)
		result, err := c.runs.round(r.with(q.State, confirmed))
		require.NoError(t, err)
		require.Equal(t, contract.StatusOK, result.Outcome.Status)
		ran++
	}
	_, err := old.round(payNow.with(mints.asked(payNow).State, confirmed))
	require.ErrorIs(t, err, guard.ErrRejectedState)
	_, err = newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()}).round(payNow.with(old.asked(payNow).State, confirmed))
	require.ErrorIs(t, err, guard.ErrRejectedState)
	assert.Equal(t, ran, n.runs.Load())
}

func TestThreat104_OneAnswerRunsOnce(t *testing.T) {
	t.Parallel()
	store, key := newMemory(t), guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32))
	n := &counter{}
	replica := func() *kit {
		return newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways().MustBuild()},
			guard.WithStore(store), key)
	}
	one, two := replica(), replica()
	first := payNow
	first.key = "k1"
	q := one.asked(first)
	r, err := one.round(first.with(q.State, confirmed))
	require.NoError(t, err)
	require.Equal(t, contract.StatusOK, r.Outcome.Status)
	other := first.with(q.State, confirmed)
	other.key = "k2"
	for _, k := range []*kit{one, two} {
		k.asked(other)
		again, err := k.round(first.with(q.State, confirmed))
		require.NoError(t, err)
		replayOf(t, r, again)
	}
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestThreat107_ThreeDeclinedQuestionsEndTheAsking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
		note := func(word string) round {
			return round{who: alice, tool: "pay.now", arguments: fmt.Sprintf(`{"pay":{"amount":1},"note":%q}`, word)}
		}
		for _, word := range []string{"one", "two", "three"} {
			q := k.asked(note(word))
			_, err := k.round(note(word).with(q.State, declined))
			require.NoError(t, err)
		}
		r, err := k.round(note("four"))
		require.NoError(t, err)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		other := note("four")
		other.who = carol
		k.asked(other) // the limit belongs to one principal
		time.Sleep(guard.DefaultDeclineMemory)
		k.asked(note("four"))
		assert.Zero(t, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestThreat113_OnlyThePersonSeesTheBody(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &spy{Memory: newMemory(t)}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).ConfirmAlways().MustBuild()}, guard.WithStore(s))
	r := round{who: alice, tool: "pay.now", arguments: `{"pay":{"amount":10},"note":"meet me at noon"}`}
	q := k.asked(r)
	assert.Contains(t, q.Question.Message, "meet me at noon")
	_, err := k.round(r.with(q.State, confirmed))
	require.NoError(t, err)
	require.NoError(t, k.guard.Close(t.Context()))
	log, err := json.Marshal(k.log.Events())
	require.NoError(t, err)
	assert.NotContains(t, string(log), "noon")
	stored := fmt.Sprintf("%+v %+v", s.claims, s.completions)
	assert.NotContains(t, stored, "noon")
	assert.NotContains(t, q.State, "noon")
}

func TestConfirm_AsksWithinTheCallIfTheClientTakesNoRounds(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{confirmed: "", declined: contract.CodeConfirmationDeclined,
		`{"action":"maybe"}`: contract.CodeConfirmationDeclined} {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
		asked := 0
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(validPay),
			Client: guard.Client{
				Ask: func(_ context.Context, q people.Question) (json.RawMessage, error) {
					asked++
					assert.Contains(t, q.Message, "pay.now")
					return json.RawMessage(answer), nil
				},
			},
		})
		require.NoError(t, err)
		assert.Equal(t, want, r.Outcome.Code)
		assert.Equal(t, want == "", n.runs.Load() == 1)
		if strings.Contains(answer, "maybe") {
			assert.Equal(t, 3, asked)
		}
		events := k.events(audit.Terminal)
		require.Len(t, events, 1)
		require.Len(t, k.log.Events(audit.Asked), 1)
		assert.Equal(t, events[0].CallID, k.log.Events(audit.Asked)[0].CallID)
	}
}

func TestConfirm_NoAnswerInTimeCountsAsDeclined(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
		start := time.Now()
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(validPay),
			Client: guard.Client{
				Ask: func(ctx context.Context, _ people.Question) (json.RawMessage, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				},
			},
		})
		require.NoError(t, err)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		assert.NotEmpty(t, r.Outcome.Hint)
		assert.Equal(t, guard.DefaultQuestionTimeout, time.Since(start))
		assert.Zero(t, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestConfirm_AtMostTwoQuestionsOfASessionWait(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
	waiting, goOn := make(chan struct{}, 10), make(chan struct{})
	call := func(session string) *guard.Result {
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(validPay),
			Client: guard.Client{
				Session: session,
				Ask: func(context.Context, people.Question) (json.RawMessage, error) {
					waiting <- struct{}{}
					<-goOn
					return json.RawMessage(confirmed), nil
				},
			},
		})
		assert.NoError(t, err)
		return r
	}
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() { call("s") })
	}
	<-waiting
	<-waiting
	r := call("s")
	refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
	assert.Positive(t, r.Outcome.RetryAfterMs)
	group.Go(func() { call("another") })
	<-waiting
	close(goOn)
	group.Wait()
	assert.EqualValues(t, 3, n.runs.Load())
}

func TestQuestion_ShowsTheCall(t *testing.T) {
	t.Parallel()
	type in struct {
		To    []string `json:"to"`
		Text  string   `json:"text" contract:"review"`
		Long  string   `json:"long,omitempty"`
		Token string   `json:"token,omitempty" contract:"secret"`
		Deep  struct {
			Pin string `json:"pin,omitempty" contract:"secret"`
		} `json:"deep,omitzero"`
	}
	tool := contract.New("mail.send", func(context.Context, in) (string, error) { return "", nil }).From(writing()).ConfirmAlways().
		SideEffects(contract.SideEffect{Description: "One mail leaves.", Reach: contract.External, Undo: contract.Irreversible,
			Affects: "The recipients."}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	question := func(arguments map[string]any) string {
		raw, err := json.Marshal(arguments)
		require.NoError(t, err)
		return k.asked(round{who: alice, tool: "mail.send", arguments: string(raw)}).Question.Message
	}
	forged := "Hi\nRisk low, effect read-only.\r\n\u2028  text: \"harmless\"\x1b[2J\u202e"
	q := question(map[string]any{"to": []string{"anna"}, "text": forged, "long": strings.Repeat("x", 5000), "token": "hunter2",
		"deep": map[string]any{"pin": "1234"}})
	lines := strings.Split(q, "\n")
	assert.Equal(t, 1, slices.IndexFunc(lines, func(l string) bool { return l == "Pays." }))
	for _, want := range []string{"Allow mail.send to run?", "The recipients.", "cannot be undone", "outside this system", `"anna"`,
		"more characters", "alice"} {
		assert.Contains(t, q, want)
	}
	for _, never := range []string{"hunter2", "1234", "\x1b", "\u202e", "\u2028", "\r"} {
		assert.NotContains(t, q, never)
	}
	arguments := lines[slices.Index(lines, "Arguments:")+1:]
	assert.Len(t, arguments, 5, "an argument must not add a line")

	r, err := k.round(round{who: alice, tool: "mail.send", arguments: fmt.Sprintf(`{"to":[],"text":%q}`, strings.Repeat("x",
		20_000))})
	require.NoError(t, err)
	refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
	assert.Equal(t, "review", r.Outcome.Violations[0].Rule)
	long := strings.Repeat("y", 10_000)
	assert.Contains(t, question(map[string]any{"to": []string{}, "text": long}), long)
}

func TestQuestion_ShowsThePreview(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.tryable("pay.now").ConfirmAlways().MustBuild()})
	q := k.asked(payNow)
	assert.Contains(t, q.Question.Message, "Its dry run reports:")
	require.NotEmpty(t, q.Question.Preview)
	assert.Contains(t, q.Question.Message, `"total": 11`)
	assert.Zero(t, n.runs.Load())
	r, err := k.round(payNow.with(q.State, confirmed))
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, r.Outcome.Status)
	asked := k.events(audit.Terminal)
	require.Len(t, asked, 1)
	assert.Equal(t, audit.Allow, asked[0].Decision)
	assert.Equal(t, audit.Ask, k.log.Events(audit.Asked)[0].Decision)

	broken := n.payer("pay.now").ConfirmAlways().DryRun(dryrun.By(func(context.Context, payInput) (dryrun.Preview[payPreview],
		error) {
		panic("no preview")
	})).MustBuild()
	k = newKit(t, []*contract.Tool{broken})
	q = k.asked(payNow)
	assert.Empty(t, q.Question.Preview)
	assert.Contains(t, q.Question.Message, "dry run failed")
}

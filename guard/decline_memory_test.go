package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/store"
)

// A decliner declines a call once, and then reports whether the same call is
// asked about again.
type decliner func(t *testing.T, opts ...guard.Option) (askedAgain func() bool)

// decliners holds a decliner for each way of asking.
func decliners() map[string]decliner {
	return map[string]decliner{
		"outside the client": func(t *testing.T, opts ...guard.Option) func() bool {
			k, d := approvals(t, (&counter{}).asking("pay.now").MustBuild(), opts...)
			waits(t, k.call(alice, "pay.now", validPay))
			q, _ := d.last(t)
			k.decide(q, false)
			return func() bool {
				return k.call(alice, "pay.now", validPay).Outcome.Code == contract.CodeConfirmationPending
			}
		},
		"in rounds": func(t *testing.T, opts ...guard.Option) func() bool {
			k := newKit(t, []*contract.Tool{(&counter{}).asking("pay.now").MustBuild()}, opts...)
			first := k.asked(payNow)
			r, err := k.round(payNow.with(first.State, declined))
			require.NoError(t, err)
			refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
			return func() bool {
				r, err := k.round(payNow)
				require.NoError(t, err)
				return r.Question != nil
			}
		},
		"within the call": func(t *testing.T, opts ...guard.Option) func() bool {
			k := newKit(t, []*contract.Tool{(&counter{}).asking("pay.now").MustBuild()}, opts...)
			return declinesWithin(t, k, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		},
		"step-up within the call": func(t *testing.T, opts ...guard.Option) func() bool {
			p := &page{}
			k := newKit(t, []*contract.Tool{(&counter{}).steppingUp("pay.now").MustBuild()},
				append(opts, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))...)
			return declinesWithin(t, k, contract.CodeStepUpRequired, contract.ClassFatal)
		},
		"step-up": func(t *testing.T, opts ...guard.Option) func() bool {
			p := &page{}
			k := newKit(t, []*contract.Tool{(&counter{}).steppingUp("pay.now").MustBuild()},
				append(opts, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))...)
			first := sent(t, k.urlRound(payNow))
			refused(t, k.urlRound(payNow.opened(first.State, declined)), contract.CodeStepUpRequired, contract.ClassFatal)
			return func() bool { return k.urlRound(payNow).Question != nil }
		},
	}
}

// declinesWithin declines the question of an older client, which is asked while
// the call waits.
func declinesWithin(t *testing.T, k *kit, code string, class contract.Class) (askedAgain func() bool) {
	t.Helper()
	questions := 0
	decline := func(context.Context, people.Question) (json.RawMessage, error) {
		questions++
		return json.RawMessage(declined), nil
	}
	call := func() {
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(validPay),
			Client: guard.Client{Session: "1", Ask: decline, AskURL: decline},
		})
		require.NoError(t, err)
		refused(t, r, code, class)
	}
	call()
	require.Equal(t, 1, questions)
	return func() bool {
		before := questions
		call()
		return questions > before
	}
}

// A declined question is remembered for one time, however it was asked and
// however long a question lives.
func TestDeclineMemory_EndsAtItsTimeForEveryWayOfAsking(t *testing.T) {
	t.Parallel()
	for way, decline := range decliners() {
		for name, c := range map[string]struct {
			opts   []guard.Option
			memory time.Duration
		}{
			"by default": {nil, guard.DefaultDeclineMemory},
			"zero":       {[]guard.Option{guard.WithTimes(guard.Times{})}, guard.DefaultDeclineMemory},
			"longer question TTL": {[]guard.Option{guard.WithTimes(guard.Times{QuestionTTL: time.Hour})},
				guard.DefaultDeclineMemory},
			"longer than the question TTL": {[]guard.Option{guard.WithTimes(guard.Times{DeclineMemory: time.Hour})}, time.Hour},
			"shorter than the question TTL": {[]guard.Option{guard.WithTimes(guard.Times{DeclineMemory: time.Minute,
				QuestionTTL: time.Hour})}, time.Minute},
		} {
			t.Run(way+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					askedAgain := decline(t, c.opts...)
					assert.False(t, askedAgain(), "immediately")
					time.Sleep(c.memory - time.Nanosecond)
					assert.False(t, askedAgain(), "one tick before the end")
					time.Sleep(time.Nanosecond)
					assert.True(t, askedAgain(), "at the end")
				})
			})
		}
	}
}

// A call that was declined, and is asked about anew, can be approved.
func TestDeclineMemory_LaterApprovalRunsTheCallOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k, d := approvals(t, n.asking("pay.now").MustBuild(), guard.WithTimes(guard.Times{QuestionTTL: time.Hour}))
		waits(t, k.call(alice, "pay.now", validPay))
		first, _ := d.last(t)
		k.decide(first, false)
		time.Sleep(guard.DefaultDeclineMemory)
		waits(t, k.call(alice, "pay.now", validPay))
		second, questions := d.last(t)
		require.Equal(t, 2, questions)
		require.ErrorIs(t, k.guard.People().Decide(t.Context(), first.Token, true, dave), people.ErrDecided)
		k.decide(second, true)
		ran := k.call(alice, "pay.now", validPay)
		require.Equal(t, contract.StatusOK, ran.Outcome.Status, ran.Text)
		replayOf(t, ran, k.call(alice, "pay.now", validPay))
		assert.EqualValues(t, 1, n.runs.Load())
	})
}

// Two people decline one question at once, and it counts as one declined call.
// So the tool is still asked about after another.
func TestDeclineMemory_QuestionCountsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFaulty(t)
		k, d := approvals(t, (&counter{}).asking("pay.now").MustBuild(), guard.WithStore(s))
		waits(t, k.call(alice, "pay.now", validPay))
		q, _ := d.last(t)
		arrived, release := s.Delay(faultystore.Add, s.Count(faultystore.Add))
		first := make(chan error)
		go func() { first <- k.guard.People().Decide(t.Context(), q.Token, false, dave) }()
		<-arrived
		k.decide(q, false)
		release()
		require.ErrorIs(t, <-first, people.ErrDecided)
		waits(t, k.call(alice, "pay.now", otherPay))
		q, _ = d.last(t)
		k.decide(q, false)
		waits(t, k.call(alice, "pay.now", `{"pay":{"amount":12}}`))
	})
}

// A declined call stays declined while the store cannot read the memory.
func TestDeclineMemory_UnreadableMemoryStillDeclines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFaulty(t)
		k, d := approvals(t, (&counter{}).asking("pay.now").MustBuild(), guard.WithStore(s))
		waits(t, k.call(alice, "pay.now", validPay))
		q, _ := d.last(t)
		s.FailBefore(faultystore.Add, faultystore.Every, nil)
		require.ErrorIs(t, k.guard.People().Decide(t.Context(), q.Token, false, dave), guard.ErrUnavailable)
		waits(t, k.call(alice, "pay.now", validPay)) // it is undecided
		s.Heal()
		k.decide(q, false)
		for later := range 3 { // after those of the budget and of the question
			s.FailBefore(faultystore.Max, s.Count(faultystore.Max)+2+later, nil)
		}
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeConfirmationDeclined, contract.ClassRetryable)
	})
}

// A caller that fills the store with failures does not get a declined question
// asked again.
func TestDeclineMemory_FloodOfFailuresDoesNotEndIt(t *testing.T) {
	t.Parallel()
	const room = 20
	k, d := approvals(t, (&counter{}).asking("pay.now").MustBuild(), guard.WithStore(newMemory(t, store.WithMaxEntries(room))),
		unlimited)
	waits(t, k.call(alice, "pay.now", validPay))
	q, _ := d.last(t)
	k.decide(q, false)
	for i := range room {
		refused(t, k.call(alice, "pay.now", fmt.Sprintf(`{"unknown":%d}`, i)), contract.CodeInvalidInput, contract.ClassRetryable)
	}
	refused(t, k.call(alice, "pay.now", validPay), contract.CodeConfirmationDeclined, contract.ClassRetryable)
	_, questions := d.last(t)
	require.Equal(t, 1, questions)
}

// An interrupted store calls a function once, after the next addition.
type interrupted struct {
	*store.Memory

	then func()
}

func (s *interrupted) Add(ctx context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	count, err := s.Memory.Add(ctx, key, kind, window)
	if then := s.then; then != nil {
		s.then = nil
		then()
	}
	return count, err
}

// While a call makes room for another question, an equal call asks it and a
// person declines it. The first call then does not ask once more.
func TestDeclineMemory_QuestionDeclinedMeanwhileIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &interrupted{Memory: newMemory(t)}
		k, d := approvals(t, (&counter{}).asking("pay.now").MustBuild(), guard.WithStore(s),
			guard.WithTimes(guard.Times{QuestionTTL: time.Hour}))
		waits(t, k.call(alice, "pay.now", validPay))
		first, _ := d.last(t)
		k.decide(first, false)
		time.Sleep(guard.DefaultDeclineMemory)

		s.then = func() {
			waits(t, k.call(alice, "pay.now", validPay))
			second, _ := d.last(t)
			k.decide(second, false)
		}
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeConfirmationDeclined, contract.ClassRetryable)
		_, questions := d.last(t)
		require.Equal(t, 2, questions)
	})
}

// A person declines a call, and the ruling cannot be recorded. Then the person
// approves the call. The decline is remembered neither for the call nor for its
// tool.
func TestDeclineMemory_DeclineThatWasNotRecordedEndsWithAnApproval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, s := &counter{}, newFaulty(t)
		k, d := approvals(t, n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways().MustBuild(), guard.WithStore(s))
		for i := range 4 { // more than the declined calls that end the questions about a tool
			arguments := fmt.Sprintf(`{"pay":{"amount":%d}}`, i+1)
			first := fmt.Sprint("first", i)
			waits(t, k.callKeyed(alice, "pay.now", arguments, first))
			q, _ := d.last(t)
			s.FailBefore(faultystore.Claim, s.Count(faultystore.Claim), nil)
			require.ErrorIs(t, k.guard.People().Decide(t.Context(), q.Token, false, dave), guard.ErrUnavailable)
			k.decide(q, true)
			require.Equal(t, contract.StatusOK, k.callKeyed(alice, "pay.now", arguments, first).Outcome.Status)
			waits(t, k.callKeyed(alice, "pay.now", arguments, fmt.Sprint("second", i)))
		}
		_, questions := d.last(t)
		require.Equal(t, 8, questions)
	})
}

package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func newFaulty(t *testing.T) *faultystore.Store {
	t.Helper()
	return faultystore.New(newMemory(t))
}

func TestRecord_LateConfirmedCallKeepsItsOutcome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		n := &counter{}
		tool := contract.New("pay.now", func(context.Context, payInput) (payOutput, error) {
			n.runs.Add(1)
			<-goOn
			return payOutput{1}, nil
		}).From(writing()).ConfirmAlways().Timeout(time.Second).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		q := k.asked(payNow)
		r, err := k.round(payNow.with(q.State, confirmed))
		require.NoError(t, err)
		require.Equal(t, contract.CodeTimeout, r.Outcome.Code)
		close(goOn)
		synctest.Wait()
		r, err = k.round(payNow.with(q.State, confirmed))
		require.NoError(t, err)
		assert.Equal(t, contract.StatusReplayed, r.Outcome.Status)
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestRecord_AbandonedRecordOutlivesAShortRetention(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		n := &counter{}
		short := refusing(byArguments)
		short.Retention = time.Second
		tool := n.managedPayer("pay.now", short, func(context.Context, payInput) error {
			<-goOn
			return nil
		}).Timeout(time.Second).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		k.call(alice, "pay.now", validPay)
		time.Sleep(guard.DefaultLease) // longer than ten timeouts
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeOutcomeUnknown, contract.ClassFatal)
		close(goOn)
		synctest.Wait()
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestRecord_ClaimIsHeldUntilItsOutcomeIsRecorded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k, store := onFaulty(t, n.managedPayer("pay.now", byArguments, nil).MustBuild(),
			guard.WithTimes(guard.Times{Lease: 6 * time.Second}))
		for i := range 5 {
			store.FailBefore(faultystore.Complete, i, nil)
		}
		first := k.call(alice, "pay.now", validPay)
		require.False(t, first.IsError)
		for range 20 {
			time.Sleep(time.Second)
			r := k.call(alice, "pay.now", validPay)
			if r.IsError {
				require.Equal(t, contract.CodeKeyInProgress, r.Outcome.Code)
			}
		}
		replayOf(t, first, k.call(alice, "pay.now", validPay))
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestRecord_LateClaimIsReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		until := make(chan struct{})
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", refusing(byArguments), nil).MustBuild()},
			guard.WithStore(deafStore{newMemory(t), until}))
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeUnavailable, contract.ClassRetryable)
		time.Sleep(time.Second)
		close(until)
		time.Sleep(20 * time.Second)
		assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestRecord_ReplayNeedsNoRetryBudget(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.managedPayer("pay.now", refusing(byClientKey), func(context.Context, payInput) error {
		if n.runs.Load() > 1 {
			return errNoFunds
		}
		return nil
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithRetryBudget(2, time.Hour))
	first := k.callKeyed(alice, "pay.now", validPay, "k1")
	for range 4 {
		k.callKeyed(alice, "pay.now", validPay, "k2")
	}
	require.Equal(t, contract.CodeRetryBudgetExhausted, k.callKeyed(alice, "pay.now", validPay, "k2").Outcome.Code)
	replayOf(t, first, k.callKeyed(alice, "pay.now", validPay, "k1"))
}

func TestRecord_UnknownOutcomeSpendsNoBudget(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.managedPayer("pay.now", refusing(byArguments), func(context.Context, payInput) error { return errSecret }).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithRetryBudget(2, time.Hour))
	k.call(alice, "pay.now", validPay)
	for range 5 {
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeOutcomeUnknown, contract.ClassFatal)
	}
}

func TestRecord_AnotherTrustLevelIsAnotherContract(t *testing.T) {
	t.Parallel()
	store := newMemory(t)
	serve := func(level trust.Level) *kit {
		tool := contract.New("say.it", func(context.Context, empty) (string, error) { return "hello", nil }).
			Description("Says.").Version("1.0.0").Effect(risk.LowRiskWrite).Permissions("mail:send").Trust(level).Idempotency(
			byArguments).MustBuild()
		return newKit(t, []*contract.Tool{tool}, guard.WithStore(store), sealing)
	}
	serve(trust.Trusted).call(alice, "say.it", `{}`)
	refused(t, serve(trust.PromptInjectionProne).call(alice, "say.it", `{}`), contract.CodeAlreadyDone, contract.ClassFatal)
}

func TestRecord_LeaseMustOutlastALostRenewal(t *testing.T) {
	t.Parallel()
	_, err := guard.New(guard.WithTimes(guard.Times{Lease: 2 * time.Second}))
	require.Error(t, err)
	_, err = guard.New(guard.WithTimes(guard.Times{Lease: 2 * time.Second, StoreTimeout: 500 * time.Millisecond}))
	require.NoError(t, err)
}

func TestConfirm_AnswersDoNotFailOpen(t *testing.T) {
	t.Parallel()
	n := &counter{}
	store := newFaulty(t)
	tool := n.asking("pay.now").Effect(risk.LowRiskWrite).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithStore(store), sealing, guard.WithStoreFailOpen())
	q := k.asked(payNow)
	store.FailBefore(faultystore.Claim, faultystore.Every, nil)
	for range 3 {
		r, err := k.round(payNow.with(q.State, confirmed))
		require.NoError(t, err)
		refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
	}
	assert.Zero(t, n.runs.Load())
}

func TestConfirm_SpentAnswerOutlivesClockSkew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
		q := k.asked(payNow)
		_, err := k.round(payNow.with(q.State, confirmed))
		require.NoError(t, err)
		// A replica whose clock is five minutes behind still honours the state.
		time.Sleep(guard.DefaultQuestionTTL + 4*time.Minute)
		behind := guard.Retimed(k.guard, q.State, func(_, expires *int64) { *expires += 300_000 })
		r, err := k.round(payNow.with(behind, confirmed))
		require.NoError(t, err)
		assert.Equal(t, contract.StatusReplayed, r.Outcome.Status)
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

// A client without rounds may carry a spent state. An approval within the call
// belongs to the call, which then claims its key.
func TestConfirm_ApprovalWithinTheCallAfterASpentAnswerClaims(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways().MustBuild()})
	first := payNow
	first.key = "k1"
	q := k.asked(first)
	_, err := k.round(first.with(q.State, confirmed))
	require.NoError(t, err)
	other := "k2"
	for range 3 {
		_, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(validPay), IdempotencyKey: &other,
			Client: guard.Client{
				State: q.State, Answers: map[string]json.RawMessage{"confirm": json.RawMessage(confirmed)},
				Ask: func(context.Context, people.Question) (json.RawMessage, error) {
					return json.RawMessage(confirmed), nil
				},
			},
		})
		require.NoError(t, err)
	}
	assert.EqualValues(t, 2, n.runs.Load(), "once for each key")
}

func TestConfirm_DeclineAlwaysCountsAndWins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
		one, two := k.asked(payNow), k.asked(payNow)
		time.Sleep(guard.DefaultQuestionTTL)
		r, err := k.round(payNow.with(one.State, declined))
		require.NoError(t, err)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		r, err = k.round(payNow)
		require.NoError(t, err)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		fresh := guard.Retimed(k.guard, two.State, func(_, expires *int64) { *expires += 600_000 })
		r, err = k.round(payNow.with(fresh, confirmed))
		require.NoError(t, err)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		assert.Zero(t, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestConfirm_DeclineAfterAnApprovalReplaysTheOutcome(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
	q := k.asked(payNow)
	first, err := k.round(payNow.with(q.State, confirmed))
	require.NoError(t, err)
	second, err := k.round(payNow.with(q.State, declined))
	require.NoError(t, err)
	replayOf(t, first, second)
}

func TestThreat108_AnonymousDeclineIsNotRemembered(t *testing.T) {
	t.Parallel()
	tool := contract.New("say.it", func(context.Context, noteArgument) (string, error) { return "", nil }).
		Description("Says.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).ConfirmAlways().MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for i := range 4 {
		r := round{tool: "say.it", arguments: fmt.Sprintf(`{"note":"%d"}`, i)}
		q := k.asked(r)
		_, err := k.round(r.with(q.State, declined))
		require.NoError(t, err)
	}
}

type noteArgument struct {
	Note string `json:"note" contract:"review"`
}

func TestConfirm_AtMostEightQuestionsOfAPrincipalWait(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
	waiting, goOn := make(chan struct{}, 10), make(chan struct{})
	call := func(session int) *guard.Result {
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(validPay),
			Client: guard.Client{
				Session: fmt.Sprint(session),
				Ask: func(context.Context, people.Question) (json.RawMessage, error) {
					waiting <- struct{}{}
					<-goOn
					return json.RawMessage(declined), nil
				},
			},
		})
		assert.NoError(t, err)
		return r
	}
	var group sync.WaitGroup
	for session := range 8 {
		group.Go(func() { call(session) })
	}
	for range 8 {
		<-waiting
	}
	refused(t, call(8), contract.CodeUnavailable, contract.ClassRetryable)
	close(goOn)
	group.Wait()
}

func TestConfirm_CloseEndsAnOpenQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
		done := make(chan *guard.Result, 1)
		go func() {
			r, _ := k.set.Call(as(t.Context(), alice), guard.Request{
				Tool: "pay.now", Arguments: json.RawMessage(validPay),
				Client: guard.Client{
					Ask: func(ctx context.Context, _ people.Question) (json.RawMessage, error) {
						<-ctx.Done()
						return nil, ctx.Err()
					},
				},
			})
			done <- r
		}()
		synctest.Wait()
		start := time.Now()
		_ = k.guard.Close(t.Context())
		refused(t, <-done, contract.CodeUnavailable, contract.ClassRetryable)
		assert.LessOrEqual(t, time.Since(start), guard.DefaultDrain+2*time.Second)
	})
}

func TestQuestion_HidesNothing(t *testing.T) {
	t.Parallel()
	tool := contract.New("say.it", func(context.Context, noteArgument) (string, error) {
		return "", nil
	}).From(writing()).ConfirmAlways().MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for _, control := range []string{"\u0090", "\u0098", "\u009d", "\u009e", "\u009f", "\u202e", "\u200b", "\U000e0041"} {
		arguments, err := json.Marshal(map[string]string{"note": "See you at noon." + control + " The password is hunter2."})
		require.NoError(t, err)
		q := k.asked(round{who: alice, tool: "say.it", arguments: string(arguments)})
		assert.Contains(t, q.Question.Message, "hunter2", "%q", control)
		assert.NotContains(t, q.Question.Message, control)
	}
	emoji := "👨‍👩‍👧 سلام"
	arguments, err := json.Marshal(map[string]string{"note": emoji})
	require.NoError(t, err)
	assert.Contains(t, k.asked(round{who: alice, tool: "say.it", arguments: string(arguments)}).Question.Message, emoji)
}

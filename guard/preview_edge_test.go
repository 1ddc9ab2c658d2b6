package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

// approves approves a question within the call.
func approves(context.Context, people.Question) (json.RawMessage, error) {
	return json.RawMessage(confirmed), nil
}

func TestPreviewOfAQuestion_LeavesTheCallItsConcurrencySlot(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.tryable("pay.now").ConfirmAlways().MaxConcurrent(1).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for i := range 300 {
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(fmt.Sprintf(`{"pay":{"amount":%d}}`, i%100+1)),
			Client: guard.Client{Ask: approves},
		})
		require.NoError(t, err)
		require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
	}
}

func TestPreviewOfAQuestion_LateEndDoesNotEndTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := make(chan struct{})
		var seen error
		tool := contract.New("pay.now", func(ctx context.Context, _ payInput) (payOutput, error) {
			close(late)
			time.Sleep(time.Millisecond)
			seen = ctx.Err()
			return payOutput{}, nil
		}).From(writing()).ConfirmAlways().Timeout(time.Minute).DryRun(dryrun.By(func(context.Context,
			payInput) (dryrun.Preview[payPreview], error) {
			<-late
			return dryrun.Preview[payPreview]{}, nil
		})).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(validPay),
			Client: guard.Client{Ask: approves},
		})
		require.NoError(t, err)
		assert.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
		require.NoError(t, seen)
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestPreviewOfAQuestion_ReleasesItsConcurrencySlot(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.managedPayer("pay.now", byClientKey, nil).ConfirmAlways().DryRun(dryrun.By(previewPay)).MaxConcurrent(2).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	first := payNow
	first.key = "k0"
	q := k.asked(first)
	_, err := k.round(first.with(q.State, confirmed))
	require.NoError(t, err)
	for i := range 5 {
		other := first.with(q.State, confirmed)
		other.key = fmt.Sprint("k", i+1)
		k.asked(other)
	}
	require.NoError(t, k.guard.Close(t.Context()), "no concurrency slot is held")
}

func TestPreviewOfAQuestion_IsNotHiddenByHangingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := dryrun.By(func(ctx context.Context, in payInput) (dryrun.Preview[payPreview], error) {
			select {
			case <-time.After(time.Second):
				return previewPay(ctx, in)
			case <-ctx.Done():
				return dryrun.Preview[payPreview]{}, ctx.Err()
			}
		})
		n := &counter{}
		page := &approverStub{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").ConfirmAlways().DryRun(slow).MustBuild()},
			guard.WithPeople(guard.PeopleOptions{Approver: page}))
		ctx, cancel := context.WithTimeout(as(t.Context(), alice), 10*time.Millisecond)
		defer cancel()
		_, err := k.set.Call(ctx, guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay)})
		require.NoError(t, err)
		k.call(alice, "pay.now", validPay)
		require.NotEmpty(t, page.asked())
		for _, q := range page.asked() {
			assert.NotEmpty(t, q.Question.Preview)
		}
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestPreviewOfAQuestion_NeedsTheAuthorizerForDryRuns(t *testing.T) {
	t.Parallel()
	n := &counter{}
	deny := guard.WithAuthorizer(func(_ context.Context, a guard.Action) error {
		if a.DryRun {
			return errors.New("no dry runs")
		}
		return nil
	})
	k := newKit(t, []*contract.Tool{n.tryable("pay.now").ConfirmAlways().MustBuild()}, deny)
	q := k.asked(payNow)
	assert.Empty(t, q.Question.Preview)
	assert.NotContains(t, q.Question.Message, "dry run")
}

func TestPreviewOfAQuestion_ShowsWarningsFirstAndCountsTheRest(t *testing.T) {
	t.Parallel()
	type data struct {
		A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T int
	}
	n := &counter{}
	tool := n.payer("pay.now").ConfirmAlways().DryRun(dryrun.By(func(context.Context, payInput) (dryrun.Preview[data], error) {
		return dryrun.Preview[data]{Warnings: []string{"It is late."}}, nil
	})).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	q := k.asked(payNow).Question
	require.Len(t, q.Preview, 20)
	assert.Equal(t, "warnings", q.Preview[0].Name)
	assert.Positive(t, q.PreviewNotShown)
	assert.Contains(t, q.Message, fmt.Sprintf("and %d more", q.PreviewNotShown))
}

// An approverStub records its questions.
type approverStub struct {
	mu        sync.Mutex
	questions []people.PendingQuestion
}

func (*approverStub) Attach(guard.People) error { return nil }

func (a *approverStub) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.questions = append(a.questions, q)
	return "https://approvals.example", nil
}

func (a *approverStub) asked() []people.PendingQuestion {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.questions
}

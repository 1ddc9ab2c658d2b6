package guard_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/store"
)

// A person's no is not a failure of the call. It keeps nobody who shares the
// store from asking again, or from running the call once a person agrees.
func TestThreat173_DeclinedCallsDoNotUseUpTheRetryBudget(t *testing.T) {
	t.Parallel()
	const times = 7 // more than the budget
	for name, decline := range map[string]func(t *testing.T, k *kit){
		"by a person, in rounds": func(t *testing.T, k *kit) {
			first := k.asked(payNow)
			r, err := k.round(payNow.with(first.State, declined))
			require.NoError(t, err)
			refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		},
		"by closing the form, in rounds": func(t *testing.T, k *kit) {
			first := k.asked(payNow)
			r, err := k.round(payNow.with(first.State, cancelled))
			require.NoError(t, err)
			refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		},
		"within the call": func(t *testing.T, k *kit) {
			r, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay),
				Client: guard.Client{Ask: func(context.Context, people.Question) (json.RawMessage, error) {
					return json.RawMessage(declined), nil
				}}})
			require.NoError(t, err)
			refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				memory, err := store.NewMemory()
				require.NoError(t, err)
				opts := []guard.Option{guard.WithStore(memory), guard.WithTimes(guard.Times{DeclineMemory: time.Second})}
				tool := n.asking("pay.now").MustBuild()
				k := newKit(t, []*contract.Tool{tool}, opts...)
				for range times {
					decline(t, k)
					time.Sleep(time.Second)
				}
				other := newKit(t, []*contract.Tool{tool}, opts...)
				first := other.asked(payNow)
				r, err := other.round(payNow.with(first.State, confirmed))
				require.NoError(t, err)
				assert.Equal(t, contract.StatusOK, r.Outcome.Status)
				assert.EqualValues(t, 1, n.runs.Load())
			})
		})
	}
}

// While a declined call is remembered, repeating it doesn't count either.
func TestThreat173_RepetitionsOfADeclinedCallDoNotUseUpTheRetryBudget(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{(&counter{}).asking("pay.now").MustBuild()})
	first := k.asked(payNow)
	_, err := k.round(payNow.with(first.State, declined))
	require.NoError(t, err)
	for range 7 {
		r, err := k.round(payNow)
		require.NoError(t, err)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
	}
}

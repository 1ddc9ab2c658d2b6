package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
)

func TestKeyed_OnlyCallsWithAKeyAreDeduplicated(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", keyed, nil).MustBuild()})
	for range 3 {
		r := k.call(alice, "pay.now", validPay)
		require.Equal(t, contract.StatusOK, r.Outcome.Status)
		assert.Empty(t, r.Content, "nothing was replayed")
	}
	require.EqualValues(t, 3, n.runs.Load(), "a call without a key always runs")

	first := k.callKeyed(alice, "pay.now", validPay, "k1")
	require.Equal(t, contract.StatusOK, first.Outcome.Status)
	replayOf(t, first, k.callKeyed(alice, "pay.now", validPay, "k1"))
	assert.EqualValues(t, 4, n.runs.Load())
	assert.False(t, first.Outcome.KeyIgnored)

	refused(t, k.callKeyed(alice, "pay.now", otherPay, "k1"), contract.CodeKeyConflict, contract.ClassRetryable)
	for _, bad := range []string{"", "\n", "naïve"} {
		refused(t, k.callKeyed(alice, "pay.now", validPay, bad), contract.CodeInvalidInput, contract.ClassRetryable)
	}
	assert.EqualValues(t, 4, n.runs.Load())
	require.Equal(t, contract.StatusOK, k.callKeyed(alice, "pay.now", validPay, "k2").Outcome.Status)
	require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
	assert.EqualValues(t, 6, n.runs.Load())
	refused(t, k.call(guard.Principal{}, "pay.now", validPay), contract.CodeUnauthenticated, contract.ClassFatal)

	for i, e := range k.events(audit.Terminal)[:5] {
		assert.Equal(t, i >= 3, e.LookupKey != "", "event %d", i)
	}
}

func TestKeyed_OutcomesFollowTheKey(t *testing.T) {
	t.Parallel()
	type answers struct{ code, again string }
	for name, test := range map[string]struct {
		fails          error
		keyed, keyless answers
	}{
		"an undeclared error": {errSecret, answers{contract.CodeInternalError, contract.CodeOutcomeUnknown},
			answers{contract.CodeInternalError, contract.CodeInternalError}},
		"a fatal failure": {errClosed, answers{errClosed.Code(), errClosed.Code()}, answers{errClosed.Code(), errClosed.Code()}},
		"a retryable failure": {errNoFunds, answers{errNoFunds.Code(), errNoFunds.Code()}, answers{errNoFunds.Code(),
			errNoFunds.Code()}},
		"a result that is fine": {nil, answers{}, answers{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", keyed, func(context.Context,
				payInput) error {
				return test.fails
			}).MustBuild()})
			assert.Equal(t, test.keyless.code, k.call(alice, "pay.now", validPay).Outcome.Code)
			again := k.call(alice, "pay.now", validPay)
			assert.Equal(t, test.keyless.again, again.Outcome.Code)
			assert.NotEqual(t, contract.StatusReplayed, again.Outcome.Status)
			require.EqualValues(t, 2, n.runs.Load())
			assert.Equal(t, test.keyed.code, k.callKeyed(alice, "pay.now", validPay, "k1").Outcome.Code)
			again = k.callKeyed(alice, "pay.now", validPay, "k1")
			assert.Equal(t, test.keyed.again, again.Outcome.Code)
			wantRuns := 3
			if errors.Is(test.fails, errNoFunds) {
				wantRuns++
			}
			assert.EqualValues(t, wantRuns, n.runs.Load())
		})
	}
}

func TestKeyed_CallWithoutAKeyNeedsNoStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k, store := onFaulty(t, n.managedPayer("pay.now", keyed, nil).MustBuild(), guard.WithRetryBudget(0, 0))
		for _, o := range faultystore.Operations() {
			store.FailBefore(o, faultystore.Every, nil)
		}
		require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
		refused(t, k.callKeyed(alice, "pay.now", validPay, "k1"), contract.CodeUnavailable, contract.ClassRetryable)
		assert.EqualValues(t, 1, n.runs.Load())
		_ = k.guard.Close(t.Context()) // the claim that failed is still being withdrawn
	})
}

func TestKeyed_HandlerGetsAKeyOnlyIfThereIsOne(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var keys []string
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", keyed, func(ctx context.Context, _ payInput) error {
		key, ok := guard.IdempotencyKey(ctx)
		assert.Equal(t, ok, key != "")
		mu.Lock()
		defer mu.Unlock()
		keys = append(keys, key)
		return nil
	}).MustBuild()})
	k.call(alice, "pay.now", validPay)
	k.callKeyed(alice, "pay.now", validPay, "k1")
	require.Len(t, keys, 2)
	assert.Empty(t, keys[0])
	assert.Len(t, keys[1], 64)
}

// One approval is one execution, with and without a key, in either order.
func TestThreat104_ApprovalOfAKeyedCallCountsOnce(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][2]string{"without a key first": {"", "k1"}, "with a key first": {"k1", ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", keyed, nil).ConfirmAlways().MustBuild()})
			first, second := payNow, payNow
			first.key, second.key = order[0], order[1]
			q := k.asked(first)
			r, err := k.round(first.with(q.State, confirmed))
			require.NoError(t, err)
			require.Equal(t, contract.StatusOK, r.Outcome.Status)
			again, err := k.round(first.with(q.State, confirmed))
			require.NoError(t, err)
			replayOf(t, r, again)
			k.asked(second.with(q.State, confirmed))
			assert.EqualValues(t, 1, n.runs.Load())
		})
	}
}

func TestKeyed_RequiredDryRunIsSpentWithoutAKey(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", keyed, nil).DryRun(dryrun.By(previewPay).Required()).MustBuild()})
	token := func() string {
		var preview struct {
			DryRunToken string `json:"dryRunToken"`
		}
		require.NoError(t, json.Unmarshal(k.call(alice, "pay.now", `{"pay":{"amount":10},"dryRun":true}`).Structured, &preview))
		require.NotEmpty(t, preview.DryRunToken)
		return `{"pay":{"amount":10},"dryRunToken":"` + preview.DryRunToken + `"}`
	}
	one := token()
	require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", one).Outcome.Status)
	refused(t, k.call(alice, "pay.now", one), contract.CodeDryRunRequired, contract.ClassRetryable)
	refused(t, k.callKeyed(alice, "pay.now", one, "k1"), contract.CodeDryRunRequired, contract.ClassRetryable)
	first := k.callKeyed(alice, "pay.now", token(), "k1")
	require.Equal(t, contract.StatusOK, first.Outcome.Status)
	replayOf(t, first, k.callKeyed(alice, "pay.now", validPay, "k1"))
	assert.EqualValues(t, 2, n.runs.Load())
}

func TestKeyed_RetentionAndRerunAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		short := contract.Idempotency{Mode: idempotency.Keyed, Retention: time.Minute, OnUnknown: idempotency.Rerun}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", short, func(context.Context, payInput) error {
			if n.runs.Load() == 1 {
				return errSecret
			}
			return nil
		}).MustBuild()})
		refused(t, k.callKeyed(alice, "pay.now", validPay, "k1"), contract.CodeInternalError, contract.ClassFatal)
		require.Equal(t, contract.StatusOK, k.callKeyed(alice, "pay.now", validPay, "k1").Outcome.Status,
			"an unknown outcome runs again")
		time.Sleep(59 * time.Second)
		require.Equal(t, contract.StatusReplayed, k.callKeyed(alice, "pay.now", validPay, "k1").Outcome.Status)
		time.Sleep(time.Second)
		require.Equal(t, contract.StatusOK, k.callKeyed(alice, "pay.now", validPay, "k1").Outcome.Status)
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

package guard_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/store"
)

// replicas returns the options of guards that share their records.
func replicas(t *testing.T) []guard.Option {
	t.Helper()
	limiter, err := store.NewMemoryLimiter()
	require.NoError(t, err)
	return []guard.Option{
		guard.WithStore(newMemory(t)), guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32)), guard.WithLimiter(limiter),
	}
}

// upgrade serves a tool under its old name on one replica, and under its new
// one on the other.
func upgrade(
	t *testing.T, build func(name string) *contract.Builder[payInput, payOutput], opts ...guard.Option,
) (before, after *kit) {
	t.Helper()
	opts = append(replicas(t), opts...)
	before = newKit(t, []*contract.Tool{build("pay.now").MustBuild()}, opts...)
	after = newKit(t, []*contract.Tool{build("money.pay").Aliases("pay.now", "pay.later").MustBuild()}, opts...)
	return before, after
}

func TestThreat152_ARenamedToolReplaysTheCallsOfItsOldestName(t *testing.T) {
	t.Parallel()
	for name, i := range map[string]contract.Idempotency{
		"by all arguments":              byArguments,
		"by the client's key":           byClientKey,
		"by a field":                    {Mode: idempotency.Managed, KeyFields: []string{"pay"}},
		"only with a key of the client": keyed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			var keys []string
			before, after := upgrade(t, func(name string) *contract.Builder[payInput, payOutput] {
				return n.managedPayer(name, i, func(ctx context.Context, _ payInput) error {
					key, ok := guard.IdempotencyKey(ctx)
					require.True(t, ok)
					keys = append(keys, key)
					return nil
				})
			})
			first := before.callKeyed(alice, "pay.now", validPay, "k1")
			require.Equal(t, contract.StatusOK, first.Outcome.Status)
			for _, called := range []string{"money.pay", "pay.now", "pay.later"} {
				r := after.callKeyed(alice, called, validPay, "k1")
				assert.Equal(t, contract.StatusReplayed, r.Outcome.Status, called)
			}
			require.Equal(t, contract.StatusOK, after.callKeyed(alice, "money.pay", `{"pay":{"amount":20}}`, "k2").Outcome.Status)
			require.Equal(t, contract.StatusReplayed, before.callKeyed(alice, "pay.now", `{"pay":{"amount":20}}`, "k2").Outcome.Status)
			assert.EqualValues(t, 2, n.runs.Load())

			// A system that deduplicates by the key recognises the call too.
			other, _ := upgrade(t, func(name string) *contract.Builder[payInput, payOutput] {
				return n.managedPayer(name, i, func(ctx context.Context, _ payInput) error {
					key, _ := guard.IdempotencyKey(ctx)
					keys = append(keys, key)
					return nil
				})
			})
			require.Equal(t, contract.StatusOK, other.callKeyed(alice, "pay.now", `{"pay":{"amount":20}}`, "k2").Outcome.Status)
			require.Len(t, keys, 3)
			assert.Equal(t, keys[1], keys[2], "under either name")
		})
	}
}

func TestThreat152_ARenameResetsNoCount(t *testing.T) {
	t.Parallel()
	payer := func(name string) *contract.Builder[payInput, payOutput] {
		return (&counter{}).managedPayer(name, byClientKey, nil)
	}
	t.Run("of a caller's rate", func(t *testing.T) {
		t.Parallel()
		before, after := upgrade(t, func(name string) *contract.Builder[payInput, payOutput] {
			return payer(name).RateLimit(1, time.Hour)
		})
		require.False(t, before.call(alice, "pay.now", validPay).IsError)
		refused(t, after.call(alice, "money.pay", validPay), contract.CodeRateLimitExceeded, contract.ClassRetryable)
	})
	t.Run("of the rate of all callers", func(t *testing.T) {
		t.Parallel()
		before, after := upgrade(t, func(name string) *contract.Builder[payInput, payOutput] {
			return payer(name).TotalRateLimit(1, time.Hour)
		})
		require.False(t, before.call(alice, "pay.now", validPay).IsError)
		refused(t, after.call(carol, "money.pay", validPay), contract.CodeRateLimitExceeded, contract.ClassRetryable)
	})
	t.Run("of failures", func(t *testing.T) {
		t.Parallel()
		before, after := upgrade(t, func(name string) *contract.Builder[payInput, payOutput] {
			f := &flaky{}
			f.fails(failNoFunds)
			return contract.New(name, f.run).From(writing()).RetryBudget(1, time.Hour)
		})
		refused(t, before.call(alice, "pay.now", validPay), errNoFunds.Code(), contract.ClassRetryable)
		assert.Equal(t, contract.CodeRetryBudgetExhausted, after.call(alice, "money.pay", validPay).Outcome.Code)
	})
	t.Run("of declined calls", func(t *testing.T) {
		t.Parallel()
		d := &door{address: desk}
		before, after := upgrade(t, (&counter{}).asking, guard.WithPeople(guard.PeopleOptions{Approver: d}))
		waits(t, before.call(alice, "pay.now", validPay))
		q, _ := d.last(t)
		after.decide(q, false) // on the replica that has the new name
		refused(t, before.call(alice, "pay.now", validPay), contract.CodeConfirmationDeclined, contract.ClassRetryable)
		refused(t, after.call(alice, "money.pay", validPay), contract.CodeConfirmationDeclined, contract.ClassRetryable)
	})
}

// A newPay is the input of a later version, with optional members that have
// defaults.
type newPay struct {
	Pay struct {
		Amount   int64  `json:"amount"`
		Currency string `json:"currency,omitempty" jsonschema:"default=EUR"`
	} `json:"pay"`
	Note  string `json:"note,omitempty"`
	Speed string `json:"speed,omitempty" jsonschema:"default=normal"`
}

func TestThreat158_ANewMemberWithADefaultKeepsTheKeyOfACall(t *testing.T) {
	t.Parallel()
	for name, i := range map[string]contract.Idempotency{
		"by all arguments":              byArguments,
		"by the client's key":           byClientKey,
		"by a field":                    {Mode: idempotency.Managed, KeyFields: []string{"pay"}},
		"only with a key of the client": keyed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, shared := &counter{}, replicas(t)
			var last newPay
			later := contract.New("pay.now", func(_ context.Context, in newPay) (payOutput, error) {
				last = in
				return payOutput{n.runs.Add(1)}, nil
			}).From(writing()).Idempotency(i).MustBuild()
			before := newKit(t, []*contract.Tool{n.managedPayer("pay.now", i, nil).MustBuild()}, shared...)
			after := newKit(t, []*contract.Tool{later}, shared...)
			first := before.callKeyed(alice, "pay.now", validPay, "k1")
			require.Equal(t, contract.StatusOK, first.Outcome.Status)
			for _, same := range []string{
				validPay, `{"pay":{"amount":10},"speed":"normal"}`, `{"pay":{"amount":10,"currency":"EUR"},"speed":"normal"}`,
			} {
				replayOf(t, first, after.callKeyed(alice, "pay.now", same, "k1"))
			}
			require.EqualValues(t, 1, n.runs.Load())

			// Another value is another call, and the handler gets the defaults.
			other := after.callKeyed(alice, "pay.now", `{"pay":{"amount":10,"currency":"USD"}}`, "k1")
			if i.ClientKey || i.Mode == idempotency.Keyed {
				refused(t, other, contract.CodeKeyConflict, contract.ClassRetryable)
				return
			}
			require.Equal(t, contract.StatusOK, other.Outcome.Status)
			assert.Equal(t, "USD normal", last.Pay.Currency+" "+last.Speed)
		})
	}
}

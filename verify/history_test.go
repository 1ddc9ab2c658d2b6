package verify_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
)

type payment struct {
	Order string `json:"order" jsonschema:"minLength=1,maxLength=40"`
	Cents int    `json:"cents" jsonschema:"minimum=1"`
}

type receipt struct {
	Number int `json:"number"`
}

// A bank has the payments of one history.
type bank struct {
	mu       sync.Mutex
	payments []payment
	keys     map[string]int // receipts by idempotency key
}

func (b *bank) pay(in payment) receipt {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.payments = append(b.payments, in)
	return receipt{len(b.payments)}
}

// payOnce records a key's payment once.
func (b *bank) payOnce(key string, in payment) receipt {
	b.mu.Lock()
	defer b.mu.Unlock()
	if number, ok := b.keys[key]; ok {
		return receipt{number}
	}
	b.payments = append(b.payments, in)
	b.keys[key] = len(b.payments)
	return receipt{len(b.payments)}
}

// count returns how often an input was paid.
func (b *bank) count(input string) int {
	var want payment
	if err := json.Unmarshal([]byte(input), &want); err != nil {
		return -1
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, p := range b.payments {
		if p == want {
			n++
		}
	}
	return n
}

var (
	errPayBusy   = contract.Retryable("busy", "The bank is busy.")
	errPayClosed = contract.Fatal("closed", "The account is closed.")
	errPayUnsure = contract.Retryable("unsure", "The money may have moved.").EffectPossible()
)

// paying returns a tool that pays.
func paying(t testing.TB, i contract.Idempotency, run func(context.Context, payment) (receipt, error)) *contract.Tool {
	t.Helper()
	tool, err := building(i, run).Failures(errPayBusy, errPayClosed, errPayUnsure).Build()
	require.NoError(t, err)
	return tool
}

func building(
	i contract.Idempotency, run func(context.Context, payment) (receipt, error),
) *contract.Builder[payment, receipt] {
	return contract.New("orders.pay", run).Title("Pay").Description("Pays an order.").Version("1.0.0").
		Trust(trust.Trusted).Effect(risk.LowRiskWrite).Permissions("orders:pay").Idempotency(i).SideEffects(internalEffect())
}

var (
	managed = contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"order"}}
	reruns  = contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"order"}, OnUnknown: idempotency.Rerun}
	keyed   = contract.Idempotency{Mode: idempotency.Keyed}
	perCall = contract.Idempotency{Mode: idempotency.Native}
	payKeys = []payment{{"o-1", 100}, {"o-2", 200}, {"o-3", 300}, {"o-4", 400}}
)

// history returns what CheckIdempotency reports about a handler if it fails.
func history(t *testing.T, i contract.Idempotency, run func(*bank, context.Context, payment) (receipt, error),
	opts ...verify.Option) string {
	t.Helper()
	var b *bank
	open := func(t testing.TB) *contract.Tool {
		b = &bank{keys: map[string]int{}}
		own := b
		return paying(t, i, func(ctx context.Context, in payment) (receipt, error) { return run(own, ctx, in) })
	}
	opts = append([]verify.Option{
		verify.WithEffects(func(input string) int { return b.count(input) }),
		verify.WithFixture(func(t testing.TB) verify.Fixture { return verify.Fixture{Tool: open(t)} }),
	}, opts...)
	for _, in := range payKeys {
		opts = append(opts, verify.Case{Input: in})
	}
	return failtest.Text(t, func(t testing.TB) { verify.CheckIdempotency(t, open(t), opts...) })
}

type payFunc = func(*bank, context.Context, payment) (receipt, error)

func plainly(b *bank, _ context.Context, in payment) (receipt, error) { return b.pay(in), nil }

func TestCheckIdempotency_TypesTheWordOfAQuestion(t *testing.T) {
	t.Parallel()
	var b bank
	tool, err := contract.New("orders.pay", func(ctx context.Context, in payment) (receipt, error) { return plainly(&b, ctx, in) }).
		Title("Pay").Description("Pays an order.").Version("1.0.0").Trust(trust.Trusted).Effect(risk.LowRiskWrite).
		Permissions("orders:pay").Idempotency(managed).SideEffects(internalEffect()).
		ConfirmAlways().ConfirmTyping(func(in payment) string { return in.Order }).Build()
	require.NoError(t, err)
	assert.Empty(t, failtest.Text(t, func(t testing.TB) {
		verify.CheckIdempotency(t, tool, verify.Case{Input: payKeys[0]})
	}))
}

// byKey passes the guard's key on to the bank.
func byKey(b *bank, ctx context.Context, in payment) (receipt, error) {
	key, _ := guard.IdempotencyKey(ctx)
	return b.payOnce(key, in), nil
}

// byOrder lets the bank deduplicate by order.
func byOrder(b *bank, _ context.Context, in payment) (receipt, error) {
	return b.payOnce(in.Order, in), nil
}

// afterwards pays, and then fails.
func afterwards(f *contract.Failure) payFunc {
	return func(b *bank, _ context.Context, in payment) (receipt, error) {
		b.pay(in)
		return receipt{}, f
	}
}

// instead fails without paying.
func instead(f *contract.Failure) payFunc {
	return func(*bank, context.Context, payment) (receipt, error) { return receipt{}, f }
}

func TestCheckIdempotency_PassesHonestTools(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		idempotency contract.Idempotency
		run         payFunc
	}{
		"managed":                                {managed, plainly},
		"managed, and the bank deduplicates too": {managed, byKey},
		"managed, and the key is passed on":      {reruns, byKey},
		"managed, and the bank deduplicates":     {reruns, byOrder},
		"keyed":                                  {keyed, plainly},
		"native":                                 {perCall, byOrder},
		"a retryable failure without an effect":  {managed, instead(errPayBusy)},
		"a fatal failure without an effect":      {managed, instead(errPayClosed)},
		"a failure that declares its effect":     {managed, afterwards(errPayUnsure)},
		"a slow handler": {managed, func(b *bank, _ context.Context, in payment) (receipt, error) {
			time.Sleep(time.Millisecond)
			return b.pay(in), nil
		}},
		"a failure that declares what it may leave": {reruns, func(b *bank, ctx context.Context, in payment) (receipt, error) {
			_, _ = byKey(b, ctx, in)
			return receipt{}, errPayUnsure
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, history(t, c.idempotency, c.run))
		})
	}
}

func TestCheckIdempotency_FindsLies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		idempotency contract.Idempotency
		run         payFunc
		rule        string
	}{
		"the effect happens twice in one run": {managed, func(b *bank, _ context.Context, in payment) (receipt,
			error) {
			b.pay(in)
			return b.pay(in), nil
		}, "idempotent.secondEffect"},
		"a rerun ignores the key":             {reruns, plainly, "idempotent.secondEffect"},
		"a retryable failure after an effect": {managed, afterwards(errPayBusy), "idempotent.secondEffect"},
		"a fatal failure after an effect":     {managed, afterwards(errPayClosed), "failure.effect"},
		"native without deduplication":        {perCall, plainly, "idempotent.secondEffect"},
		"an effect outside the key": {managed, func(b *bank, _ context.Context, in payment) (receipt,
			error) {
			in.Order = "all"
			return b.pay(in), nil
		}, "idempotent.history"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Contains(t, history(t, c.idempotency, c.run), "contradicted ["+c.rule+"]")
		})
	}
}

// Each input has its own key, so every kind of fault is injected.
func TestCheckIdempotency_GivesEachInputAKey(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	orders := map[string]bool{}
	assert.Empty(t, history(t, reruns, func(b *bank, ctx context.Context, in payment) (receipt, error) {
		mu.Lock()
		defer mu.Unlock()
		orders[in.Order] = true
		return byKey(b, ctx, in)
	}))
	assert.Len(t, orders, len(payKeys))
}

func TestCheckIdempotency_FailsIfAHistoryIsNotJudged(t *testing.T) {
	t.Parallel()
	text := failtest.Text(t, func(t testing.TB) {
		b := &bank{keys: map[string]int{}}
		tool := paying(t, managed, func(ctx context.Context, in payment) (receipt, error) { return plainly(b, ctx, in) })
		verify.CheckIdempotencyUnjudged(t, tool, verify.Case{Input: payKeys[0]})
	})
	assert.Contains(t, text, "unknown [idempotent.history]")
}

func TestCheckIdempotency_FailsIfNothingReachesTheHandler(t *testing.T) {
	t.Parallel()
	denied := verify.WithCallers(contract.Principal{Subject: "anna"})
	assert.Contains(t, history(t, managed, plainly, denied), "unknown [handler.notReached]")
}

// A forgetful store grants every claim.
type forgetful struct{ store.Store }

func (f forgetful) Claim(context.Context, store.Claim) (store.ClaimResult, error) {
	return store.ClaimResult{Status: store.Claimed}, nil
}

func (f forgetful) Complete(context.Context, store.Completion) error { return nil }

func TestCheckIdempotency_FindsAStoreThatGrantsEveryClaim(t *testing.T) {
	t.Parallel()
	shared := verify.WithFixture(func(t testing.TB) verify.Fixture {
		memory, err := store.NewMemory()
		require.NoError(t, err)
		return verify.Fixture{Store: forgetful{memory}}
	})
	assert.Contains(t, history(t, managed, plainly, shared), "contradicted [idempotent.")
}

func TestCheckIdempotency_RefusesToolsWithoutIdempotency(t *testing.T) {
	t.Parallel()
	assert.Contains(t, history(t, contract.Idempotency{Mode: idempotency.None}, plainly), "declares no idempotency")
}

// empty forgets all payments.
func (b *bank) empty() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.payments, b.keys = nil, map[string]int{}
}

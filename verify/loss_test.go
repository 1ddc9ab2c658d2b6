package verify_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
)

// A till is a bank that can be asked by key, and told to refuse a key. It does
// not deduplicate.
type till struct {
	bank

	receipts map[string]receipt
	refused  map[string]bool
	asked    map[string]int
}

func newTill() *till {
	return &till{
		bank: bank{keys: map[string]int{}}, receipts: map[string]receipt{}, refused: map[string]bool{}, asked: map[string]int{},
	}
}

var errPayRefused = contract.Fatal("refused", "The bank refuses the key.")

func (t *till) pay(ctx context.Context, in payment) (receipt, error) {
	key, _ := guard.IdempotencyKey(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refused[key] {
		return receipt{}, errPayRefused
	}
	t.payments = append(t.payments, in)
	t.receipts[key] = receipt{len(t.payments)}
	return t.receipts[key], nil
}

func (t *till) has(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.receipts[key]
	return ok
}

// payByKey pays once for each key.
func (t *till) payByKey(ctx context.Context, in payment) (receipt, error) {
	key, _ := guard.IdempotencyKey(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.receipts[key]; !ok {
		t.payments = append(t.payments, in)
		t.receipts[key] = receipt{len(t.payments)}
	}
	return t.receipts[key], nil
}

// payUnlessBusy is busy the first time that a key follows one that the bank
// refuses.
func (t *till) payUnlessBusy(ctx context.Context, in payment) (receipt, error) {
	key, _ := guard.IdempotencyKey(ctx)
	t.mu.Lock()
	t.asked[key]++
	busy := len(t.refused) > 0 && !t.refused[key] && t.asked[key] == 1
	t.mu.Unlock()
	if busy {
		return receipt{}, errPayBusy
	}
	return t.pay(ctx, in)
}

// payLate pays after the timeout of the call.
func (t *till) payLate(ctx context.Context, in payment) (receipt, error) {
	time.Sleep(50 * time.Millisecond)
	return t.pay(ctx, in)
}

// A reconcileFunc answers what became of the payment with a key.
type reconcileFunc func(ctx context.Context, t *till, key string, in payment) (contract.Reconciled[receipt], error)

// orElse answers Happened if the payment is there, and else otherwise.
func orElse(otherwise func(t *till, key string) contract.Reconciled[receipt]) reconcileFunc {
	return func(_ context.Context, t *till, key string, _ payment) (contract.Reconciled[receipt], error) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if r, ok := t.receipts[key]; ok {
			return contract.Happened(r), nil
		}
		return otherwise(t, key), nil
	}
}

func always(r contract.Reconciled[receipt]) reconcileFunc {
	return func(context.Context, *till, string, payment) (contract.Reconciled[receipt], error) { return r, nil }
}

var (
	refusing = orElse(func(t *till, key string) contract.Reconciled[receipt] {
		t.refused[key] = true
		return contract.CannotHappen[receipt]()
	})
	notYet     = orElse(func(*till, string) contract.Reconciled[receipt] { return contract.DidNotHappen[receipt]() })
	undecided  = orElse(func(*till, string) contract.Reconciled[receipt] { return contract.NotKnown[receipt](0) })
	hesitating = orElse(func(t *till, key string) contract.Reconciled[receipt] {
		if t.asked[key]++; t.asked[key] < 5 {
			return contract.NotKnown[receipt](time.Second)
		}
		return contract.DidNotHappen[receipt]()
	})
)

// A reconciled is a tool whose unknown outcomes are reconciled.
type reconciled struct {
	idempotency contract.Idempotency // zero: managed
	risk        risk.Level           // zero: that of the effect
	quiet       time.Duration
	pay         func(*till, context.Context, payment) (receipt, error) // nil: (*till).pay
	ask         reconcileFunc
	more        func(*payBuilder) // nil: no more clauses
}

type payBuilder = contract.Builder[payment, receipt]

func (r reconciled) open(t testing.TB, of *till) *contract.Tool {
	t.Helper()
	if r.idempotency.Mode == 0 {
		r.idempotency = managed
	}
	if r.pay == nil {
		r.pay = (*till).pay
	}
	b := building(r.idempotency, func(ctx context.Context, in payment) (receipt, error) { return r.pay(of, ctx, in) }).
		Failures(errPayBusy, errPayRefused).
		Reconcile(func(ctx context.Context, in payment, _ time.Time) (contract.Reconciled[receipt], error) {
			key, _ := guard.IdempotencyKey(ctx)
			return r.ask(ctx, of, key, in)
		}, contract.Reconciling{Quiet: r.quiet})
	if r.risk != 0 {
		b.Risk(r.risk)
	}
	if r.more != nil {
		r.more(b)
	}
	tool, err := b.Build()
	require.NoError(t, err)
	return tool
}

// check returns what CheckIdempotency reports if it fails.
func (r reconciled) check(t *testing.T, opts ...verify.Option) string {
	t.Helper()
	var own *till
	opts = append(opts,
		verify.WithEffects(func(input string) int { return own.count(input) }),
		verify.WithFixture(func(t testing.TB) verify.Fixture {
			own = newTill()
			return verify.Fixture{Tool: r.open(t, own)}
		}))
	for _, in := range payKeys {
		opts = append(opts, verify.Case{Input: in})
	}
	return failtest.Text(t, func(t testing.TB) { verify.CheckIdempotency(t, r.open(t, newTill()), opts...) })
}

func TestCheckIdempotency_PassesToolsWhoseReconcileIsTrue(t *testing.T) {
	t.Parallel()
	keyRequired := contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}
	for name, r := range map[string]reconciled{
		"the system refuses the key":             {ask: refusing},
		"the same, and the client sends the key": {idempotency: keyRequired, quiet: time.Minute, ask: refusing},
		"the same at high risk":                  {risk: risk.High, quiet: time.Minute, ask: refusing},
		"the same, and a person decides":         {ask: refusing, more: func(b *payBuilder) { b.ConfirmAlways() }},
		"the same, after a preview": {ask: refusing, more: func(b *payBuilder) {
			b.DryRun(dryrun.By(func(context.Context, payment) (dryrun.Preview[receipt], error) {
				return dryrun.Preview[receipt]{}, nil
			}).Required())
		}},
		"the same, and every handler outlasts its call": {ask: refusing, pay: (*till).payLate, more: func(b *payBuilder) {
			b.Timeout(20 * time.Millisecond)
		}},
		"the same, and the next key is busy at first": {ask: refusing, pay: (*till).payUnlessBusy},
		"not yet, with a quiet time":                  {quiet: 30 * time.Second, ask: notYet},
		"not yet, with a short quiet time":            {quiet: time.Second, ask: notYet},
		"not yet, without a quiet time":               {ask: notYet},
		"not yet, at high risk":                       {risk: risk.High, quiet: 30 * time.Second, ask: notYet},
		"not yet, and the system deduplicates":        {idempotency: reruns, ask: notYet, pay: (*till).payByKey},
		"not known until later":                       {quiet: 30 * time.Second, ask: hesitating},
		"not known unless it happened":                {ask: undecided},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, r.check(t))
		})
	}
}

func TestCheckIdempotency_FindsAReconcileThatIsNotTrue(t *testing.T) {
	t.Parallel()
	const untrue, unknown = "contradicted [reconcile.untrue]", "unknown [reconcile.untrue]"
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	for name, c := range map[string]struct {
		reconciled

		want string
	}{
		"it happened, although it did not":   {reconciled{ask: always(contract.Happened(receipt{7}))}, untrue},
		"it did not happen, although it did": {reconciled{quiet: time.Minute, ask: always(contract.DidNotHappen[receipt]())}, untrue},
		"the same at high risk, where nothing runs": {
			reconciled{risk: risk.High, quiet: time.Minute, ask: always(contract.DidNotHappen[receipt]())}, unknown,
		},
		"it cannot happen, although it did": {reconciled{ask: always(contract.CannotHappen[receipt]())}, untrue},
		"it cannot happen, although the system refuses nothing": {
			reconciled{ask: orElse(func(*till, string) contract.Reconciled[receipt] { return contract.CannotHappen[receipt]() })}, untrue,
		},
		"not yet, and the system deduplicates nothing": {reconciled{idempotency: reruns, ask: notYet}, untrue},
		"another result": {reconciled{ask: func(ctx context.Context, b *till, key string, in payment) (contract.Reconciled[receipt], error) {
			if b.has(key) {
				return contract.Happened(receipt{99}), nil
			}
			return notYet(ctx, b, key, in)
		}}, untrue},
		"the zero value": {reconciled{ask: always(contract.Reconciled[receipt]{})}, unknown},
		"the effect comes from Reconcile": {reconciled{ask: func(ctx context.Context, b *till, key string, in payment) (
			contract.Reconciled[receipt], error) {
			if !b.has(key) {
				_, _ = b.pay(ctx, in)
			}
			return undecided(ctx, b, key, in)
		}}, "contradicted [reconcile.effect]"},
		"it panics": {reconciled{ask: func(context.Context, *till, string, payment) (contract.Reconciled[receipt], error) {
			panic("no connection")
		}}, "contradicted [reconcile.noAnswer]"},
		"it ignores its context": {reconciled{ask: func(ctx context.Context, b *till, key string, in payment) (
			contract.Reconciled[receipt], error) {
			if ctx.Err() != nil {
				<-stop
			}
			return refusing(ctx, b, key, in)
		}}, "contradicted [reconcile.noAnswer]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Contains(t, c.check(t), c.want)
		})
	}
}

// The histories judge found answers too: one is legal only if the effect is
// there.
func TestCheckIdempotency_FindsAReplayWithoutAnEffect(t *testing.T) {
	t.Parallel()
	lie := reconciled{ask: always(contract.Happened(receipt{7}))}
	text := lie.check(t, verify.WithAccepted("reconcile.untrue", "The histories are tested."))
	assert.Contains(t, text, "contradicted [idempotent.history]")
}

func TestHistories_HaveOneKeyForEachGeneration(t *testing.T) {
	t.Parallel()
	unknown := func(key string) verify.Passed { return verify.Passed{Key: key, Unknown: true} }
	done := func(key string) verify.Passed { return verify.Passed{Key: key} }
	for name, c := range map[string]struct {
		asks, want bool
		calls      []verify.Passed
	}{
		"the same key":                           {false, true, []verify.Passed{unknown("a"), unknown("a"), done("a")}},
		"another key, although nobody was asked": {false, false, []verify.Passed{unknown("a"), done("b")}},
		"another key, once the system refuses the first": {true, true, []verify.Passed{unknown("a"), unknown("b"),
			unknown("b"), done("c")}},
		"the key of an earlier generation": {true, false, []verify.Passed{unknown("a"), unknown("b"), done("a")}},
	} {
		assert.Equal(t, c.want, verify.IsLegal(c.asks, c.calls...), name)
	}
}

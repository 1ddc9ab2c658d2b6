package verify_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
)

// A bankStore keeps records in a bank's transactions.
type bankStore struct {
	store.Store

	bank *bank
}

func (s bankStore) Transaction(store.Key, store.Owner) store.Transaction {
	return &bankTx{of: s, ended: make(chan struct{})}
}

// A bankTx holds a call's payments until its commit.
type bankTx struct {
	of    bankStore
	ended chan struct{}

	mu      sync.Mutex
	over    bool
	pending []payment
}

type bankTxKey struct{}

var errBankTxOver = errors.New("the transaction is over")

func bankTxOf(ctx context.Context) *bankTx {
	tx, _ := ctx.Value(bankTxKey{}).(*bankTx)
	return tx
}

// payIn pays in the call's transaction.
func payIn(ctx context.Context, in payment) (receipt, error) {
	tx := bankTxOf(ctx)
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if tx.over {
		return receipt{}, errBankTxOver
	}
	tx.pending = append(tx.pending, in)
	return receipt{in.Cents}, nil
}

func (t *bankTx) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, bankTxKey{}, t)
}

func (t *bankTx) Begun() bool { return true }

func (t *bankTx) Failed(error) {}

func (t *bankTx) Err() error { return nil }

func (t *bankTx) Commit(ctx context.Context, c store.Completion) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return store.ErrLost
	}
	t.end()
	t.of.bank.mu.Lock()
	defer t.of.bank.mu.Unlock()
	if err := t.of.Complete(ctx, c); err != nil {
		return err
	}
	t.of.bank.payments = append(t.of.bank.payments, t.pending...)
	return nil
}

func (t *bankTx) Rollback() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end()
}

func (t *bankTx) end() {
	if !t.over {
		t.over = true
		close(t.ended)
	}
}

var atomically = contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"order"}, Atomic: true}

// atomicHistory is [history] for an atomic tool.
func atomicHistory(t *testing.T, run payFunc) string {
	t.Helper()
	return atomicHistoryOn(t, asItIs, run, payKeys...)
}

func asItIs(s bankStore) store.Store { return s }

// atomicHistoryOn is [atomicHistory] for some payments on another store.
func atomicHistoryOn(t *testing.T, on func(bankStore) store.Store, run payFunc, payments ...payment) string {
	t.Helper()
	var b *bank
	tool := func(of *bank) *contract.Tool {
		return payingAtomically(t, func(ctx context.Context, in payment) (receipt, error) { return run(of, ctx, in) })
	}
	opts := []verify.Option{
		verify.WithEffects(func(input string) int { return b.count(input) }),
		verify.WithFixture(func(t testing.TB) verify.Fixture {
			memory, err := store.NewMemory()
			require.NoError(t, err)
			b = &bank{keys: map[string]int{}}
			return verify.Fixture{Tool: tool(b), Store: on(bankStore{memory, b})}
		}),
	}
	for _, in := range payments {
		opts = append(opts, verify.Case{Input: in})
	}
	return failtest.Text(t, func(t testing.TB) { verify.CheckIdempotency(t, tool(nil), opts...) })
}

func payingAtomically(t testing.TB, run func(context.Context, payment) (receipt, error)) *contract.Tool {
	t.Helper()
	tool, err := building(atomically, run).Failures(errPayBusy, errPayClosed).Build()
	require.NoError(t, err)
	return tool
}

// payingThen pays in the call's transaction, and then fails.
func payingThen(f error) payFunc {
	return func(_ *bank, ctx context.Context, in payment) (receipt, error) {
		_, err := payIn(ctx, in)
		return receipt{}, errors.Join(err, f)
	}
}

// atFirst pays in the call's transaction, and fails in its first runs.
func atFirst(failures ...error) payFunc {
	var mu sync.Mutex
	runs := map[*bank]int{}
	return func(b *bank, ctx context.Context, in payment) (receipt, error) {
		mu.Lock()
		n := runs[b]
		runs[b]++
		mu.Unlock()
		if n < len(failures) {
			return payingThen(failures[n])(b, ctx, in)
		}
		return payIn(ctx, in)
	}
}

func inTransaction(_ *bank, ctx context.Context, in payment) (receipt, error) { return payIn(ctx, in) }

func TestCheckIdempotency_PassesHonestAtomicTools(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]payFunc{
		"a write in the transaction": inTransaction,
		"failures after a write":     atFirst(errPayBusy, errors.New("broken"), context.Canceled),
		"fatal failures after a write": func(b *bank, ctx context.Context, in payment) (receipt, error) {
			if in != payKeys[0] {
				return payingThen(errPayClosed)(b, ctx, in)
			}
			return payIn(ctx, in)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, atomicHistory(t, run))
		})
	}
}

func TestCheckIdempotency_FindsAtomicToolsThatAreNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run  payFunc
		rule string
	}{
		"a write past the transaction":   {plainly, "idempotent.notAtomic"},
		"one that the bank deduplicates": {byOrder, "idempotent.notAtomic"},
		"one beside the transaction, by a second connection": {func(b *bank, ctx context.Context, in payment) (receipt, error) {
			b.payOnce(in.Order, in)
			_, err := payIn(ctx, payment{in.Order, in.Cents + 1})
			return receipt{}, err
		}, "idempotent.notAtomic"},
		"the effect happens twice in one call": {func(b *bank, ctx context.Context, in payment) (receipt, error) {
			_, err := payIn(ctx, in)
			if err != nil {
				return receipt{}, err
			}
			return payIn(ctx, in)
		}, "idempotent.secondEffect"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Contains(t, atomicHistory(t, c.run), "contradicted ["+c.rule+"]")
		})
	}
}

// A hastyStore commits a call's payments before its record.
type hastyStore struct{ bankStore }

func (s hastyStore) Transaction(key store.Key, owner store.Owner) store.Transaction {
	tx, _ := s.bankStore.Transaction(key, owner).(*bankTx)
	return hastyTx{tx}
}

type hastyTx struct{ *bankTx }

func (t hastyTx) Commit(ctx context.Context, c store.Completion) error {
	for _, p := range t.pending {
		t.of.bank.pay(p)
	}
	t.pending = nil
	return t.bankTx.Commit(ctx, c)
}

// A stickyStore carries payments of a rolled-back transaction over into the
// call's next one.
type stickyStore struct {
	bankStore

	of *sync.Map
}

func (s stickyStore) Transaction(key store.Key, owner store.Owner) store.Transaction {
	tx, _ := s.bankStore.Transaction(key, owner).(*bankTx)
	if before, again := s.of.Swap(owner, tx); again {
		earlier, _ := before.(*bankTx)
		tx.pending = earlier.pending
	}
	return tx
}

// A freeingStore releases records on completion, and then grants every claim.
type freeingStore struct {
	forgetful

	freed *atomic.Bool
}

func (s freeingStore) Release(ctx context.Context, r store.Release) error {
	if found, _ := s.Get(ctx, r.Key); found.Owner == r.Owner && found.State == store.Completed {
		s.freed.Store(true)
		return nil
	}
	return s.Store.Release(ctx, r)
}

func (s freeingStore) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	if s.freed.Load() {
		return s.forgetful.Claim(ctx, c)
	}
	return s.Store.Claim(ctx, c)
}

func (s freeingStore) Complete(ctx context.Context, c store.Completion) error {
	if s.freed.Load() {
		return s.forgetful.Complete(ctx, c)
	}
	return s.Store.Complete(ctx, c)
}

// Each of these tools, or its store, breaks its contract under one fault only.
// With one key, a history's transactions follow each other, so every fault is
// injected.
func TestCheckIdempotency_FindsWhatAnAtomicToolDoesUnderEachFault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		on   func(bankStore) store.Store
		run  payFunc
		rule string
	}{
		"begin: the tool pays without a transaction": {asItIs, func(b *bank, ctx context.Context, in payment) (receipt, error) {
			out, err := payIn(ctx, in)
			if err != nil {
				out, err = b.pay(in), nil
			}
			return out, err
		}, "idempotent.notAtomic"},
		"write: the tool pays without a transaction that has ended": {asItIs, afterUndone(), "idempotent.notAtomic"},
		"commit: the store commits the effect before the record": {func(s bankStore) store.Store {
			return hastyStore{s}
		}, inTransaction, "idempotent.notAtomic"},
		"record: the store commits what an earlier run of the call wrote": {func(s bankStore) store.Store {
			return stickyStore{s, new(sync.Map)}
		}, inTransaction, "idempotent.secondEffect"},
		"answer: the store releases the record of a committed call": {func(s bankStore) store.Store {
			s.Store = freeingStore{forgetful{s.Store}, new(atomic.Bool)}
			return s
		}, inTransaction, "idempotent.notAtomic"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Contains(t, atomicHistoryOn(t, c.on, c.run, payKeys[0]), "contradicted ["+c.rule+"]")
		})
	}
}

// afterUndone pays outside the transaction if that ends while the second run of
// a history waits. The first one does not begin if the store fails.
func afterUndone() payFunc {
	var mu sync.Mutex
	runs := map[*bank]int{}
	return func(b *bank, ctx context.Context, in payment) (receipt, error) {
		mu.Lock()
		runs[b]++
		second := runs[b] == 2
		mu.Unlock()
		if second {
			select {
			case <-bankTxOf(ctx).ended:
			case <-ctx.Done():
			}
		}
		out, err := payIn(ctx, in)
		if err != nil && second {
			out, err = b.pay(in), nil
		}
		return out, err
	}
}

// A write after the handler has returned is not seen before the commit, but it
// stays when the call is rolled back.
func TestCheckIdempotency_FindsAnEffectThatOutlivesItsTransaction(t *testing.T) {
	t.Parallel()
	var late sync.WaitGroup
	text := atomicHistory(t, func(b *bank, ctx context.Context, in payment) (receipt, error) {
		returned := make(chan struct{})
		late.Go(func() {
			<-returned
			b.payOnce(in.Order, in)
		})
		defer func() { context.AfterFunc(ctx, func() { close(returned) }) }()
		return receipt{}, errPayBusy
	})
	late.Wait()
	assert.Contains(t, text, "contradicted [idempotent.notAtomic]")
}

func TestCheckIdempotency_FailsIfAnAtomicToolNeverSucceeds(t *testing.T) {
	t.Parallel()
	assert.Contains(t, atomicHistory(t, payingThen(errPayClosed)), "unknown [handler.neverSucceeded]")
}

func TestAtomicTools_NeedAStoreWithTransactions(t *testing.T) {
	t.Parallel()
	tool := payingAtomically(t, payIn)
	for name, check := range map[string]func(testing.TB){
		"CheckIdempotency": func(t testing.TB) { verify.CheckIdempotency(t, tool, verify.Case{Input: payKeys[0]}) },
		"Tool":             func(t testing.TB) { verify.Tool(t, tool, verify.Case{Input: payKeys[0]}, verify.WithoutKernel()) },
	} {
		assert.Contains(t, failtest.Text(t, check), "give a Fixture with the Store", name)
	}
}

func TestTool_CallsAtomicToolsOnTheStoreOfTheFixture(t *testing.T) {
	t.Parallel()
	tool := payingAtomically(t, payIn)
	assert.Empty(t, failtest.Text(t, func(t testing.TB) {
		fixture := verify.WithFixture(func(t testing.TB) verify.Fixture {
			memory, err := store.NewMemory()
			require.NoError(t, err)
			b := &bank{}
			return verify.Fixture{Store: bankStore{memory, b}, State: func() any { return b.payments }}
		})
		verify.Tool(t, tool, verify.Case{Input: payKeys[0]}, verify.WithoutKernel(), fixture)
	}))
}

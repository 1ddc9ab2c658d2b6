package guard_test

import (
	"bytes"
	"context"
	"errors"
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
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// A shop takes orders. It does not deduplicate, but can be asked, and told to
// refuse a key.
type shop struct {
	mu      sync.Mutex
	keys    []string          // of the orders, in their order
	voided  map[string]bool   // keys that it refuses
	placed  map[string]string // receipts by key
	asked   int
	since   time.Time // of the last question
	handler func(ctx context.Context, place func() (receipt, error)) (receipt, error)
	answer  func(ctx context.Context, key string) (contract.Reconciled[receipt], error)
}

type (
	purchase struct{ Number, Note string }
	receipt  struct{ Receipt string }
)

var errVoid = contract.Fatal("void", "The shop refuses the key.")

func newShop() *shop { return &shop{voided: map[string]bool{}, placed: map[string]string{}} }

func (s *shop) place(ctx context.Context, _ purchase) (receipt, error) {
	key, _ := guard.IdempotencyKey(ctx)
	place := func() (receipt, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.voided[key] {
			return receipt{}, errVoid
		}
		s.keys = append(s.keys, key)
		s.placed[key] = "R" + string(rune('0'+len(s.keys)))
		return receipt{s.placed[key]}, nil
	}
	s.mu.Lock()
	handler := s.handler
	s.mu.Unlock()
	if handler != nil {
		return handler(ctx, place)
	}
	return place()
}

// handle sets what places an order. Nil: it is placed at once.
func (s *shop) handle(f func(ctx context.Context, place func() (receipt, error)) (receipt, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handler = f
}

// reply sets what answers a question. Nil: the truth.
func (s *shop) reply(f func(ctx context.Context, key string) (contract.Reconciled[receipt], error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

func (s *shop) reconcile(ctx context.Context, _ purchase, since time.Time) (contract.Reconciled[receipt], error) {
	key, _ := guard.IdempotencyKey(ctx)
	s.mu.Lock()
	s.asked++
	s.since = since
	answer := s.answer
	s.mu.Unlock()
	if answer != nil {
		return answer(ctx, key)
	}
	return s.truth(key), nil
}

// truth answers as a system that can refuse keys.
func (s *shop) truth(key string) contract.Reconciled[receipt] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.placed[key]; ok {
		return contract.Happened(receipt{r})
	}
	s.voided[key] = true
	return contract.CannotHappen[receipt]()
}

func (s *shop) effects() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.keys)
}

func (s *shop) questions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

var byNumber = contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"Number"}}

func (s *shop) tool(i contract.Idempotency) *contract.Builder[purchase, receipt] {
	b := writing()
	b.Failures = append(b.Failures, errVoid)
	return contract.New("orders.place", s.place).From(b).Idempotency(i).
		Reconcile(s.reconcile, contract.Reconciling{Quiet: time.Minute})
}

const orderOne = `{"Number":"1","Note":"ring twice"}`

// died makes a call whose process seems to have died: its handler panics, before
// or after it has placed the order.
func (s *shop) died(t *testing.T, k *kit, after bool) *guard.Result {
	t.Helper()
	s.handle(func(_ context.Context, place func() (receipt, error)) (receipt, error) {
		if after {
			_, _ = place()
		}
		panic("killed")
	})
	defer func() { s.handle(nil) }()
	r := k.call(alice, "orders.place", orderOne)
	require.Equal(t, contract.CodeInternalError, r.Outcome.Code)
	return r
}

func TestReconcile_EffectThatHappenedIsRecordedAndReplayed(t *testing.T) {
	t.Parallel()
	s := newShop()
	k := newKit(t, []*contract.Tool{s.tool(byNumber).MustBuild()})
	before := time.Now().Truncate(time.Second)
	died := s.died(t, k, true)
	require.NotEmpty(t, died.Outcome.OperationID)
	for range 2 {
		r := k.call(alice, "orders.place", orderOne)
		assert.Equal(t, contract.StatusReplayed, r.Outcome.Status)
		assert.JSONEq(t, `{"Receipt":"R1"}`, string(r.Structured))
		assert.Equal(t, died.Outcome.OperationID, r.Outcome.OperationID)
		assert.Contains(t, r.Content[len(r.Content)-1].(contract.TextContent).Text, "nothing was done again")
	}
	assert.Equal(t, 1, s.effects())
	assert.Equal(t, 1, s.questions(), "the answer is recorded")
	assert.False(t, s.since.Before(before) || s.since.After(time.Now()), "%v", s.since)
	terminal := k.events(audit.Terminal)
	found := k.log.Events(audit.Found)
	require.Len(t, found, 1)
	assert.Equal(t, terminal[0].LookupKey, found[0].LookupKey)
	assert.Equal(t, died.Outcome.OperationID, found[0].OperationID)
	assert.Equal(t, terminal[1].CallID, found[0].CallID)
}

// The effect happened, but its result does not fit.
func TestReconcile_EventOfAnEffectHasTheCodeOfItsResult(t *testing.T) {
	t.Parallel()
	s := newShop()
	k := newKit(t, []*contract.Tool{s.tool(byNumber).MaxResultBytes(1000).MustBuild()})
	s.reply(func(context.Context, string) (contract.Reconciled[receipt], error) {
		return contract.Happened(receipt{strings.Repeat("R", 2000)}), nil
	})
	s.died(t, k, true)
	for range 2 {
		r := k.call(alice, "orders.place", orderOne)
		assert.Equal(t, contract.StatusReplayed, r.Outcome.Status)
		assert.Equal(t, contract.CodeResultTooLarge, r.Outcome.Code)
	}
	assert.Equal(t, 1, s.questions())
	found := k.events(audit.Found)
	require.Len(t, found, 1)
	assert.Equal(t, contract.StatusError.String(), found[0].Status)
	assert.Equal(t, contract.CodeResultTooLarge, found[0].Code)
	assert.Equal(t, contract.ClassFatal.String(), found[0].Class)
}

func TestReconcile_EffectThatCannotHappenRunsAtOnceWithAnotherKey(t *testing.T) {
	t.Parallel()
	s := newShop()
	k := newKit(t, []*contract.Tool{s.tool(byNumber).MustBuild()})
	died := s.died(t, k, false)
	r := k.call(alice, "orders.place", orderOne)
	assert.Equal(t, contract.StatusOK, r.Outcome.Status)
	assert.NotEqual(t, died.Outcome.OperationID, r.Outcome.OperationID)
	require.Equal(t, 1, s.effects())
	assert.False(t, s.voided[s.keys[0]])
	again := k.call(alice, "orders.place", orderOne)
	assert.Equal(t, contract.StatusReplayed, again.Outcome.Status)
	assert.Equal(t, r.Outcome.OperationID, again.Outcome.OperationID)
}

// The second run dies too, after its effect. Its key is not that of the first.
func TestReconcile_EachGenerationIsAskedAboutByItsOwnKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		k := newKit(t, []*contract.Tool{s.tool(byNumber).RetryBudget(100, time.Hour).MustBuild()})
		s.died(t, k, false)
		time.Sleep(time.Minute) // since the question
		s.died(t, k, true)
		time.Sleep(time.Minute)
		r := k.call(alice, "orders.place", orderOne)
		assert.Equal(t, contract.StatusReplayed, r.Outcome.Status)
		assert.JSONEq(t, `{"Receipt":"R1"}`, string(r.Structured))
		assert.Equal(t, 1, s.effects())
	})
}

func notSoFar(context.Context, string) (contract.Reconciled[receipt], error) {
	return contract.DidNotHappen[receipt](), nil
}

func TestReconcile_EffectThatDidNotHappenSoFarRunsAfterTheQuietTime(t *testing.T) {
	t.Parallel()
	rerun := byNumber
	rerun.OnUnknown = idempotency.Rerun
	for name, c := range map[string]struct {
		tool  func(s *shop) *contract.Builder[purchase, receipt]
		early bool // it runs at once
		never bool
	}{
		"below high risk": {tool: func(s *shop) *contract.Builder[purchase, receipt] { return s.tool(byNumber) }},
		"with a rerun":    {tool: func(s *shop) *contract.Builder[purchase, receipt] { return s.tool(rerun) }, early: true},
		"from high risk up": {tool: func(s *shop) *contract.Builder[purchase, receipt] {
			return s.tool(byNumber).Risk(risk.High).ConfirmNever("The shop asks its customers itself.")
		}, never: true},
		"without a declared quiet time": {tool: func(s *shop) *contract.Builder[purchase, receipt] {
			return s.tool(byNumber).Reconcile(s.reconcile, contract.Reconciling{})
		}, never: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newShop()
				s.reply(notSoFar)
				k := newKit(t, []*contract.Tool{c.tool(s).MustBuild()})
				s.died(t, k, false)
				r := k.call(alice, "orders.place", orderOne)
				if c.early {
					assert.Equal(t, contract.StatusOK, r.Outcome.Status)
					return
				}
				refused(t, r, contract.CodeOutcomeUnknown, contract.ClassRetryable)
				assert.Positive(t, r.Outcome.RetryAfterMs)
				assert.Zero(t, s.effects())
				time.Sleep(time.Duration(r.Outcome.RetryAfterMs) * time.Millisecond)
				r = k.call(alice, "orders.place", orderOne)
				if c.never {
					refused(t, r, contract.CodeOutcomeUnknown, contract.ClassRetryable)
					time.Sleep(time.Hour)
					refused(t, k.call(alice, "orders.place", orderOne), contract.CodeOutcomeUnknown, contract.ClassRetryable)
					assert.Zero(t, s.effects())
					return
				}
				assert.Equal(t, contract.StatusOK, r.Outcome.Status)
				assert.Equal(t, 1, s.effects())
			})
		})
	}
}

func TestReconcile_NoAnswerMeansNotKnown(t *testing.T) {
	t.Parallel()
	type answer = func(context.Context, string) (contract.Reconciled[receipt], error)
	for name, a := range map[string]answer{
		"an error": func(context.Context, string) (contract.Reconciled[receipt], error) {
			return contract.Happened(receipt{"R9"}), errSecret
		},
		"a panic":        func(context.Context, string) (contract.Reconciled[receipt], error) { panic("the shop is closed") },
		"the zero value": func(context.Context, string) (r contract.Reconciled[receipt], err error) { return r, nil },
		"not known": func(context.Context, string) (contract.Reconciled[receipt], error) {
			return contract.NotKnown[receipt](0), nil
		},
		"no answer in time": func(ctx context.Context, _ string) (contract.Reconciled[receipt], error) {
			<-ctx.Done()
			return contract.CannotHappen[receipt](), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newShop()
				s.reply(a)
				k := newKit(t, []*contract.Tool{s.tool(byNumber).RetryBudget(100, time.Hour).MustBuild()})
				s.died(t, k, true)
				r := k.call(alice, "orders.place", orderOne)
				refused(t, r, contract.CodeOutcomeUnknown, contract.ClassRetryable)
				assert.Positive(t, r.Outcome.RetryAfterMs)
				assert.NotContains(t, r.Text, errSecret.Error())
				assert.Equal(t, 1, s.effects())
				s.reply(nil)
				time.Sleep(time.Duration(r.Outcome.RetryAfterMs) * time.Millisecond)
				assert.Equal(t, contract.StatusReplayed, k.call(alice, "orders.place", orderOne).Outcome.Status)
			})
		})
	}
}

// The lease has ended, but the process knows that its handler runs.
func TestReconcile_NobodyAsksAboutAHandlerThatRunsHere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, end := newShop(), make(chan struct{})
		s.handle(func(_ context.Context, place func() (receipt, error)) (receipt, error) {
			<-end
			return place()
		})
		k := newKit(t, []*contract.Tool{s.tool(byNumber).Timeout(time.Second).MustBuild()})
		first := k.call(alice, "orders.place", orderOne)
		require.Equal(t, contract.CodeTimeout, first.Outcome.Code)
		require.NotEmpty(t, first.Outcome.OperationID)
		time.Sleep(time.Hour)
		r := k.call(alice, "orders.place", orderOne)
		refused(t, r, contract.CodeKeyInProgress, contract.ClassRetryable)
		assert.Equal(t, first.Outcome.OperationID, r.Outcome.OperationID)
		assert.Zero(t, s.questions())
		close(end)
		synctest.Wait()
		assert.Equal(t, contract.StatusReplayed, k.call(alice, "orders.place", orderOne).Outcome.Status, "its success is recorded late")
		assert.Equal(t, 1, s.effects())
	})
}

func TestReconcile_OneCallAsksAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, end := newShop(), make(chan struct{})
		k := newKit(t, []*contract.Tool{s.tool(byNumber).MustBuild()})
		s.died(t, k, true)
		s.reply(func(_ context.Context, key string) (contract.Reconciled[receipt], error) {
			<-end
			return s.truth(key), nil
		})
		asking := make(chan *guard.Result, 1)
		go func() { asking <- k.call(alice, "orders.place", orderOne) }()
		synctest.Wait()
		r := k.call(alice, "orders.place", orderOne)
		refused(t, r, contract.CodeOutcomeUnknown, contract.ClassRetryable)
		assert.Positive(t, r.Outcome.RetryAfterMs)
		close(end)
		assert.Equal(t, contract.StatusReplayed, (<-asking).Outcome.Status)
		assert.Equal(t, contract.StatusReplayed, k.call(alice, "orders.place", orderOne).Outcome.Status)
		assert.Equal(t, 1, s.questions())
	})
}

// The system knows the key, not the arguments.
func TestReconcile_NobodyAsksAboutOtherArguments(t *testing.T) {
	t.Parallel()
	s := newShop()
	k := newKit(t, []*contract.Tool{s.tool(byNumber).OtherErrors(contract.ClassFatal).MustBuild()})
	s.handle(func(context.Context, func() (receipt, error)) (receipt, error) {
		return receipt{}, errors.New("an unclear failure")
	})
	require.Equal(t, contract.CodeToolFatal, k.call(alice, "orders.place", orderOne).Outcome.Code)
	s.handle(nil)
	r := k.call(alice, "orders.place", `{"Number":"1","Note":"leave it at the door"}`)
	refused(t, r, contract.CodeKeyConflict, contract.ClassRetryable)
	assert.Empty(t, r.Outcome.OperationID, "it would be that of another call")
	assert.Zero(t, s.questions())
	assert.Zero(t, s.effects())
}

// The budget allows two failures in all, or one after each success.
func TestReconcile_SuccessThatIsFoundResetsTheRetryBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		k := newKit(t, []*contract.Tool{s.tool(byNumber).RetryBudget(2, time.Hour).
			ReplayWhile(func(context.Context, purchase, receipt) (bool, error) { return false, nil }).MustBuild()})
		for range 3 {
			s.died(t, k, true)
			require.Equal(t, contract.StatusReplayed, k.call(alice, "orders.place", orderOne).Outcome.Status)
			time.Sleep(time.Minute)
		}
		assert.Equal(t, 3, s.effects())
	})
}

// The answer that lets the call run holds while a person decides, unless another
// process has changed the record meanwhile.
func TestReconcile_ComesBeforeThePersonAndIsAskedOnce(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"a person agrees": false, "the owner was only late": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, end := newShop(), make(chan struct{})
				memory := newMemory(t)
				build := func() []*contract.Tool {
					return []*contract.Tool{s.tool(byNumber).ConfirmAlways().Timeout(time.Second).MustBuild()}
				}
				options := []guard.Option{guard.WithStore(memory), sealing}
				first, second := newKit(t, build(), options...), newKit(t, build(), options...)
				place := round{who: alice, tool: "orders.place", arguments: orderOne}
				s.handle(func(_ context.Context, place func() (receipt, error)) (receipt, error) {
					<-end
					return place()
				})
				r, err := first.round(place.with(first.asked(place).State, confirmed))
				require.NoError(t, err)
				require.Equal(t, contract.CodeTimeout, r.Outcome.Code)
				s.handle(nil)
				s.reply(func(context.Context, string) (contract.Reconciled[receipt], error) {
					return contract.CannotHappen[receipt](), nil // without voiding the key, so that the owner can be late
				})
				time.Sleep(time.Hour)
				question := second.asked(place)
				if late {
					close(end)
					synctest.Wait()
				}
				r, err = second.round(place.with(question.State, confirmed))
				require.NoError(t, err)
				want := contract.StatusOK
				if late {
					want = contract.StatusReplayed
				}
				assert.Equal(t, want, r.Outcome.Status)
				assert.Equal(t, 1, s.effects())
				if !late {
					close(end)
				}
			})
		})
	}
}

// A process that was stopped for longer than its lease learns by its next
// renewal that another one has its record.
func TestReconcile_HandlerThatLostItsRecordIsEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, memory := newShop(), newMemory(t)
		stopped := &stoppable{Memory: memory}
		first := newKit(t, []*contract.Tool{s.tool(byNumber).MustBuild()}, guard.WithStore(stopped), sealing)
		second := newKit(t, []*contract.Tool{s.tool(byNumber).MustBuild()}, guard.WithStore(memory), sealing)
		ended := make(chan error, 1)
		s.handle(func(ctx context.Context, _ func() (receipt, error)) (receipt, error) {
			<-ctx.Done()
			ended <- ctx.Err()
			return receipt{}, ctx.Err()
		})
		stopped.stopped.Store(true)
		answered := make(chan *guard.Result, 1)
		go func() { answered <- first.call(alice, "orders.place", orderOne) }()
		time.Sleep(2 * time.Minute)
		s.handle(nil)
		require.Equal(t, contract.StatusOK, second.call(alice, "orders.place", orderOne).Outcome.Status)
		stopped.stopped.Store(false)
		require.Error(t, <-ended)
		refused(t, <-answered, contract.CodeInternalError, contract.ClassFatal)
		assert.Equal(t, 1, s.effects())
	})
}

// A stoppable store does not renew while its process is stopped.
type stoppable struct {
	*store.Memory

	stopped atomic.Bool
}

func (s *stoppable) Renew(ctx context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	if s.stopped.Load() {
		return errors.New("stopped")
	}
	return s.Memory.Renew(ctx, key, owner, lease)
}

// The contract says that an unknown outcome can be asked about. Without the
// sealing key the guard cannot tell whether it is the same call.
func TestReconcile_CallThatCannotBeComparedIsNotRepeatedInALoop(t *testing.T) {
	t.Parallel()
	s, memory := newShop(), newMemory(t)
	s.died(t, newKit(t, []*contract.Tool{s.tool(byNumber).MustBuild()}, guard.WithStore(memory), sealing), true)
	other := newKit(t, []*contract.Tool{s.tool(byNumber).MustBuild()}, guard.WithStore(memory),
		guard.WithSealingKeys(bytes.Repeat([]byte{9}, 32)))
	r := other.call(alice, "orders.place", orderOne)
	refused(t, r, contract.CodeOutcomeUnknown, contract.ClassRetryable)
	assert.GreaterOrEqual(t, r.Outcome.RetryAfterMs, int64(60_000))
	assert.Zero(t, s.questions())
}

package guard_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
)

// A pausing store stops its guard at one step, before the step takes place or
// before its answer arrives, even after the guard no longer waits for it.
type pausing struct {
	*store.Memory
	steps  atomic.Int64
	still  atomic.Bool
	at     int64 // -1: nowhere
	after  bool
	during time.Duration
}

func step[T any](p *pausing, do func() (T, error)) (T, error) {
	stops := p.steps.Add(1)-1 == p.at
	if stops && !p.after {
		p.stop()
	}
	v, err := do()
	if stops && p.after {
		p.stop()
	}
	return v, err
}

func (p *pausing) stop() {
	p.still.Store(true)
	time.Sleep(p.during)
	p.still.Store(false)
}

// Renew fails while the process stands still.
func (p *pausing) Renew(ctx context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	if p.still.Load() {
		return errors.New("stopped")
	}
	return p.Memory.Renew(ctx, key, owner, lease)
}

func (p *pausing) update(do func() error) error {
	_, err := step(p, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

func (p *pausing) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	ctx = context.WithoutCancel(ctx)
	return step(p, func() (store.ClaimResult, error) { return p.Memory.Claim(ctx, c) })
}

func (p *pausing) Get(ctx context.Context, key store.Key) (store.Record, error) {
	ctx = context.WithoutCancel(ctx)
	return step(p, func() (store.Record, error) { return p.Memory.Get(ctx, key) })
}

func (p *pausing) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	ctx = context.WithoutCancel(ctx)
	return step(p, func() (bool, error) { return p.Memory.Spend(ctx, n, by) })
}

func (p *pausing) Complete(ctx context.Context, c store.Completion) error {
	ctx = context.WithoutCancel(ctx)
	return p.update(func() error { return p.Memory.Complete(ctx, c) })
}

func (p *pausing) Release(ctx context.Context, r store.Release) error {
	ctx = context.WithoutCancel(ctx)
	return p.update(func() error { return p.Memory.Release(ctx, r) })
}

func (p *pausing) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	ctx = context.WithoutCancel(ctx)
	return p.update(func() error { return p.Memory.Mark(ctx, key, owner) })
}

// The steps of a repeated call, and how long one of two callers stops at each:
// shortly, longer than a question, and longer than a lease.
const pausedSteps = 9

var pauses = []time.Duration{2 * time.Second, 12 * time.Second, 2 * time.Minute}

// Two replicas repeat a lost call. Each is stopped at each of its steps, and the
// order is placed once, with one receipt for everybody. A redo after an undo has a key of
// its own.
func TestThreat224_ReplicasAreStoppedAtEachStepOfAQuestion(t *testing.T) {
	t.Parallel()
	for _, happened := range []string{"nothing", "nothing but the call", "the effect"} {
		for _, during := range pauses {
			for first := range int64(2 * pausedSteps) {
				for second := int64(-1); second < 2*pausedSteps; second++ {
					name := fmt.Sprintf("%s happened, %v, at %d and %d", happened, during, first, second)
					synctest.Test(t, func(t *testing.T) { stopped(t, name, happened, during, first, second) })
				}
			}
		}
	}
}

func stopped(t *testing.T, name string, happened string, during time.Duration, first, second int64) {
	s, memory := newShop(), newMemory(t)
	replica := func(at int64) (*kit, *pausing) {
		p := &pausing{Memory: memory, at: -1, after: at%2 == 1, during: during}
		if at >= 0 {
			p.at = at / 2
		}
		return newKit(t, []*contract.Tool{s.tool(byNumber).RetryBudget(1000, time.Hour).MustBuild()}, guard.WithStore(p), sealing), p
	}
	type undo struct{ Key map[string]any }
	undoing := contract.New("orders.undo", func(ctx context.Context, in undo) (empty, error) {
		return empty{}, guard.Forget(ctx, "orders.place", in.Key)
	}).From(writing()).MustBuild()
	whole := newKit(t, []*contract.Tool{s.tool(byNumber).RetryBudget(1000, time.Hour).MustBuild(), undoing},
		guard.WithStore(memory), sealing)
	if happened != "nothing" { // otherwise the first replica has the call
		s.died(t, whole, happened == "the effect")
	}
	answers := make(chan *guard.Result, 2)
	for _, at := range []int64{first, second} {
		k, _ := replica(at)
		go func() { answers <- k.call(alice, "orders.place", orderOne) }()
		time.Sleep(during - time.Second) // shorter than the first one is stopped
	}
	all := []*guard.Result{<-answers, <-answers}
	time.Sleep(10 * time.Minute)
	var last *guard.Result
	for range 4 {
		last = whole.call(alice, "orders.place", orderOne)
		if last.Outcome.Status == contract.StatusReplayed {
			break
		}
		time.Sleep(2 * time.Minute)
	}
	require.Equal(t, contract.StatusReplayed, last.Outcome.Status, "%s: %v", name, last.Outcome)
	assert.Equal(t, 1, s.effects(), name)
	for _, r := range append(all, last) {
		if !r.IsError {
			assert.JSONEq(t, `{"Receipt":"R1"}`, string(r.Structured), name)
			assert.Equal(t, last.Outcome.OperationID, r.Outcome.OperationID, name)
		}
	}
	require.False(t, whole.call(alice, "orders.undo", `{"Key":{"Number":"1"}}`).IsError, name)
	redone := whole.call(alice, "orders.place", orderOne)
	assert.Equal(t, contract.StatusOK, redone.Outcome.Status, name)
	distinct(t, s.keys)
	distinct(t, []string{last.Outcome.OperationID, redone.Outcome.OperationID})
}

package guard_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// lost makes a call whose process is stopped in its handler for longer than its
// lease. The function lets it go on, and returns the answer to it. The handler
// ignores its context.
func (s *shop) lost(t *testing.T, build func() *contract.Tool, memory *stoppable) (goOn func() *guard.Result) {
	t.Helper()
	first := newKit(t, []*contract.Tool{build()}, guard.WithStore(memory), sealing)
	end, answered := make(chan struct{}), make(chan *guard.Result, 1)
	s.handle(func(_ context.Context, place func() (receipt, error)) (receipt, error) {
		<-end
		return place()
	})
	memory.stopped.Store(true)
	go func() { answered <- first.call(alice, "orders.place", orderOne) }()
	time.Sleep(2 * time.Minute)
	synctest.Wait()
	s.handle(nil)
	return func() *guard.Result {
		memory.stopped.Store(false)
		close(end)
		return <-answered
	}
}

func TestThreat217_ALostCallIsRepeatedByManyReplicasAtOnce(t *testing.T) {
	t.Parallel()
	const replicas, callers = 4, 6
	for name, refuses := range map[string]bool{"the system refuses the key": true, "the quiet time is over": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, memory := newShop(), newMemory(t)
				var asking, most atomic.Int64
				s.reply(func(_ context.Context, key string) (contract.Reconciled[receipt], error) {
					most.Store(max(most.Load(), asking.Add(1)))
					defer asking.Add(-1)
					time.Sleep(time.Second)
					if refuses {
						return s.truth(key), nil
					}
					return contract.DidNotHappen[receipt](), nil
				})
				build := func() *contract.Tool { return s.tool(byNumber).MustBuild() }
				goOn := s.lost(t, build, &stoppable{Memory: memory})
				var calls sync.WaitGroup
				for range replicas {
					k := newKit(t, []*contract.Tool{build()}, guard.WithStore(memory), sealing)
					for range callers {
						calls.Go(func() { k.call(alice, "orders.place", orderOne) })
					}
				}
				calls.Wait()
				assert.Equal(t, 1, s.effects())
				assert.EqualValues(t, 1, most.Load(), "the questions at once")
				again := newKit(t, []*contract.Tool{build()}, guard.WithStore(memory), sealing)
				assert.Equal(t, contract.StatusReplayed, again.call(alice, "orders.place", orderOne).Outcome.Status)
				goOn()
				if refuses { // otherwise a stopped process outlasts any quiet time
					assert.Equal(t, 1, s.effects())
				}
			})
		})
	}
}

func TestThreat218_TheArgumentsOfALostCallAreChanged(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]bool{"before its effect": false, "after it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop()
			k := newKit(t, []*contract.Tool{s.tool(byNumber).MustBuild()})
			s.died(t, k, after)
			effects := s.effects()
			r := k.call(alice, "orders.place", `{"Number":"1","Note":"to another door"}`)
			refused(t, r, contract.CodeKeyConflict, contract.ClassRetryable)
			assert.Empty(t, r.Outcome.OperationID)
			assert.Empty(t, r.Structured)
			assert.Zero(t, s.questions())
			assert.Equal(t, effects, s.effects())
		})
	}
}

func TestThreat219_AStoppedHandlerActsAfterItsKeyWasRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, memory := newShop(), newMemory(t)
		build := func() *contract.Tool { return s.tool(byNumber).MustBuild() }
		goOn := s.lost(t, build, &stoppable{Memory: memory})
		second := newKit(t, []*contract.Tool{build()}, guard.WithStore(memory), sealing)
		ran := second.call(alice, "orders.place", orderOne)
		require.Equal(t, contract.StatusOK, ran.Outcome.Status)
		late := goOn()
		assert.True(t, late.IsError, "the system refuses its key")
		assert.Equal(t, 1, s.effects())
		again := second.call(alice, "orders.place", orderOne)
		assert.Equal(t, contract.StatusReplayed, again.Outcome.Status)
		assert.JSONEq(t, string(ran.Structured), string(again.Structured))
		assert.Equal(t, ran.Outcome.OperationID, again.Outcome.OperationID)
	})
}

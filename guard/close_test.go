package guard_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
)

// hanging builds a write tool whose handler ignores its context until released.
func hanging() (tool *contract.Tool, entered, release chan struct{}) {
	entered, release = make(chan struct{}), make(chan struct{})
	return writer("pay.now", func(context.Context) error { close(entered); <-release; return nil }).MustBuild(), entered, release
}

func TestClose_AbandonsAndRecordsHandlersThatIgnoreTheirContext(t *testing.T) {
	t.Parallel()
	for name, isolate := range map[string]bool{"isolated": true, "on the caller's goroutine": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tool, entered, release := hanging()
				k := newKit(t, []*contract.Tool{tool})
				answer := make(chan *guard.Result, 1)
				go func() {
					r, _ := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Isolate: isolate})
					answer <- r
				}()
				<-entered
				start := time.Now()
				require.Error(t, k.guard.Close(t.Context()), "a handler was abandoned")
				assert.LessOrEqual(t, time.Since(start), guard.DefaultDrain+time.Second)
				events := k.log.Events(audit.Terminal)
				require.Len(t, events, 1)
				assert.Equal(t, contract.CodeTimeout, events[0].Code)
				assert.Equal(t, "run", events[0].Stage)
				assert.Equal(t, audit.Allow, events[0].Decision)
				if isolate {
					refused(t, <-answer, contract.CodeTimeout, contract.ClassFatal)
				}
				close(release)
				synctest.Wait()
				loss, ok := errors.AsType[*guard.AuditLossError](k.guard.Close(t.Context()))
				require.True(t, ok, "the late event had no place in the log any more")
				assert.Equal(t, 1, loss.Lost)
			})
		})
	}
}

func TestClose_EndsTheContextOfAbandonedHandlers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		k := newKit(t, []*contract.Tool{
			writer("pay.now", wait).MustBuild(),
			reader("time.wait", func(ctx context.Context) (string, error) { return "", wait(ctx) }).MustBuild(),
		})
		write, read := make(chan *guard.Result, 1), make(chan *guard.Result, 1)
		go func() { write <- k.call(alice, "pay.now", "") }()
		go func() { read <- k.call(alice, "time.wait", "") }()
		synctest.Wait()
		require.NoError(t, k.guard.Close(t.Context()), "no handler was left behind")
		refused(t, <-write, contract.CodeTimeout, contract.ClassFatal)
		refused(t, <-read, contract.CodeUnavailable, contract.ClassRetryable)
		assert.Len(t, k.log.Events(audit.Terminal), 2)
	})
}

// A handler that ends within a second of its context is not left behind, and
// the log has how it ended. Its caller has already been answered, unless the
// handler runs on the caller's goroutine.
func TestClose_RecordsHandlersThatEndWithTheirContext(t *testing.T) {
	t.Parallel()
	for name, isolate := range map[string]bool{"isolated": true, "on the caller's goroutine": false} {
		for tidying, left := range map[time.Duration]bool{0: false, 900 * time.Millisecond: false, 1100 * time.Millisecond: true} {
			t.Run(name+" "+tidying.String(), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					tool := reader("time.read", func(ctx context.Context) (string, error) {
						<-ctx.Done()
						time.Sleep(tidying)
						return "", errClosed
					}).MustBuild()
					k := newKit(t, []*contract.Tool{tool})
					go func() {
						_, _ = k.set.Call(as(t.Context(), alice), guard.Request{Tool: "time.read", Isolate: isolate})
					}()
					synctest.Wait()
					start := time.Now()
					err := k.guard.Close(t.Context())
					if left {
						require.Error(t, err)
						time.Sleep(tidying)
						return
					}
					require.NoError(t, err)
					assert.Equal(t, guard.DefaultDrain+tidying, time.Since(start))
					assert.Len(t, k.log.Events(audit.Terminal), 1)
					if isolate && tidying > 0 {
						assert.Len(t, k.log.Events(audit.Late), 1)
					}
				})
			})
		}
	}
}

// If no handler is running, Close leaves none behind, even if the drain time is
// over before it begins.
func TestClose_BlamesNoHandlerAfterTheDrain(t *testing.T) {
	t.Parallel()
	for range 100 { // this used to be a race
		synctest.Test(t, func(t *testing.T) {
			k := newKit(t, []*contract.Tool{reader("time.read", func(context.Context) (string, error) { return "", nil }).MustBuild()})
			k.set.Adapter().BeginDrain()
			time.Sleep(2 * guard.DefaultDrain)
			require.NoError(t, k.guard.Close(t.Context()))
		})
	}
}

func TestClose_RefusesLaterCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		known := make(chan struct{})
		slow := guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { <-known; return alice, nil }))
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, slow, guard.WithTimes(guard.Times{Drain: -1}))
		answer := make(chan *guard.Result, 1)
		go func() { answer <- k.call(alice, "pay.now", validPay) }()
		synctest.Wait()
		require.Error(t, k.guard.Close(t.Context()))
		close(known)
		refused(t, <-answer, contract.CodeUnavailable, contract.ClassRetryable)
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeUnavailable, contract.ClassRetryable)
		assert.Zero(t, n.runs.Load())
	})
}

// slowClaims is a store whose claims take a second.
type slowClaims struct{ *store.Memory }

func (s slowClaims) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	time.Sleep(time.Second)
	return s.Memory.Claim(ctx, c)
}

// The call has its concurrency slot, and its handler would begin after Close
// has given up those that run.
func TestClose_HandlerDoesNotBeginAfterOthersWereGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		memory := newMemory(t)
		tool := n.managedPayer("pay.now", byArguments, nil).MustBuild()
		k := newKit(t, []*contract.Tool{tool}, guard.WithStore(slowClaims{memory}), guard.WithTimes(guard.Times{Drain: -1}), sealing)
		answer := make(chan *guard.Result, 1)
		go func() { answer <- k.call(alice, "pay.now", validPay) }()
		synctest.Wait()
		require.Error(t, k.guard.Close(t.Context()))
		r := <-answer
		refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
		assert.NotContains(t, r.Text, "ffects")
		assert.Zero(t, n.runs.Load())
		again := newKit(t, []*contract.Tool{tool}, guard.WithStore(memory), sealing)
		assert.Equal(t, contract.StatusOK, again.call(alice, "pay.now", validPay).Outcome.Status, "the claim was released")
	})
}

func TestClose_WaitsForHandlersThatEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		done := false
		k := newKit(t, []*contract.Tool{writer("pay.now",
			func(context.Context) error { time.Sleep(time.Second); done = true; return nil }).MustBuild()})
		go k.call(alice, "pay.now", "")
		synctest.Wait()
		require.NoError(t, k.guard.Close(t.Context()))
		assert.True(t, done)
		events := k.log.Events(audit.Terminal)
		require.Len(t, events, 1)
		assert.Equal(t, "ok", events[0].Status)
	})
}

func TestCall_CallerThatHungUpIsStillAudited(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()})
	ctx, hangUp := context.WithCancel(as(t.Context(), bob))
	hangUp()
	r, err := k.set.Call(ctx, guard.Request{Tool: "pay.now", Arguments: []byte(validPay)})
	require.NoError(t, err)
	refused(t, r, contract.CodePermissionDenied, contract.ClassFatal)
	assert.Equal(t, "bob", k.events(audit.Terminal)[0].Principal)
}

func TestBeginDrain_LeavesCloseTheRemainingTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool, entered, release := hanging()
		k := newKit(t, []*contract.Tool{tool})
		go func() {
			_, _ = k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Isolate: true})
		}()
		<-entered
		start := time.Now()
		assert.Equal(t, start.Add(guard.DefaultDrain), k.set.Adapter().BeginDrain())
		time.Sleep(guard.DefaultDrain - time.Second)
		assert.Equal(t, start.Add(guard.DefaultDrain), k.set.Adapter().BeginDrain(), "the drain begins once")
		require.Error(t, k.guard.Close(t.Context()))
		assert.Equal(t, guard.DefaultDrain+time.Second, time.Since(start), "a last second for the handler")
		close(release)
		synctest.Wait()
	})
}

// A call that arrives while the guard closes does not run, although the guard
// still waits for another handler.
func TestClose_RefusesCallsWhileAHandlerEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		tool := reader("time.read", func(context.Context) (string, error) {
			runs++
			time.Sleep(2 * time.Second)
			return "", nil
		}).MustBuild()
		k := newKit(t, []*contract.Tool{tool}, guard.WithTimes(guard.Times{Drain: time.Minute}))
		go k.call(alice, "time.read", "")
		time.Sleep(time.Second)
		closed := make(chan error)
		go func() { closed <- k.guard.Close(t.Context()) }()
		synctest.Wait()
		refused(t, k.call(alice, "time.read", ""), contract.CodeUnavailable, contract.ClassRetryable)
		require.NoError(t, <-closed)
		assert.Equal(t, 1, runs)
	})
}

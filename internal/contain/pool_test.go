package contain_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/contain"
)

var errBoom = errors.New("boom")

func TestDo_ReturnsHowTheFunctionEnded(t *testing.T) {
	t.Parallel()
	var pool contain.Pool
	defer pool.Close()
	for range 3 { // the pool goes on
		ran := false
		require.NoError(t, pool.Do(func() { ran = true }))
		assert.True(t, ran)
		require.ErrorIs(t, pool.Do(runtime.Goexit), contain.ErrGoexit)
		p, ok := errors.AsType[*contain.PanicError](pool.Do(func() { panic(errBoom) }))
		require.True(t, ok)
		assert.Equal(t, errBoom, p.Value)
	}
}

// count returns the number of workers of a bubble once all its goroutines wait.
// It reads their stacks, because runtime.NumGoroutine also counts goroutines
// that begin or end beside the test.
func count() int {
	synctest.Wait()
	stacks := make([]byte, 1<<20)
	n := 0
	for stack := range bytes.SplitSeq(stacks[:runtime.Stack(stacks, true)], []byte("\n\n")) {
		if bytes.Contains(stack, []byte("synctest bubble")) && bytes.Contains(stack, []byte("contain.(*Pool).run(")) {
			n++
		}
	}
	return n
}

// Not parallel, because it counts workers.
func TestPool_HasAWorkerForEachRunningFunction(t *testing.T) { //nolint:paralleltest // see above
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(30 * 365 * 24 * time.Hour) // as if this were no bubble
		var pool contain.Pool
		defer pool.Close()
		at := func(n int, f func()) {
			t.Helper()
			release := make(chan struct{})
			var ended sync.WaitGroup
			for range n {
				ended.Add(1)
				pool.Go(func() {
					defer ended.Done()
					<-release
					f()
				})
			}
			assert.Equal(t, n, count())
			close(release)
			ended.Wait()
			synctest.Wait() // until the workers are idle
		}
		nothing := func() {}
		at(10, nothing)
		assert.Equal(t, 10, count(), "all stay")
		for range 100 {
			require.NoError(t, pool.Do(nothing))
			synctest.Wait() // until the worker is idle
		}
		assert.Equal(t, 10, count(), "functions share them")

		busy := time.Now().Add(10 * time.Second)
		for time.Now().Before(busy) {
			require.NoError(t, pool.Do(nothing))
			time.Sleep(100 * time.Millisecond)
		}
		assert.Equal(t, 1, count(), "those that nothing needs end")
		time.Sleep(3 * time.Second)
		assert.Zero(t, count(), "and so does the last one")

		at(10, nothing)
		at(10, runtime.Goexit)
		assert.Zero(t, count(), "an ended goroutine is no worker")

		at(10, nothing)
		release := make(chan struct{})
		pool.Go(func() { <-release })
		pool.Close()
		assert.Equal(t, 1, count(), "Close ends the idle ones")
		close(release)
		assert.Zero(t, count(), "and the others when they are")
		require.NoError(t, pool.Do(nothing))
		assert.Zero(t, count(), "no worker stays after Close")
		time.Sleep(time.Minute)
	})
}

// A profile would otherwise count the functions of all callers as those of the
// first one.
func TestPool_AWorkerKeepsNoLabels(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(30 * 365 * 24 * time.Hour) // as if this were no bubble
		var pool contain.Pool
		defer pool.Close()
		labelled := func() int {
			synctest.Wait()
			var profile bytes.Buffer
			assert.NoError(t, pprof.Lookup("goroutine").WriteTo(&profile, 1))
			return bytes.Count(profile.Bytes(), []byte(`"caller":"first"`))
		}
		release := make(chan struct{})
		pprof.Do(t.Context(), pprof.Labels("caller", "first"), func(context.Context) {
			pool.Go(func() { <-release })
		})
		assert.Equal(t, 1, labelled(), "a function has those of its caller")
		close(release)
		assert.Zero(t, labelled(), "an idle worker has none")
	})
}

// A bubble waits for its goroutines, and others cannot use its channels and
// timers. Tests can share a pool all the same.
func TestPool_KeepsNoWorkerInABubble(t *testing.T) {
	t.Parallel()
	var pool contain.Pool
	for range 2 {
		require.NoError(t, pool.Do(func() {})) // leaves a worker that is in no bubble
		synctest.Test(t, func(t *testing.T) {
			bubbled := make(chan struct{}, 1)
			require.NoError(t, pool.Do(func() { bubbled <- struct{}{} }))
			require.ErrorIs(t, pool.Do(runtime.Goexit), contain.ErrGoexit)
			<-bubbled
		})
	}
	pool.Close()
}

func TestPool_IsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var pool contain.Pool
	var callers sync.WaitGroup
	for i := range 20 {
		callers.Go(func() {
			for range 200 {
				ran := 0
				assert.NoError(t, pool.Do(func() { ran++ }))
				assert.Equal(t, 1, ran)
			}
			if i == 10 {
				pool.Close()
			}
		})
	}
	callers.Wait()
}

func BenchmarkDo(b *testing.B) {
	b.Run("how=worker", func(b *testing.B) {
		var pool contain.Pool
		defer pool.Close()
		b.ReportAllocs()
		for b.Loop() {
			_ = pool.Do(func() { deep(16) })
		}
	})
	b.Run("how=go", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			done := make(chan struct{})
			go func() {
				defer close(done)
				deep(16)
			}()
			<-done
		}
	})
}

// deep uses a stack of some KiB.
//
//go:noinline
func deep(n int) byte {
	var frame [256]byte
	frame[n] = byte(n)
	if n > 0 {
		frame[n] += deep(n - 1)
	}
	return frame[n]
}

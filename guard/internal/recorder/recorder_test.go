package recorder_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// ignore gets no report.
func ignore(recorder.Loss) {}

func TestPut_WritesInOrder(t *testing.T) {
	t.Parallel()
	var got []string
	r := recorder.New(audit.Func(func(_ context.Context, e audit.Event) error { got = append(got, e.CallID); return nil }), nil,
		ignore, nil)
	var want []string
	for i := range 100 {
		want = append(want, strconv.Itoa(i))
		r.Put(t.Context(), audit.Event{CallID: want[i]})
	}
	require.NoError(t, r.Flush(t.Context()))
	assert.Equal(t, want, got)
	assert.Zero(t, r.Lost())
	r.Put(t.Context(), audit.Event{})
	assert.Equal(t, 1, r.Lost(), "an event after Flush is dropped")
	require.NoError(t, r.Flush(t.Context()), "a second Flush has nothing to do")
}

func TestPut_CountsEventsThatTheSinkDidNotAccept(t *testing.T) {
	t.Parallel()
	for name, sink := range map[string]audit.Func{
		"an error":           func(context.Context, audit.Event) error { return errors.New("disk full") },
		"a panic":            func(context.Context, audit.Event) error { panic("disk full") },
		"an ended goroutine": func(context.Context, audit.Event) error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := recorder.New(sink, nil, ignore, nil)
			for range 3 {
				r.Put(t.Context(), audit.Event{})
			}
			require.NoError(t, r.Flush(t.Context()))
			assert.Equal(t, 3, r.Lost())
			require.Error(t, r.PutDurable(t.Context(), audit.Event{}))
			assert.Equal(t, 3, r.Lost(), "a failed durable write is reported to its caller instead")
		})
	}
}

func TestPut_WaitsForAPlaceWhileTheSinkAcceptsEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := recorder.New(audit.Func(func(context.Context, audit.Event) error { time.Sleep(time.Millisecond); return nil }), nil,
			ignore, nil)
		before := time.Now()
		for range 3000 {
			r.Put(t.Context(), audit.Event{})
		}
		assert.InDelta(t, 2, time.Since(before).Seconds(), 0.1, "the calls have the speed of the sink")
		require.NoError(t, r.Flush(t.Context()))
		assert.Zero(t, r.Lost())
	})
}

func TestPut_WaitsOnlyForABoundedTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // each write is too fast for a hanging sink
		r := recorder.New(audit.Func(func(context.Context, audit.Event) error { time.Sleep(1900 * time.Millisecond); return nil }), nil,
			ignore, nil)
		for range 1024 + 1 {
			r.Put(t.Context(), audit.Event{})
		}
		synctest.Wait()
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				before := time.Now()
				r.Put(t.Context(), audit.Event{})
				assert.LessOrEqual(t, time.Since(before), 10*time.Second)
			})
		}
		group.Wait()
		assert.Positive(t, r.Lost())
		require.NoError(t, r.Flush(t.Context()))
	})
}

func TestPut_DoesNotWaitForAHangingSink(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := recorder.New(audit.Func(func(ctx context.Context, _ audit.Event) error { <-ctx.Done(); return ctx.Err() }), nil, ignore,
			nil)
		before := time.Now()
		for range 2000 {
			r.Put(t.Context(), audit.Event{})
		}
		assert.Equal(t, 2*time.Second, time.Since(before), "one event waits until it is known that the sink hangs")
		require.ErrorIs(t, r.Err(), contain.ErrLate)
		assert.GreaterOrEqual(t, r.Lost(), 2000-1024-1, "the queue is bounded")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, r.Flush(ctx), context.DeadlineExceeded)
		require.NoError(t, r.Flush(t.Context()))
		assert.Equal(t, 2000, r.Lost(), "each write of the sink has its own timeout")
	})
}

func TestErr_LastsUntilTheSinkAcceptsAnEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var full atomic.Bool
		disk := errors.New("disk full")
		r := recorder.New(audit.Func(func(context.Context, audit.Event) error {
			if full.Load() {
				return disk
			}
			return nil
		}), nil, ignore, nil)
		require.NoError(t, r.Err())
		for range 3 {
			full.Store(true)
			r.Put(t.Context(), audit.Event{})
			awaitGathered()
			require.ErrorIs(t, r.Err(), disk)
			full.Store(false)
			r.Put(t.Context(), audit.Event{})
			synctest.Wait()
			require.NoError(t, r.Err())
		}
		require.NoError(t, r.Flush(t.Context()))
	})
}

// awaitGathered waits in a bubble until the sink had all events.
func awaitGathered() {
	time.Sleep(time.Millisecond)
	synctest.Wait()
}

func TestPut_WritesFurtherEventsAMillisecondLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sink := &audit.Recorder{}
		r := recorder.New(sink, nil, ignore, nil)
		put := func(n int) {
			for range n {
				r.Put(t.Context(), audit.Event{})
			}
			synctest.Wait()
		}
		put(1)
		assert.Len(t, sink.Events(), 1, "an event after a pause is written at once")
		put(3)
		assert.Len(t, sink.Events(), 1)
		awaitGathered()
		assert.Len(t, sink.Events(), 4)
		put(1)
		assert.Len(t, sink.Events(), 4)
		require.NoError(t, r.PutDurable(t.Context(), audit.Event{CallID: "durable"}))
		require.Len(t, sink.Events(), 6, "a durable event does not overtake those that gather")
		assert.Equal(t, "durable", sink.Events()[5].CallID)
		put(1)
		assert.Len(t, sink.Events(), 6)
		require.NoError(t, r.Flush(t.Context()))
		assert.Len(t, sink.Events(), 7, "Flush does not wait")
	})
}

// While gathered events are written, a durable one still follows them. A sink
// that is slower than 20 milliseconds for them writes it beside them.
func TestPutDurable_FollowsWhatGatheredForABoundedTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		write    time.Duration
		gathered int
		follows  bool
	}{{time.Millisecond, 5, true}, {10 * time.Millisecond, 300, false}} {
		synctest.Test(t, func(t *testing.T) {
			sink := &audit.Recorder{}
			r := recorder.New(audit.Func(func(ctx context.Context, e audit.Event) error {
				time.Sleep(c.write)
				return sink.Write(ctx, e)
			}), nil, ignore, nil)
			r.Put(t.Context(), audit.Event{})
			time.Sleep(c.write)
			synctest.Wait()
			for range c.gathered {
				r.Put(t.Context(), audit.Event{})
			}
			time.Sleep(time.Millisecond + c.write/2)
			require.Len(t, sink.Events(), 1, "the first of them is being written")
			before := time.Now()
			require.NoError(t, r.PutDurable(t.Context(), audit.Event{CallID: "durable"}))
			assert.LessOrEqual(t, time.Since(before), 20*time.Millisecond+c.write)
			events := sink.Events()
			follows := len(events) == 1+c.gathered+1 && events[1+c.gathered].CallID == "durable"
			assert.Equal(t, c.follows, follows)
			require.NoError(t, r.Flush(t.Context()))
			assert.Len(t, sink.Events(), 1+c.gathered+1)
		})
	}
}

// Losses are reported at once, then at most once in 10 seconds, and before
// Flush returns.
func TestReport_ComesAtOnceAndThenSeldom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		disk := errors.New("disk full")
		var mu sync.Mutex
		var reports []recorder.Loss
		r := recorder.New(audit.Func(func(context.Context, audit.Event) error { return disk }), nil, func(l recorder.Loss) {
			mu.Lock()
			defer mu.Unlock()
			reports = append(reports, l)
		}, nil)
		reported := func() []recorder.Loss {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(reports)
		}
		r.Put(t.Context(), audit.Event{})
		assert.Equal(t, []recorder.Loss{{Lost: 1, Total: 1, Cause: disk}}, reported())
		for range 50 {
			r.Put(t.Context(), audit.Event{})
		}
		assert.Len(t, reported(), 1)
		time.Sleep(10 * time.Second)
		assert.Equal(t, recorder.Loss{Lost: 50, Total: 51, Cause: disk}, reported()[1])
		time.Sleep(time.Minute)
		assert.Len(t, reported(), 2)
		for range 2 {
			r.Put(t.Context(), audit.Event{})
			synctest.Wait()
		}
		require.NoError(t, r.Flush(t.Context()))
		assert.Equal(t, []recorder.Loss{{Lost: 1, Total: 52, Cause: disk}, {Lost: 1, Total: 53, Cause: disk}}, reported()[2:])
	})
}

func TestReport_NamesASinkThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reports []recorder.Loss
		r := recorder.New(audit.Func(func(context.Context, audit.Event) error { time.Sleep(5 * time.Second); return nil }), nil,
			func(l recorder.Loss) {
				reports = append(reports, l)
			}, nil)
		r.Put(t.Context(), audit.Event{})
		require.NoError(t, r.Flush(t.Context()))
		assert.Equal(t, []recorder.Loss{{Cause: contain.ErrLate}}, reports)
	})
}

// A question waits in the queue. The intent of the same call, which does not go
// through the queue, follows it.
func TestPutDurable_FollowsTheQuestionOfItsCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []string
		r := recorder.New(audit.Func(func(_ context.Context, e audit.Event) error {
			time.Sleep(time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, e.CallID+" "+string(e.Kind))
			return nil
		}), nil, ignore, nil)
		for range 10 {
			r.Put(t.Context(), audit.Event{Kind: audit.Terminal})
		}
		r.Put(t.Context(), audit.Event{CallID: "a", Kind: audit.Asked})
		r.Put(t.Context(), audit.Event{CallID: "a", Kind: audit.Asked})
		before := time.Now()
		require.NoError(t, r.PutDurable(t.Context(), audit.Event{CallID: "b", Kind: audit.Intent}))
		assert.Equal(t, time.Millisecond, time.Since(before), "another call does not wait")
		require.NoError(t, r.PutDurable(t.Context(), audit.Event{CallID: "a", Kind: audit.Intent}))
		assert.Equal(t, []string{"a asked", "a asked", "a intent"}, got[len(got)-3:])
		require.NoError(t, r.Flush(t.Context()))
		require.NoError(t, r.PutDurable(t.Context(), audit.Event{CallID: "a", Kind: audit.Intent}))
	})
}

func TestPutDurable_ReturnsAfterTheWriteOrItsTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wait := time.Second
		r := recorder.New(audit.Func(func(context.Context, audit.Event) error { time.Sleep(wait); return nil }), nil, ignore, nil)
		before := time.Now()
		require.NoError(t, r.PutDurable(t.Context(), audit.Event{}))
		assert.Equal(t, time.Second, time.Since(before))
		wait = time.Hour
		before = time.Now()
		require.ErrorIs(t, r.PutDurable(t.Context(), audit.Event{}), contain.ErrLate)
		assert.Equal(t, 2*time.Second, time.Since(before))
		time.Sleep(wait) // the late write ends
	})
}

// A sink that hangs holds a bounded number of goroutines.
func TestPutDurable_HangingSinkHoldsABoundedNumberOfWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inside := make(chan struct{}, 1000)
		r := recorder.New(audit.Func(func(context.Context, audit.Event) error {
			inside <- struct{}{}
			time.Sleep(time.Hour)
			return nil
		}), nil, ignore, nil)
		late := make(chan error, 200)
		for range 200 {
			go func() { late <- r.PutDurable(t.Context(), audit.Event{}) }()
		}
		for range 200 {
			require.ErrorIs(t, <-late, contain.ErrLate)
		}
		assert.Len(t, inside, 64)
		time.Sleep(time.Hour) // the late writes end
	})
}

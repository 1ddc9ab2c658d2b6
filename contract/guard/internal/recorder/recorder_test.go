package recorder_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/recorder"
)

func TestPut_WritesInOrder(t *testing.T) {
	t.Parallel()
	var got []string
	r := recorder.New(audit.Func(func(_ context.Context, e audit.Event) error { got = append(got, e.CallID); return nil }), nil)
	var want []string
	for i := range 100 {
		want = append(want, strconv.Itoa(i))
		r.Put(audit.Event{CallID: want[i]})
	}
	require.NoError(t, r.Flush(t.Context()))
	assert.Equal(t, want, got)
	assert.Zero(t, r.Dropped())
	r.Put(audit.Event{})
	assert.EqualValues(t, 1, r.Dropped(), "an event after Flush is dropped")
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
			r := recorder.New(sink, nil)
			for range 3 {
				r.Put(audit.Event{})
			}
			require.NoError(t, r.Flush(t.Context()))
			assert.EqualValues(t, 3, r.Dropped())
			require.Error(t, r.PutDurable(audit.Event{}))
			assert.EqualValues(t, 3, r.Dropped(), "a failed durable write is reported to its caller instead")
		})
	}
}

func TestPut_NeverWaitsForTheSink(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := recorder.New(audit.Func(func(ctx context.Context, _ audit.Event) error { <-ctx.Done(); return ctx.Err() }), nil)
		before := time.Now()
		for range 2000 {
			r.Put(audit.Event{})
		}
		assert.Equal(t, before, time.Now())
		assert.GreaterOrEqual(t, r.Dropped(), uint64(2000-1024-1), "the queue is bounded")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, r.Flush(ctx), context.DeadlineExceeded)
		require.NoError(t, r.Flush(t.Context()))
		assert.EqualValues(t, 2000, r.Dropped(), "each write of the sink has its own timeout")
	})
}

func TestPutDurable_ReturnsAfterTheWriteOrItsTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wait := time.Second
		r := recorder.New(audit.Func(func(context.Context, audit.Event) error { time.Sleep(wait); return nil }), nil)
		before := time.Now()
		require.NoError(t, r.PutDurable(audit.Event{}))
		assert.Equal(t, time.Second, time.Since(before))
		wait = time.Hour
		before = time.Now()
		require.ErrorIs(t, r.PutDurable(audit.Event{}), contain.ErrLate)
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
		}), nil)
		late := make(chan error, 200)
		for range 200 {
			go func() { late <- r.PutDurable(audit.Event{}) }()
		}
		for range 200 {
			require.ErrorIs(t, <-late, contain.ErrLate)
		}
		assert.Len(t, inside, 64)
		time.Sleep(time.Hour) // the late writes end
	})
}

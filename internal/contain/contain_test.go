package contain_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/contain"
)

// panickingError panics when its text is read.
type panickingError struct{}

func (panickingError) Error() string { panic("no text") }

func note(err error) error { return errors.New("noted: " + err.Error()) }

func TestCall_ReportsHowTheFunctionEnded(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		f    func(context.Context) (int, error)
		want string // the error; if empty, the value 7 is expected
	}{
		"value":             {f: func(context.Context) (int, error) { return 7, nil }},
		"error":             {func(context.Context) (int, error) { return 0, errors.New("down") }, "noted: down"},
		"panic":             {func(context.Context) (int, error) { panic("oops") }, "panic: oops"},
		"ended goroutine":   {func(context.Context) (int, error) { runtime.Goexit(); return 7, nil }, "the goroutine ended"},
		"error that panics": {func(context.Context) (int, error) { return 0, panickingError{} }, "panic: no text"},
		"late":              {func(context.Context) (int, error) { time.Sleep(time.Hour); return 7, nil }, "no answer in time"},
		"just in time":      {f: func(context.Context) (int, error) { time.Sleep(time.Second - 1); return 7, nil }},
		"ends with its time": {func(ctx context.Context) (int, error) { <-ctx.Done(); time.Sleep(time.Nanosecond); return 7, nil },
			"no answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				left, leave := context.WithCancel(t.Context())
				leave()
				slots := contain.NewSlots(1, note, nil)
				for _, call := range []func() (int, error){
					func() (int, error) { return contain.Call(ctx, slots, tc.f) },
					func() (int, error) { return contain.Within(left, time.Second, slots, tc.f) },
				} {
					got, err := call()
					time.Sleep(time.Hour) // late functions end
					if tc.want == "" {
						require.NoError(t, err)
						assert.Equal(t, 7, got)
						continue
					}
					require.EqualError(t, err, tc.want)
					assert.Zero(t, got)
				}
			})
		})
	}
}

func TestWithin_ContextEndsOnlyWithItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		leave()
		var before, after error
		_, err := contain.Within(ctx, time.Second, contain.NewSlots(1, note, nil), func(ctx context.Context) (int, error) {
			before = ctx.Err()
			<-ctx.Done()
			after = ctx.Err()
			time.Sleep(time.Nanosecond)
			return 0, nil
		})
		require.ErrorIs(t, err, contain.ErrLate)
		synctest.Wait()
		time.Sleep(time.Second)
		require.NoError(t, before)
		assert.Equal(t, context.DeadlineExceeded, after)
	})
}

// A function can leave goroutines behind that have its context.
func TestWithin_ContextEndsWithTheFunction(t *testing.T) {
	t.Parallel()
	got, err := contain.Within(t.Context(), time.Hour, contain.NewSlots(1, note, nil), func(ctx context.Context) (context.Context,
		error) {
		return ctx, nil
	})
	require.NoError(t, err)
	assert.ErrorIs(t, got.Err(), context.Canceled)
}

// A function that never answers keeps its slot after its caller gave up.
func TestCall_SlotIsTakenUntilTheFunctionEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slots := contain.NewSlots(2, note, nil)
		release := make(chan struct{})
		hang := func(context.Context) (int, error) { <-release; return 0, nil }
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := contain.Call(ctx, slots, hang)
			cancel()
			require.ErrorIs(t, err, contain.ErrLate)
		}
		called := false
		_, err := contain.Call(t.Context(), slots, func(context.Context) (int, error) { called = true; return 0, nil })
		require.ErrorIs(t, err, contain.ErrNoSlot)
		assert.False(t, called)
		close(release)
		synctest.Wait()
		_, err = contain.Call(t.Context(), slots, hang)
		assert.NoError(t, err)
	})
}

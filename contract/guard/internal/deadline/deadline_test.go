package deadline_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/guard/internal/deadline"
)

type key struct{}

// Every scenario ends a context of this package as one of package context, with
// and without a look at it before.
func TestContext_EndsAsOneOfPackageContext(t *testing.T) {
	t.Parallel()
	late := errors.New("too late")
	for name, end := range map[string]func(parent context.CancelCauseFunc, stop func()){
		"not yet":              func(context.CancelCauseFunc, func()) { time.Sleep(time.Second - 1) },
		"at its deadline":      func(context.CancelCauseFunc, func()) { time.Sleep(time.Second) },
		"with its parent":      func(parent context.CancelCauseFunc, _ func()) { parent(errors.New("left")) },
		"by Stop":              func(_ context.CancelCauseFunc, stop func()) { stop() },
		"late, and by Stop":    func(_ context.CancelCauseFunc, stop func()) { time.Sleep(time.Minute); stop(); stop() },
		"by Stop, and late":    func(_ context.CancelCauseFunc, stop func()) { stop(); time.Sleep(time.Minute) },
		"by Stop, then parent": func(parent context.CancelCauseFunc, stop func()) { stop(); parent(errors.New("left")) },
		"with parent, by Stop, and late": func(parent context.CancelCauseFunc, stop func()) {
			parent(errors.New("left"))
			stop()
			time.Sleep(time.Minute)
		},
	} {
		for _, watched := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "value"))
					want, stop := context.WithTimeoutCause(parent, time.Second, late)
					got := deadline.With(parent, time.Second, late)
					child := context.Context(got)
					if watched {
						var release context.CancelFunc
						child, release = context.WithCancel(got)
						defer release()
					}
					at, _ := want.Deadline()
					gotAt, has := got.Deadline()
					require.True(t, has)
					require.Equal(t, at, gotAt)
					require.NoError(t, got.Err())
					end(cancel, func() { stop(); got.Stop() })
					synctest.Wait()
					require.Equal(t, want.Err(), child.Err())
					require.Equal(t, context.Cause(want), context.Cause(child))
					require.Equal(t, isDone(want), isDone(child))
					require.Equal(t, "value", child.Value(key{}))
					cancel(nil)
					stop()
					got.Stop()
				})
			})
		}
	}
}

func isDone(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

func TestWith_KeepsAnEarlierDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := deadline.With(parent, time.Minute, errors.New("too late"))
		defer c.Stop()
		at, _ := c.Deadline()
		assert.Equal(t, time.Now().Add(time.Second), at)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, context.DeadlineExceeded, context.Cause(c), "the cause is that of the parent")
	})
}

// The context costs its own allocation until a function waits for it.
func TestWith_StartsNoTimer(t *testing.T) {
	parent := context.WithValue(t.Context(), key{}, "value")
	assert.Equal(t, 1.0, testing.AllocsPerRun(100, func() {
		c := deadline.With(parent, time.Minute, context.Canceled)
		_ = c.Value(key{})
		_ = c.Err()
		c.Stop()
	}))
}

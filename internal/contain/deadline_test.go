package contain_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/contain"
)

type key struct{}

// Every scenario ends a context of this package as one of package context, with
// and without a limit, and with and without a look at it before.
func TestContext_EndsAsOneOfPackageContext(t *testing.T) {
	t.Parallel()
	late, given := errors.New("too late"), errors.New("given up")
	for name, end := range map[string]func(parent, own context.CancelCauseFunc){
		"not yet":                  func(context.CancelCauseFunc, context.CancelCauseFunc) { time.Sleep(time.Second - 1) },
		"at its deadline":          func(context.CancelCauseFunc, context.CancelCauseFunc) { time.Sleep(time.Second) },
		"with its parent":          func(parent, _ context.CancelCauseFunc) { parent(errors.New("left")) },
		"by End":                   func(_, own context.CancelCauseFunc) { own(nil) },
		"by End, with a cause":     func(_, own context.CancelCauseFunc) { own(given); own(nil) },
		"by End, and with a cause": func(_, own context.CancelCauseFunc) { own(nil); own(given) },
		"late, and by End":         func(_, own context.CancelCauseFunc) { time.Sleep(time.Minute); own(given); own(nil) },
		"by End, and late":         func(_, own context.CancelCauseFunc) { own(given); time.Sleep(time.Minute) },
		"by End, then parent":      func(parent, own context.CancelCauseFunc) { own(nil); parent(errors.New("left")) },
		"with parent, then by End": func(parent, own context.CancelCauseFunc) { parent(errors.New("left")); own(given) },
		"with parent, End, and late": func(parent, own context.CancelCauseFunc) {
			parent(errors.New("left"))
			own(nil)
			time.Sleep(time.Minute)
		},
	} {
		for _, limited := range []bool{true, false} {
			for _, watched := range []bool{true, false} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "value"))
						want, own := context.WithCancelCause(parent)
						got := contain.NewContext(parent)
						if limited {
							var stop context.CancelFunc
							want, stop = context.WithTimeoutCause(want, time.Second, late)
							defer stop()
							got.Limit(time.Second, late)
						}
						child := context.Context(got)
						if watched {
							var release context.CancelFunc
							child, release = context.WithCancel(got)
							defer release()
						}
						at, has := want.Deadline()
						gotAt, gotHas := got.Deadline()
						require.Equal(t, has, gotHas)
						require.Equal(t, at, gotAt)
						require.NoError(t, got.Err())
						end(cancel, func(cause error) { own(cause); got.End(cause) })
						synctest.Wait()
						require.Equal(t, want.Err(), child.Err())
						require.Equal(t, context.Cause(want), context.Cause(child))
						require.Equal(t, isDone(want), isDone(child))
						require.Equal(t, "value", child.Value(key{}))
						cancel(nil)
						own(nil)
						got.End(nil)
					})
				})
			}
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
		c := contain.WithLimit(parent, time.Minute, errors.New("too late"))
		defer c.End(nil)
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
		c := contain.WithLimit(parent, time.Minute, context.Canceled)
		_ = c.Value(key{})
		_ = c.Err()
		c.End(nil)
	}))
}

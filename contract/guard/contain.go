package guard

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// authorTimeout bounds every function of the author's that decides about a
// call.
const authorTimeout = 10 * time.Second

var (
	errGoexit = errors.New("the goroutine ended")
	errLate   = errors.New("no answer in time")
)

// A panicError is a contained panic.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// contained calls a function of the author's on a goroutine of its own: a
// panic, the end of the goroutine, and no answer in time are errors. The
// caller's cancellation does not reach it: who called, and whether they may,
// does not depend on whether they still listen.
func contained[T any](ctx context.Context, f func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), authorTimeout)
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		a := answer{err: errGoexit}
		defer func() {
			if v := recover(); v != nil {
				a = answer{err: &panicError{v}}
			}
			done <- a
		}()
		value, err := f(ctx)
		a = answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return *new(T), errLate
	}
}

// isContainment reports whether err says that the author's function gave no
// answer at all.
func isContainment(err error) bool {
	_, panicked := errors.AsType[*panicError](err)
	return panicked || errors.Is(err, errLate) || errors.Is(err, errGoexit)
}

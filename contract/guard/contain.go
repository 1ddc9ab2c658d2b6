package guard

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// authorTimeout bounds every function of the author's that decides about a
	// call.
	authorTimeout = 10 * time.Second
	// authorCalls is how many of them may be running at once, so that one that
	// never comes back does not gather goroutines.
	authorCalls = 1024
)

var (
	errGoexit = errors.New("the goroutine ended")
	errLate   = errors.New("no answer in time")

	// errNoPlace: too many others wait for their answer; nothing was called.
	errNoPlace = errors.New("too many calls wait for an answer")
)

// A panicError is a contained panic.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// An authorError is what an error of the author's said, taken down while its
// own methods were contained. None of them is called again.
type authorError struct {
	text        string
	unavailable bool
}

func (e *authorError) Error() string { return e.text }

func takeDown(err error) error {
	if err == nil {
		return nil
	}
	return &authorError{text: err.Error(), unavailable: errors.Is(err, ErrUnavailable)}
}

// contained calls a function of the author's on a goroutine of its own: a
// panic, the end of the goroutine, and no answer in time are errors. The
// caller's cancellation does not reach it: who called, and whether they may,
// does not depend on whether they still listen.
func contained[T any](ctx context.Context, g *Guard, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), authorTimeout)
	defer cancel()
	return containedIn(ctx, g.authors, takeDown, f)
}

// containedIn calls f on a goroutine of its own, if there is a place for it,
// and waits for it until ctx ends. What f's error says is taken down there.
func containedIn[T any](ctx context.Context, places chan struct{}, takeDown func(error) error, f func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	select {
	case places <- struct{}{}:
	default:
		return none, errNoPlace
	}
	done := make(chan answer, 1)
	go func() {
		a := answer{err: errGoexit}
		defer func() {
			if v := recover(); v != nil {
				a = answer{err: &panicError{v}}
			}
			done <- a
			<-places
		}()
		value, err := f(ctx)
		a = answer{value, takeDown(err)}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return none, errLate
	}
}

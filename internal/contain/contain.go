// Package contain runs code that the library does not control, such as a store,
// a limiter or a tool author's function, so that it can neither break nor block
// a call.
//
// [Recover] turns a panic into an error. [Do] also survives runtime.Goexit.
//
// [Call] runs a function on another goroutine and turns a panic, a Goexit and a
// late answer into errors. [Slots] bounds how many functions run at once,
// because one that never returns keeps its goroutine. [Author] does both for a
// server or tool author's callback. [Context] is a context with a time limit
// that starts no timer until a function waits for it.
package contain

import (
	"context"
	"errors"
	"time"
)

var (
	// ErrLate means that there was no answer in time. The function may still be
	// running.
	ErrLate = errors.New("no answer in time")
	// ErrNoSlot means that too many other functions are running. The function
	// was not called.
	ErrNoSlot = errors.New("too many calls wait for an answer")
	// ErrGoexit means that a function ended its goroutine by runtime.Goexit.
	ErrGoexit = errors.New("the goroutine ended")
)

// A PanicFunc reports a contained panic of a function that was called with ctx.
// It must be safe for concurrent use. Nil reports nothing.
type PanicFunc func(ctx context.Context, p *PanicError)

// Report reports err if it is a panic.
func (f PanicFunc) Report(ctx context.Context, err error) {
	if p, ok := errors.AsType[*PanicError](err); ok && f != nil {
		f(ctx, p)
	}
}

// Slots limits how many functions of one kind run at once. It is safe for
// concurrent use. [NewSlots] makes one; the zero Slots has no slot.
type Slots struct {
	taken    chan struct{}
	note     func(error) error
	panicked PanicFunc
}

// NewSlots returns n concurrency slots. note copies what the caller needs of an
// error that a called function returned. It runs while panics are still
// contained, because the error's methods can panic too. Its argument is never
// nil. panicked gets each panic, even if the caller no longer waits for the
// answer.
func NewSlots(n int, note func(error) error, panicked PanicFunc) Slots {
	return Slots{taken: make(chan struct{}, n), note: note, panicked: panicked}
}

// Do runs f on another goroutine and waits for it to end. The error is nil,
// [ErrGoexit], or a *[PanicError].
func Do(f func()) error {
	err := ErrGoexit
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer Recover(&err)
		f()
		err = nil
	}()
	<-done
	return err
}

// Call runs f on another goroutine if there is a slot for it, and waits for its
// answer until ctx ends. The error is [ErrNoSlot], [ErrLate], [ErrGoexit], a
// *[PanicError], or what the note function of the slots made of f's error.
func Call[T any](ctx context.Context, slots Slots, f func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	select {
	case slots.taken <- struct{}{}:
	default:
		return none, ErrNoSlot
	}
	done := make(chan answer, 1)
	go func() {
		a := answer{err: ErrGoexit}
		defer func() {
			done <- a
			<-slots.taken
		}()
		defer func() { slots.panicked.Report(ctx, a.err) }()
		defer Recover(&a.err)
		value, err := f(ctx)
		if err != nil {
			err = slots.note(err)
		}
		a = answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return none, ErrLate
	}
}

// Within is [Call] with a time limit. f's context ends after the limit or when
// the call returns; cancelling ctx does not reach it.
func Within[T any](ctx context.Context, limit time.Duration, slots Slots, f func(context.Context) (T, error)) (T, error) {
	timed, end := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer end()
	return Call(timed, slots, f)
}

package contain

import (
	"context"
	"errors"
	"time"
)

// ErrUnavailable is wrapped by errors that mean a system cannot be reached
// right now.
var ErrUnavailable = errors.New("guard: unavailable")

// The limits on author callbacks that decide about a call.
const (
	// AuthorTime limits how long one callback runs.
	AuthorTime = 10 * time.Second
	// authorCalls limits how many callbacks run at once.
	authorCalls = 1024
)

// An AuthorError is a copy of an error that an author callback returned.
type AuthorError struct {
	Text        string
	Unavailable bool // it wraps ErrUnavailable
}

// Error returns the text of the copied error.
func (e *AuthorError) Error() string { return e.Text }

// Note copies the error of an author callback into an [*AuthorError].
func Note(err error) error {
	return &AuthorError{Text: err.Error(), Unavailable: errors.Is(err, ErrUnavailable)}
}

// IsUnavailable reports whether an author callback returned an error that wraps
// ErrUnavailable.
func IsUnavailable(err error) bool {
	e, ok := errors.AsType[*AuthorError](err)
	return ok && e.Unavailable
}

// IsOutage reports whether an error of [Author] is not the author's decision:
// the callback gave no answer, or could not reach what its decision depends on.
func IsOutage(err error) bool {
	e, ok := errors.AsType[*AuthorError](err)
	return !ok || e.Unavailable
}

// AuthorSlots returns the slots for author callbacks of one kind.
func AuthorSlots(panicked PanicFunc) Slots { return NewSlots(authorCalls, Note, panicked) }

// Author calls an author callback, contained and with a time limit. The
// caller's cancellation does not reach it: a disconnect changes neither the
// caller's identity nor its permissions.
func Author[T any](ctx context.Context, slots Slots, f func(context.Context) (T, error)) (T, error) {
	return Within(ctx, AuthorTime, slots, f)
}

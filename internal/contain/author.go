package contain

import (
	"context"
	"errors"
	"time"
)

// ErrUnavailable is wrapped by errors of a system that cannot be reached now.
var ErrUnavailable = errors.New("guard: unavailable")

// The bounds of functions of authors that decide about a call.
const (
	// authorTimeout bounds how long one function runs.
	authorTimeout = 10 * time.Second
	// authorCalls bounds how many functions run at once.
	authorCalls = 1024
)

// An AuthorError is the copy of an error that a function of an author returned.
type AuthorError struct {
	Text        string
	Unavailable bool // it wraps ErrUnavailable
}

// Error returns the text of the copied error.
func (e *AuthorError) Error() string { return e.Text }

// Note copies an error of an author.
func Note(err error) error {
	return &AuthorError{Text: err.Error(), Unavailable: errors.Is(err, ErrUnavailable)}
}

// IsUnavailable reports whether an author's function returned an error that
// wraps ErrUnavailable.
func IsUnavailable(err error) bool {
	e, ok := errors.AsType[*AuthorError](err)
	return ok && e.Unavailable
}

// IsOutage reports whether an error of [Author] does not come from the
// author's decision, because the function did not answer or its source could
// not be reached.
func IsOutage(err error) bool {
	e, ok := errors.AsType[*AuthorError](err)
	return !ok || e.Unavailable
}

// AuthorSlots returns the slots for functions of authors of one kind.
func AuthorSlots(panicked PanicFunc) Slots { return NewSlots(authorCalls, Note, panicked) }

// Author calls a function of an author, contained and within a time limit.
// The caller's cancellation does not reach it, because a disconnect changes
// neither the caller's identity nor its permissions.
func Author[T any](ctx context.Context, slots Slots, f func(context.Context) (T, error)) (T, error) {
	return Within(ctx, authorTimeout, slots, f)
}

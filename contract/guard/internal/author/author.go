// Package author calls functions of the server author and of tool authors. None
// of them can break a call or block it.
package author

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/internal/workers"
)

// The bounds of functions of authors that decide about a call.
const (
	// timeout bounds how long one of them runs.
	timeout = 10 * time.Second
	// calls bounds how many of them run at once.
	calls = 1024
)

// An Error is the copy of an error that a function of an author returned.
type Error struct {
	Text        string
	Unavailable bool // it wraps ledger.ErrUnavailable
}

// Error returns the text of the copied error.
func (e *Error) Error() string { return e.Text }

// Note copies an error of an author.
func Note(err error) error {
	return &Error{Text: err.Error(), Unavailable: errors.Is(err, ledger.ErrUnavailable)}
}

// IsUnavailable reports whether an author's function returned an error that
// wraps ledger.ErrUnavailable.
func IsUnavailable(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Unavailable
}

// IsOutage reports whether an error of [Contained] does not come from the
// author's decision, because the function did not answer or its source could
// not be reached.
func IsOutage(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return !ok || e.Unavailable
}

// NewSlots returns the slots for functions of authors of one kind. The workers
// run them.
func NewSlots(panicked contain.PanicFunc, pool *workers.Pool) contain.Slots {
	return contain.NewSlots(calls, Note, panicked).On(pool)
}

// Contained calls a function of an author, contained and within a time limit.
// The caller's cancellation does not reach it, because a disconnect changes
// neither the caller's identity nor its permissions.
func Contained[T any](ctx context.Context, slots contain.Slots, f func(context.Context) (T, error)) (T, error) {
	return contain.Within(ctx, timeout, slots, f)
}

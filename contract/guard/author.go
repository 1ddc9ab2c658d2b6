package guard

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
)

const (
	// authorTimeout bounds every function of the server author or the tool author
	// that decides about a call.
	authorTimeout = 10 * time.Second
	// authorCalls bounds how many of these functions run at once.
	authorCalls = 1024
)

// An authorError is the copy of an error that a function of an author returned.
type authorError struct {
	text        string
	unavailable bool
}

func (e *authorError) Error() string { return e.text }

// noteAuthor copies an error of an author.
func noteAuthor(err error) error {
	return &authorError{text: err.Error(), unavailable: errors.Is(err, ErrUnavailable)}
}

// contained calls a function of an author, contained and within authorTimeout.
// The caller's cancellation does not reach it, because who the caller is and what
// it may do does not depend on whether it still listens.
func contained[T any](ctx context.Context, g *Guard, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), authorTimeout)
	defer cancel()
	return contain.Call(ctx, g.authors, f)
}

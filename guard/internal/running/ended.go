package running

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// An EndKind is how an author's function ended.
type EndKind int

// The kinds of ends.
const (
	Returned   EndKind = iota // without an error
	Errored                   // with an error that may be a declared failure
	Refused                   // see bound.Refused
	Reported                  // see bound.Reported
	NeedsInput                // see bound.InputRequired
	Protocol                  // see bound.Protocol
	Panicked                  // it panicked, or ended its goroutine
	TimedOut                  // it was not waited for, because its time was over
	GivenUp                   // it was not waited for, because the server closed
	CallerLeft                // it was not waited for, because the caller disconnected
)

// An Ended is how an author's function ended: a handler, a preview or a check.
type Ended struct {
	Kind EndKind
	Out  any   // what it returned; nil unless Kind is Returned
	Err  error // why there is no output, as a copy for the audit log; nil if Kind is Returned
	// Failure is the failure in an error or in a reported result. Nil: none.
	Failure *contract.Error
	// Wrapped is the error of an adapter if Kind is Refused, Reported,
	// NeedsInput or Protocol.
	Wrapped *bound.HandlerError
	// Interrupted means that the function's context had ended before the
	// function returned an error. Cancelled means that the caller had ended it.
	Interrupted, Cancelled bool
}

// HasError reports whether the function itself returned an error.
func (e *Ended) HasError() bool {
	return e.Kind == Errored || e.Kind == Refused || e.Kind == Reported || e.Kind == NeedsInput
}

// The reasons why the guard ends the context of a function.
var (
	ErrTimeout   = errors.New("guard: the handler's time is over")
	ErrGivenUp   = errors.New("guard: the server closed before the handler ended")
	ErrTakenOver = errors.New("guard: another server has taken over the call")
)

// Timeout returns the end of a function that ran out of time.
func Timeout() Ended { return Ended{Kind: TimedOut, Err: ErrTimeout} }

// Closed returns the end of a function that was still running when the server
// closed.
func Closed() Ended { return Ended{Kind: GivenUp, Err: ErrGivenUp} }

// endOf describes an error that a function returned under ctx. An error that
// only says that the context has ended counts as the end of the context.
func endOf(ctx context.Context, err error) Ended {
	cause := context.Cause(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		switch {
		case errors.Is(cause, ErrTimeout):
			return Timeout()
		case errors.Is(cause, ErrGivenUp):
			return Closed()
		}
	}
	e := Ended{
		Kind: Errored, Err: errors.New(err.Error()),
		Interrupted: cause != nil,
		Cancelled:   cause != nil && !errors.Is(cause, ErrTimeout) && !errors.Is(cause, ErrGivenUp) && !errors.Is(cause, ErrTakenOver),
	}
	e.Failure, _ = errors.AsType[*contract.Error](err)
	// A failure that the handler made from its unanswered question is its own.
	wrapped, ok := errors.AsType[*bound.HandlerError](err)
	if ok && (!wrapped.Unasked || error(e.Failure) == wrapped.Err) { //nolint:errorlint // the very same
		e.Kind = [...]EndKind{
			bound.Refused: Refused, bound.Reported: Reported, bound.InputRequired: NeedsInput, bound.Protocol: Protocol,
		}[wrapped.Kind]
		e.Wrapped = wrapped
	}
	return e
}

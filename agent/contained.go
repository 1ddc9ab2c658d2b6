package agent

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// The bounds of foreign functions: those that the host or the author of a
// client wrote.
const (
	// maxRunning bounds how many run at once for one agent.
	maxRunning = 10_000
	// hostTime bounds one that decides or reports without asking a person.
	hostTime = 10 * time.Second
	// closeTime bounds the closing of a session.
	closeTime = 30 * time.Second
)

var (
	errBusy   = errors.New("too many functions of the host and the client are running")
	errPanic  = errors.New("a function of the host or the client panicked")
	errGoexit = errors.New("a function of the host or the client ended its goroutine")
	errLate   = errors.New("a function of the host or the client did not return in time")
)

// newSlots returns the slots in which foreign functions run.
func newSlots() contain.Slots { return contain.NewSlots(maxRunning, probeError, nil) }

// probeError calls the methods of an error, because they can panic too, and
// returns the error.
func probeError(err error) error {
	_ = err.Error()
	_ = errors.Is(err, client.ErrUnsent)
	return err
}

// callOut calls a foreign function. If the context ends first, callOut returns
// its cause without waiting. If the error is errBusy, the function was not
// called.
func callOut[T any](ctx context.Context, slots contain.Slots, f func(context.Context) (T, error)) (T, error) {
	value, err := contain.Call(ctx, slots, f)
	if err = plainError(err); errors.Is(err, errLate) {
		err = context.Cause(ctx)
	}
	return value, err
}

// plainError replaces an error of package contain by one of this package. The
// value of a panic is dropped, because it may be a secret.
func plainError(err error) error {
	switch err {
	case nil:
		return nil
	case contain.ErrNoSlot: //nolint:errorlint // foreign errors stay as they are
		return errBusy
	case contain.ErrGoexit:
		return errGoexit
	case contain.ErrLate:
		return errLate
	}
	if _, panicked := any(err).(*contain.PanicError); panicked { // one that a foreign error wraps stays as it is
		return errPanic
	}
	return err
}

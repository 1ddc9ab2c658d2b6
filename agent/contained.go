package agent

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// The bounds of functions that the host or the author of a client wrote.
const (
	// maxRunning bounds how many run at once for one agent.
	maxRunning = 10_000
	// hostTime bounds one that decides or reports without asking a person.
	hostTime = 10 * time.Second
	// closeTime bounds the end of a session.
	closeTime = 30 * time.Second
)

var (
	errBusy   = errors.New("too many functions of the host and the client are running")
	errPanic  = errors.New("a function of the host or the client panicked")
	errGoexit = errors.New("a function of the host or the client ended its goroutine")
	errLate   = errors.New("a function of the host or the client did not return in time")
)

// newSlots returns the slots of the functions of others.
func newSlots() contain.Slots { return contain.NewSlots(maxRunning, tried, nil) }

// tried calls the methods of an error, which can panic too, and returns it.
func tried(err error) error {
	_ = err.Error()
	_ = errors.Is(err, client.ErrUnsent)
	return err
}

// within runs a function of others, and returns when the context is done at the
// latest, with its cause. If the error is errBusy, the function was not called.
func within[T any](ctx context.Context, slots contain.Slots, f func(context.Context) (T, error)) (T, error) {
	value, err := contain.Call(ctx, slots, f)
	if err = inWords(err); errors.Is(err, errLate) {
		err = context.Cause(ctx)
	}
	return value, err
}

// inWords replaces an error of package contain. A panic loses its value, which
// may be a secret.
func inWords(err error) error {
	switch err {
	case nil:
		return nil
	case contain.ErrNoSlot: //nolint:errorlint // errors of others stay as they are
		return errBusy
	case contain.ErrGoexit:
		return errGoexit
	case contain.ErrLate:
		return errLate
	}
	if _, panicked := err.(*contain.PanicError); panicked { //nolint:errorlint // see above
		return errPanic
	}
	return err
}

package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
)

// ErrUnanswered means that requests were left without an answer.
var ErrUnanswered = errors.New("mcpgo: requests were left unanswered")

// A Server has the functions of a server that [Serve] needs. All fields but
// Take, Cancelled and Call are required.
type Server struct {
	// Listen serves one session until in ends.
	Listen func(ctx context.Context, in io.Reader, out io.Writer) error
	// Take returns a function that answers a line exactly as Listen would. It
	// returns nil if Listen must answer the line. It is called while Listen
	// waits for input, for one line at a time. The functions that it returns
	// are called concurrently. Nil: no line is taken.
	Take func(line []byte) (answer func() []byte)
	// Cancelled is called for each notifications/cancelled, which Listen gets
	// too. Nil: no taken call can be cancelled.
	Cancelled func(line []byte)
	// Call answers one tools/call that Take did not take, while Listen waits
	// for input, exactly as Listen would, but without its goroutines, which
	// saves time. It is called concurrently. Nil: Listen answers all calls that
	// Take did not take.
	Call func(line []byte) (answer []byte)
	// BeginDrain starts the drain time and returns its end.
	BeginDrain func() time.Time
	// Close ends what is running and waits until ctx is done.
	Close func(ctx context.Context) error
	// MaxLine bounds the length of a line, in bytes. A longer line reaches the
	// server as a line that is not JSON.
	MaxLine int
}

// Serve runs one session until in ends or ctx is done, and ends it as
// [adapter.StdioSession.Run] does. The error wraps [ErrUnanswered] if requests
// were left without an answer.
func Serve(ctx context.Context, s Server, in io.Reader, out io.Writer) error {
	x := newExchange(out)
	input := newInput(in, x, s)
	err := adapter.StdioSession{
		Listen:     func(ctx context.Context) error { return s.Listen(ctx, input, x) },
		Exhausted:  input.exhausted,
		Stop:       input.stop,
		End:        input.end,
		Settled:    x.settled,
		BeginDrain: s.BeginDrain,
		Close:      s.Close,
	}.Run(ctx)
	if lost := x.unanswered(); lost > 0 {
		err = errors.Join(err, fmt.Errorf("%w: %d", ErrUnanswered, lost))
	}
	return err
}

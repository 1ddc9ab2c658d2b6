package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/toolcontract/toolcontract/adapter"
)

// ErrUnanswered means that requests were left without an answer.
var ErrUnanswered = errors.New("mcpgo: requests were left unanswered")

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
		Settled:    x.wait,
		BeginDrain: s.BeginDrain,
		Close:      s.Close,
	}.Run(ctx)
	if lost := x.countOpen(); lost > 0 {
		err = errors.Join(err, fmt.Errorf("%w: %d", ErrUnanswered, lost))
	}
	return err
}

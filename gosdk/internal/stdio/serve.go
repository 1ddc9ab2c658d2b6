package stdio

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
)

// ErrUnanswered means that requests were left without an answer.
var ErrUnanswered = errors.New("gosdk: requests were left unanswered")

// A Server has the functions that [Serve] needs. All fields are required.
type Server struct {
	// Listen serves the session of a connection until its input ends.
	Listen func(ctx context.Context, c *Connection) error
	// BeginDrain starts the drain and returns when it ends.
	BeginDrain func() time.Time
	// Close ends running calls and waits for them until ctx is done.
	Close func(ctx context.Context) error
}

// Serve runs c's session until its input ends or ctx is done, and ends it as
// [adapter.StdioSession.Run] does. The error wraps [ErrUnanswered] if requests
// were left without an answer.
func Serve(ctx context.Context, s Server, c *Connection) error {
	err := adapter.StdioSession{
		Listen:     func(ctx context.Context) error { return s.Listen(ctx, c) },
		Exhausted:  c.exhausted,
		Stop:       c.stop,
		End:        c.end,
		Settled:    c.exchange.settled,
		BeginDrain: s.BeginDrain,
		Close:      s.Close,
	}.Run(ctx)
	if lost := c.exchange.unanswered(); lost > 0 {
		err = errors.Join(err, fmt.Errorf("%w: %d", ErrUnanswered, lost))
	}
	return err
}

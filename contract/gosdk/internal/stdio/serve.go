package stdio

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// flushTime is how long Close may take beyond the drain.
	flushTime = 5 * time.Second
	// writeTime is how long the SDK may take to write its last answers and to
	// end the session.
	writeTime = time.Second
)

// ErrUnanswered means that requests were left without an answer.
var ErrUnanswered = errors.New("gosdk: requests were left unanswered")

// A Server has the functions of a server that [Serve] needs. All fields are
// required.
type Server struct {
	// Listen serves the session of a connection until its input ends.
	Listen func(ctx context.Context, c *Connection) error
	// BeginDrain starts the drain time and returns its end.
	BeginDrain func() time.Time
	// Close ends what is running and waits until ctx is done.
	Close func(ctx context.Context) error
}

// Serve runs the session of c until its input ends or ctx is done. It then
// waits for open requests until the drain time ends, closes the server, and
// lets Listen end. It cannot interrupt a read of the input, so a goroutine may
// stay blocked there. The error wraps [ErrUnanswered] if requests were left
// without an answer.
func Serve(ctx context.Context, s Server, c *Connection) error {
	listened := make(chan error, 1)
	go func() { listened <- s.Listen(context.WithoutCancel(ctx), c) }()

	var err error
	returned := false
	select {
	case <-ctx.Done():
		c.stop()
	case <-c.exhausted:
	case err = <-listened:
		returned = true
		c.stop()
	}
	until := s.BeginDrain()
	answered := returned || c.exchange.settled(time.Until(until)) // after Listen nothing is answered
	closing, cancel := context.WithDeadline(context.Background(), until.Add(flushTime))
	defer cancel()
	err = errors.Join(err, s.Close(closing))
	if !answered {
		c.exchange.settled(writeTime) // Close gave up the handlers, and their calls are answered
	}
	c.end()
	if !returned {
		select {
		case late := <-listened:
			err = errors.Join(err, late)
		case <-time.After(writeTime):
		}
	}
	if lost := c.exchange.unanswered(); lost > 0 {
		err = errors.Join(err, fmt.Errorf("%w: %d", ErrUnanswered, lost))
	}
	return err
}

package adapter

import (
	"context"
	"errors"
	"time"
)

const (
	// flushTime is how long Close may take after the drain.
	flushTime = 5 * time.Second
	// writeTime is how long an SDK may take to write its last answers and to
	// end the session.
	writeTime = time.Second
)

// A StdioSession runs a session over two streams that an adapter puts between
// the process and its SDK, so that every request that was read is answered. All
// fields are required.
type StdioSession struct {
	// Listen serves the session with the SDK until End is called.
	Listen func(ctx context.Context) error
	// Exhausted is closed when the input has ended.
	Exhausted <-chan struct{}
	// Stop drops the input that the SDK has not received yet, and all later
	// input.
	Stop func()
	// End gives the SDK the end of its input.
	End func()
	// Settled waits up to limit until every request that was read is answered.
	// It reports whether that happened.
	Settled func(limit time.Duration) bool
	// BeginDrain starts the drain and returns when it ends; see
	// [Table.BeginDrain].
	BeginDrain func() time.Time
	// Close closes the guard of the session. It waits until ctx is done.
	Close func(ctx context.Context) error
}

// Run runs the session until its input ends or ctx is done. It then waits for
// open requests until the drain ends, closes the guard, and lets Listen return.
// It cannot interrupt a read of the input, so a goroutine may stay blocked
// there. The error joins those of Listen and of Close.
func (s StdioSession) Run(ctx context.Context) error {
	listened := make(chan error, 1)
	go func() { listened <- s.Listen(context.WithoutCancel(ctx)) }()

	var err error
	returned := false
	select {
	case <-ctx.Done():
		s.Stop()
	case <-s.Exhausted:
	case err = <-listened:
		returned = true
		s.Stop()
	}
	until := s.BeginDrain()
	answered := returned || s.Settled(time.Until(until)) // after Listen nothing is answered
	closing, cancel := context.WithDeadline(context.Background(), until.Add(flushTime))
	defer cancel()
	err = errors.Join(err, s.Close(closing))
	if !answered {
		s.Settled(writeTime) // Close abandoned the handlers, so their calls get an answer
	}
	s.End()
	if returned {
		return err
	}
	select {
	case late := <-listened:
		return errors.Join(err, late)
	case <-time.After(writeTime):
		return err
	}
}

package adapter

import (
	"context"
	"errors"
	"time"
)

const (
	// flushTime is how long Close may take beyond the drain.
	flushTime = 5 * time.Second
	// writeTime is how long an SDK may take to write its last answers and to
	// end the session.
	writeTime = time.Second
)

// A StdioSession is a session over two streams that an adapter puts between the
// process and its SDK, so that each request that was read is answered. All
// fields are required.
type StdioSession struct {
	// Listen serves the session with the SDK until End is called.
	Listen func(ctx context.Context) error
	// Exhausted is closed when the input has ended.
	Exhausted <-chan struct{}
	// Stop drops the input that the SDK did not get yet, and all later input.
	Stop func()
	// End gives the SDK the end of its input.
	End func()
	// Settled waits until each request that was read is answered, at most as
	// long as limit, and reports whether each was answered.
	Settled func(limit time.Duration) bool
	// BeginDrain starts the drain time and returns its end; see
	// [Table.BeginDrain].
	BeginDrain func() time.Time
	// Close closes the guard of the session. It waits until ctx is done.
	Close func(ctx context.Context) error
}

// Run runs the session until its input ends or ctx is done. It then waits for
// open requests until the drain time ends, closes the guard, and lets Listen
// end. It cannot interrupt a read of the input, so a goroutine may stay blocked
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
		s.Settled(writeTime) // Close gave up the handlers, and their calls are answered
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

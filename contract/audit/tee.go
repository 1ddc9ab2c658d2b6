package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/internal/panics"
)

var (
	_ Sink      = (*TeeSink)(nil)
	_ io.Closer = (*TeeSink)(nil)
)

var (
	errNoSinks   = errors.New("audit: Tee has no sink; pass at least one")
	errNilSink   = errors.New("audit: the sink is nil; remove it")
	errTeeClosed = errors.New("audit: the sink is closed")
)

// A TeeSink writes each event to several sinks. [Tee] makes one. The zero
// TeeSink has no sinks, so its Write returns an error. A TeeSink is safe for
// concurrent use.
type TeeSink struct {
	sinks  []Sink
	closed atomic.Bool
}

// Tee returns a sink that writes each event to all of the given sinks, such as
// a log file, a [Slog] and a counter of metrics.
//
// Every sink is required: if one fails, Write returns an error, and a call that
// may not run unrecorded is refused. Wrap sinks that are not required in
// [Optional].
func Tee(sinks ...Sink) *TeeSink { return &TeeSink{sinks: append([]Sink(nil), sinks...)} }

// Write writes the event to all sinks, one after the other in their order, also
// if one of them fails or panics. The sinks share the time that ctx allows, so
// the most important one comes first. The error joins the errors of all sinks.
// A nil sink, no sinks, and a closed TeeSink are errors.
func (t *TeeSink) Write(ctx context.Context, e Event) error {
	if t.closed.Load() {
		return errTeeClosed
	}
	if len(t.sinks) == 0 {
		return errNoSinks
	}
	return t.each(func(s Sink) error { return s.Write(ctx, e) })
}

// Close closes the sinks that are an [io.Closer], in their order. The
// error joins their errors. Close the guard first.
func (t *TeeSink) Close() error {
	t.closed.Store(true)
	return t.each(closeSink)
}

// each calls f with every sink, contained, and joins the errors.
func (t *TeeSink) each(f func(Sink) error) error {
	var errs []error
	for i, s := range t.sinks {
		if err := contained(s, f); err != nil {
			errs = append(errs, fmt.Errorf("audit: sink %d of Tee: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

func contained(s Sink, f func(Sink) error) (err error) {
	defer panics.Recover(&err)
	if s == nil {
		return errNilSink
	}
	return f(s)
}

func closeSink(s Sink) error {
	if c, ok := s.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Optional returns a sink that passes events to s and never fails. Use it if
// calls must not depend on s, such as for metrics. It recovers from a panic of
// s. failed gets each error, and must be safe for concurrent use; nil discards
// the errors. Do not use it for the only copy of the log: the guard cannot know
// that an event was lost.
//
// The sink is an [io.Closer], and closes s if s is one.
func Optional(s Sink, failed func(e Event, err error)) Sink {
	return &optionalSink{sink: s, failed: failed}
}

type optionalSink struct {
	sink   Sink
	failed func(Event, error)
	closed atomic.Bool
}

func (o *optionalSink) Write(ctx context.Context, e Event) error {
	if o.closed.Load() {
		return errTeeClosed
	}
	if err := contained(o.sink, func(s Sink) error { return s.Write(ctx, e) }); err != nil && o.failed != nil {
		o.failed(e, err)
	}
	return nil
}

func (o *optionalSink) Close() error {
	o.closed.Store(true)
	return contained(o.sink, closeSink)
}

package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/internal/contain"
)

var (
	errNoSinks = errors.New("audit: Tee has no sink; pass at least one")
	errNilSink = errors.New("audit: the sink is nil; remove it")
)

// Tee returns a sink that writes each event to all of the given sinks, such as
// a log file, a [Slog] and a counter of metrics. It writes to them in order,
// one after the other, even if one fails or panics. The sinks share the time
// that the context allows, so put the most important one first.
//
// Every sink is required: if one fails, Write returns an error that joins the
// errors of all, and a call that must not run unrecorded is refused. If there
// are no sinks, or one is nil, Write returns an error. Wrap sinks that are not
// required in [Optional].
//
// The returned sink has no Close: close the sinks themselves, after the guard.
func Tee(sinks ...Sink) Sink { return teeSink(slices.Clone(sinks)) }

type teeSink []Sink

func (t teeSink) Write(ctx context.Context, e Event) error {
	if len(t) == 0 {
		return errNoSinks
	}
	var errs []error
	for i, s := range t {
		if err := write(ctx, s, e); err != nil {
			errs = append(errs, fmt.Errorf("audit: sink %d of Tee: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

// write writes the event to a sink that may be nil or panic.
func write(ctx context.Context, s Sink, e Event) (err error) {
	defer contain.Recover(&err)
	if s == nil {
		return errNilSink
	}
	return s.Write(ctx, e)
}

// Optional returns a sink that passes events to s and never fails. Use it when
// calls must not depend on s, for example for metrics. It recovers a panic in
// s. failed gets each error and must be safe for concurrent use; nil discards
// the errors. Do not use it for the only copy of the log: the guard cannot know
// that an event was lost.
func Optional(s Sink, failed func(e Event, err error)) Sink {
	return Func(func(ctx context.Context, e Event) error {
		if err := write(ctx, s, e); err != nil && failed != nil {
			failed(e, err)
		}
		return nil
	})
}

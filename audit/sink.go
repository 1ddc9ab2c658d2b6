package audit

import (
	"context"
	"errors"
)

// A Sink stores audit events. Implementations must follow these rules, which
// storetest.RunSink checks:
//
//  1. Write returns nil only if the event is stored as durably as this sink
//     promises for its kind, and an [Intent] or [Decided] event as durably as
//     it can store one. Otherwise it returns an error, and a call that must
//     not run unrecorded is refused.
//  2. Write is safe for concurrent use. A guard writes intents concurrently,
//     so that a sink can make many of them durable at once, and its other
//     events one at a time. Several guards may share a sink.
//  3. Write returns soon after its context is done, with an error unless the
//     event is stored.
//  4. Events are stored in the order of the calls to Write.
//  5. A sink may keep the event, which is a copy, but not the context.
//  6. An event's strings may contain anything that a caller sent, such as line
//     breaks and terminal escapes. A sink that writes text must make them
//     harmless.
//  7. Write does not call back into the guard.
//  8. If the sink is an [io.Closer], Write returns an error after Close. The
//     guard does not close it.
//
// The guard recovers a panic in Write and treats it as an error. It never
// passes the value of an argument or result.
type Sink interface {
	Write(ctx context.Context, e Event) error
}

// A Func is a function that serves as a [Sink], for tests and small programs.
// It must follow the rules of Sink. A nil Func returns an error.
type Func func(ctx context.Context, e Event) error

// Write calls the function.
func (f Func) Write(ctx context.Context, e Event) error {
	if f == nil {
		return errors.New("audit: no function to write to")
	}
	return f(ctx, e)
}

package audit

import (
	"context"
	"errors"
)

// A Sink keeps audit events. Who writes one keeps these rules:
//
//  1. A nil return is the event's durability: it says that the event is kept as safely as this sink
//     promises for an event of its kind, and for an [Intent] as safely as it ever keeps one. A sink that
//     cannot say so returns an error; a call that may not run unrecorded is then refused.
//  2. Write is safe for concurrent use. A guard writes intents side by side, so that a sink may make
//     many durable at once, and its other events one at a time; several guards may share a sink.
//  3. Write returns soon after its context is done, with an error where the event is not kept.
//  4. Events are kept in the order of the calls of Write.
//  5. A sink may keep the event, which is a copy. It does not keep the context.
//  6. Strings of the event may hold what a caller chose, line breaks and terminal escapes too. A sink
//     that writes text makes them harmless.
//  7. Write does not call back into the guard.
//  8. A sink that is an [io.Closer] returns an error from Write after Close. The guard does not close it.
//
// The suite in sinktest checks these rules.
//
// The guard contains a panic of Write and counts it as an error. It never passes a value of an argument
// or of a result.
type Sink interface {
	Write(ctx context.Context, e Event) error
}

// A Func is a function that serves as a [Sink], for tests and small programs. The function keeps the rules of
// Sink; a nil Func keeps nothing and returns an error.
type Func func(ctx context.Context, e Event) error

// Write calls the function.
func (f Func) Write(ctx context.Context, e Event) error {
	if f == nil {
		return errors.New("audit: no function to write to")
	}
	return f(ctx, e)
}

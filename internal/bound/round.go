package bound

import (
	"context"
	"encoding/json"
)

// A Round holds what a handler gets if it asked for input in the previous
// round, and whether a person has approved its call.
type Round struct {
	// Approved means that a person has approved the call.
	Approved bool
	// State is the state of the handler.
	State string
	// Responses are the responses of the client to the handler's requests, by
	// key.
	Responses map[string]json.RawMessage
	// Takes reports whether the client can answer a JSON object of requests by
	// key. Nil: it cannot.
	Takes func(requests json.RawMessage) bool
}

type roundKey struct{}

// DialogKey is the context key of the questions of a typed handler.
type DialogKey struct{}

// IsRoundKey reports whether a context is asked for its round or its questions.
// A call's context answers nil, to hide those of a handler that makes the call
// with its own context.
func IsRoundKey(key any) bool { return key == roundKey{} || key == DialogKey{} }

// WithRound returns a context for a handler. Nil is the zero round.
func WithRound(ctx context.Context, r *Round) context.Context {
	if r == nil {
		return ctx
	}
	return context.WithValue(ctx, roundKey{}, *r)
}

// RoundFrom returns the round of a handler's context. In the first round it has
// no state and no responses.
func RoundFrom(ctx context.Context) Round {
	r, _ := ctx.Value(roundKey{}).(Round)
	return r
}

package bound

import (
	"context"
	"encoding/json"
)

// An InputRequiredError is the error of an adapter for a handler that needs an
// input of the client before it can go on. Nothing has happened yet.
type InputRequiredError struct {
	// Requests are the requests by key, as a JSON object.
	Requests json.RawMessage
	// State is what the handler gets back with the responses.
	State string
}

// Error returns a text without the requests.
func (*InputRequiredError) Error() string { return "the handler needs an input of the client" }

// A Round holds what a handler gets if it asked for an input in the round
// before, and whether a person has approved its call.
type Round struct {
	// Approved means that a person has approved the call.
	Approved bool
	// State is the state of the handler.
	State string
	// Responses are the responses of the client to the handler's requests, by
	// key.
	Responses map[string]json.RawMessage
}

type roundKey struct{}

// IsRoundKey reports whether a context is asked for its round. The context of a
// call answers nil, so that the round of a handler which makes the call with
// its own context is hidden.
func IsRoundKey(key any) bool { return key == roundKey{} }

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

// AllowRounds sets how often the handler of a tool may ask in one call.
func AllowRounds(b Reporter, rounds int) { b.mistakes().rounds = rounds }

// Rounds returns how often the handler may ask. Zero: never.
func Rounds(b Reporter) int { return b.mistakes().rounds }

package mcpgo

import (
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract/adapter"
)

// WithRounds declares that the handler asks the client for an input, with a
// result of server.NewInputRequestBuilder. times is how often it may ask in one
// call, from 1 to 10. Each round runs the handler again, so the handler must
// have no effect before its final result.
//
// The next round gets the handler's requestState, and the responses to exactly
// its requests. The client carries the state sealed: it can neither be read nor
// changed. It counts once, for the same principal, tool, arguments and
// contract, and all rounds must take place within guard.Times.QuestionTTL. Any
// other state is refused. State and responses that come without such a state do
// not reach the handler. For an anonymous caller, the sealed state alone shows
// that the call is the same.
//
// A person who must confirm the call, and a required dry run, come before the
// first round and count for all of them. If the function of ConfirmWhen demands
// a person only after the first round, the state is refused, and the call must
// begin again. The rate limits count each round. A
// managed or keyed call holds its key only while a round runs; its outcome is
// recorded at the end. mcp-go asks clients older than 2026-07-28 within the
// call. A client without the capability for a request gets
// confirmation_required.
//
// Default: a handler that asks ends its call as internal_error. A handler that
// asks within the call, with RequestElicitation of the server, needs no option.
func WithRounds(times int) WrapOption {
	return wrapOptionFunc(func(w *wrapped) { w.rounds = &times })
}

var errResponse = errors.New("mcpgo: a response of the client cannot be read")

// takeUp adds to a request what the handler asked for in the round before.
func takeUp(call adapter.HandlerCall, params *mcp.CallToolParams) error {
	params.RequestState = call.State
	for key, raw := range call.Responses {
		var response mcp.InputResponse
		if err := json.Unmarshal(raw, &response); err != nil {
			return errResponse
		}
		if params.InputResponses == nil {
			params.InputResponses = mcp.InputResponses{}
		}
		params.InputResponses[key] = response
	}
	return nil
}

package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
)

// maxRounds is how often mcp-go asks an older client for one call.
const maxRounds = 10

// WithRounds declares that the handler asks the client for an input, with a
// result of server.NewInputRequestBuilder. times is how often it may ask in one
// call, from 1 to 10. Each round runs the handler again, so the handler must
// have no effect before its final result.
//
// The next round gets the handler's requestState, and the responses to exactly
// its requests. The client carries the state sealed: it can neither be read nor
// changed. It counts once, for the same principal, tool, arguments and
// contract, and all rounds must take place within guard.WithQuestionTTL. Any
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

// allowRounds passes the option to a builder.
func (w *wrapped) allowRounds(b *WrappedBuilder) {
	if w.rounds == nil {
		return
	}
	if *w.rounds < 1 || *w.rounds > maxRounds {
		bound.Report(b, bound.Mistake{Rule: "serve.rounds", Where: "WithRounds", Message: "the number of rounds is not from 1 to 10", Remedy: "correct it"})
		return
	}
	bound.AllowRounds(b, *w.rounds)
}

// asked returns the error for a result that asks the client for an input.
func (w *wrapped) asked(result *mcp.CallToolResult) error {
	if w.rounds == nil {
		return &bound.RefusalError{Code: contract.CodeInternalError, Err: errAsksForInput}
	}
	requests, err := json.Marshal(result.InputRequests)
	if err != nil {
		return &bound.RefusalError{Code: contract.CodeInternalError, Err: fmt.Errorf("mcpgo: the requests of the handler: %w", err)}
	}
	return &bound.InputRequiredError{Requests: requests, State: result.RequestState}
}

var errResponse = errors.New("mcpgo: a response of the client cannot be read")

// takeUp adds to a request what the handler asked for in the round before.
func takeUp(ctx context.Context, params *mcp.CallToolParams) error {
	round := bound.RoundFrom(ctx)
	params.RequestState = round.State
	for key, raw := range round.Responses {
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

// inputRequired returns the requests of a handler as mcp-go's result.
func inputRequired(r *guard.Result) *mcp.CallToolResult {
	b := server.NewInputRequestBuilder(r.State)
	result := b.ToolResult()
	if json.Unmarshal(r.Requests, &result.InputRequests) != nil {
		return &mcp.CallToolResult{IsError: true} // not from a handler for mcp-go
	}
	return result
}

// takesInput returns a function that reports whether a client with the
// capabilities can answer the requests of a handler.
func takesInput(c mcp.ClientCapabilities) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		var requests mcp.InputRequests
		if json.Unmarshal(raw, &requests) != nil {
			return false
		}
		for _, r := range requests {
			if !takes(c, r) {
				return false
			}
		}
		return true
	}
}

func takes(c mcp.ClientCapabilities, r mcp.InputRequest) bool {
	switch r.Method {
	case mcp.MethodElicitationCreate:
		if r.Elicitation.Mode == mcp.ElicitationModeURL {
			return opensURLs(c.Elicitation)
		}
		return takesForms(c.Elicitation)
	case mcp.MethodSamplingCreateMessage:
		return c.Sampling != nil
	case mcp.MethodListRoots:
		return c.Roots != nil
	default:
		return false
	}
}

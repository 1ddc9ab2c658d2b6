package mcpgo

import (
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/adapter"
)

var errResponse = errors.New("mcpgo: a response of the client cannot be read")

// resume adds to a request the answers to what the handler asked for in the
// round before, and the state that the handler gave it.
func resume(call adapter.HandlerCall, params *mcp.CallToolParams) error {
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

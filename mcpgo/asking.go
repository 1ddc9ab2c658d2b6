package mcpgo

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
)

// client returns what the client of a call can do, and the answers that it
// sent. The capabilities come from the request itself, because mcp-go ignores
// them there, or for an older request from the initialize of its session.
func (b *binding) client(ctx context.Context, on *server.MCPServer, params mcp.MultiRoundTripParams) adapter.Client {
	c := adapter.Client{State: params.RequestState, Answers: adapter.RawAnswers(params.InputResponses)}
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		c.Modern = true
		c.Capabilities = readCapabilities(*info.ClientCapabilities)
		return c
	}
	session := server.ClientSessionFromContext(ctx)
	known, ok := session.(server.SessionWithClientInfo)
	if !ok {
		return c
	}
	if _, ok := session.(server.SessionWithElicitation); !ok {
		return c
	}
	c.Session = session.SessionID()
	c.Send = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		return sendToClient(ctx, on, method, params)
	}
	c.Capabilities = readCapabilities(b.capabilitiesOf(ctx, known))
	return c
}

func readCapabilities(c mcp.ClientCapabilities) adapter.Capabilities {
	var declared adapter.Capabilities
	has := func(is bool) *struct{} {
		if is {
			return &struct{}{}
		}
		return nil
	}
	declared.Sampling = has(c.Sampling != nil)
	declared.Roots = has(c.Roots != nil)
	if e := c.Elicitation; e != nil {
		declared.Elicitation = &adapter.ElicitationCapability{Form: has(e.Form != nil), URL: has(e.URL != nil)}
	}
	return declared
}

var errNoServer = errors.New("mcpgo: the context has no MCP server")

// sendToClient sends a question of the guard, or a request of a handler, to
// clients older than 2026-07-28.
func sendToClient(ctx context.Context, on *server.MCPServer, method string, params json.RawMessage) (json.RawMessage, error) {
	if on == nil {
		return nil, errNoServer
	}
	request := mcp.Request{Method: method}
	switch mcp.MCPMethod(method) { //nolint:exhaustive // the other requests are of the client
	case mcp.MethodElicitationCreate:
		return answerOf(params, func(p mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			return on.RequestElicitation(ctx, mcp.ElicitationRequest{Request: request, Params: p})
		})
	case mcp.MethodSamplingCreateMessage:
		return answerOf(params, func(p mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
			//nolint:staticcheck // deprecated in 2026-07-28, and used before
			return on.RequestSampling(ctx, mcp.CreateMessageRequest{Request: request, CreateMessageParams: p})
		})
	}
	return answerOf(params, func(struct{}) (*mcp.ListRootsResult, error) {
		return on.RequestRoots(ctx, mcp.ListRootsRequest{Request: request})
	})
}

// answerOf sends a request with its params and returns the raw answer.
func answerOf[P, R any](params json.RawMessage, send func(P) (R, error)) (json.RawMessage, error) {
	var p P
	if len(params) > 0 {
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
	}
	answer, err := send(p)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

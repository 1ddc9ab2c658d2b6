package mcpgo

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// withAnswers adds to a request how its client can be asked, and what it answers.
// The capability is that of this very request: mcp-go does not look at it.
func withAnswers(ctx context.Context, r guard.Request, params mcp.MultiRoundTripParams) guard.Request {
	r.State, r.Answers = params.RequestState, answers(params.InputResponses)
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		r.Rounds, r.RoundsURL = takesForms(info.ClientCapabilities.Elicitation), opensURLs(info.ClientCapabilities.Elicitation)
		return r
	}
	session := server.ClientSessionFromContext(ctx)
	known, ok := session.(server.SessionWithClientInfo)
	if !ok {
		return r
	}
	if _, ok := session.(server.SessionWithElicitation); !ok {
		return r
	}
	r.Session = session.SessionID()
	if takesForms(known.GetClientCapabilities().Elicitation) {
		r.Ask = askClient
	}
	if opensURLs(known.GetClientCapabilities().Elicitation) {
		r.AskURL = askClient
	}
	return r
}

// takesForms reports whether a client that declared the capability shows forms:
// one that says nothing more does (MCP 2025-11-25, elicitation).
func takesForms(c *mcp.ElicitationCapability) bool {
	return c != nil && (c.Form != nil || c.URL == nil)
}

// opensURLs reports whether a client that declared the capability sends a person
// to an address.
func opensURLs(c *mcp.ElicitationCapability) bool { return c != nil && c.URL != nil }

// answers hands the answers on as they were sent.
func answers(responses mcp.InputResponses) map[string]json.RawMessage {
	if len(responses) == 0 {
		return nil
	}
	raw := make(map[string]json.RawMessage, len(responses))
	for key, response := range responses {
		if sent, err := json.Marshal(response); err == nil {
			raw[key] = sent
		}
	}
	return raw
}

var errNoServer = errors.New("mcpgo: the context is not that of a server's request")

// askClient sends the question as a request of the server's, which clients of
// before 2026-07-28 take.
func askClient(ctx context.Context, q guard.Question) (json.RawMessage, error) {
	srv := server.ServerFromContext(ctx)
	if srv == nil {
		return nil, errNoServer
	}
	result, err := srv.RequestElicitation(ctx, mcp.ElicitationRequest{
		Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: elicitation(q),
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(result.ElicitationResponse)
}

// asked writes a question as the result that asks for its answer.
func asked(r *guard.Result) *mcp.CallToolResult {
	key := guard.ConfirmKey
	if r.Question.URL != "" {
		key = guard.StepUpKey
	}
	return server.NewInputRequestBuilder(r.State).Elicit(key, elicitation(*r.Question)).ToolResult()
}

// elicitation writes a question in the mode that it takes.
func elicitation(q guard.Question) mcp.ElicitationParams {
	if q.URL != "" {
		return mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, Message: q.Message, URL: q.URL, ElicitationID: q.ID}
	}
	return form(q)
}

// form asks for one boolean, which has no default: nothing is agreed to by not
// looking.
func form(q guard.Question) mcp.ElicitationParams {
	return mcp.ElicitationParams{
		Mode: mcp.ElicitationModeForm, Message: q.Message,
		RequestedSchema: map[string]any{
			"type": "object",
			"properties": map[string]any{
				guard.ConfirmKey: map[string]any{"type": "boolean", "title": "Confirm", "description": q.Label},
			},
			"required": []string{guard.ConfirmKey},
		},
	}
}

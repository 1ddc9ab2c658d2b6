package mcpgo

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// withAnswers adds to a request the ways in which its client can ask, and the
// answers that it sent. It reads the capability from the request itself,
// because mcp-go ignores it. An older request has the capability of its
// session's initialize.
func (b *binding) withAnswers(ctx context.Context, r guard.Request, params mcp.MultiRoundTripParams) guard.Request {
	r.State, r.Answers = params.RequestState, answers(params.InputResponses)
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		r.TakesInput = takesInput(*info.ClientCapabilities)
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
	capabilities := b.declaredBy(ctx, known)
	r.TakesInput = takesInput(capabilities)
	declared := capabilities.Elicitation
	if takesForms(declared) {
		r.Ask = askClient
	}
	if opensURLs(declared) {
		r.AskURL = askClient
	}
	return r
}

// takesForms reports whether a client with the capability shows forms. A
// capability without a mode means forms (MCP 2025-11-25, elicitation).
func takesForms(c *mcp.ElicitationCapability) bool {
	return c != nil && (c.Form != nil || c.URL == nil)
}

// opensURLs reports whether a client with the capability sends a person to an
// address.
func opensURLs(c *mcp.ElicitationCapability) bool { return c != nil && c.URL != nil }

// answers returns the answers as they were sent.
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

var errNoServer = errors.New("mcpgo: the context has no MCP server")

// askClient sends the question as a request of the server, for clients older
// than 2026-07-28.
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

// asked returns a question as the result that asks for its answer.
func asked(r *guard.Result) *mcp.CallToolResult {
	return server.NewInputRequestBuilder(r.State).Elicit(r.Question.Key, elicitation(*r.Question)).ToolResult()
}

// elicitation returns a question in its mode, URL or form.
func elicitation(q guard.Question) mcp.ElicitationParams {
	if q.URL != "" {
		return mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, Message: q.Message, URL: q.URL, ElicitationID: q.ID}
	}
	return mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: q.Message, RequestedSchema: formSchema(q)}
}

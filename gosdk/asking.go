package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
)

const (
	methodElicit    = "elicitation/create"
	methodSample    = "sampling/createMessage"
	methodListRoots = "roots/list"
)

type approvedKey struct{}

// An approvedCall is one run of a handler after a person approved the call.
// Once the run is over, a goroutine that the handler left behind gets no
// answers.
type approvedCall struct {
	agreement *adapter.Agreement
	over      atomic.Bool
}

// agreementFrom returns the agreement of a handler's run, or nil once it has
// ended.
func agreementFrom(ctx context.Context) *adapter.Agreement {
	if c, _ := ctx.Value(approvedKey{}).(*approvedCall); c != nil && !c.over.Load() {
		return c.agreement
	}
	return nil
}

// send is this package's sending middleware. It accepts a handler's own
// confirmation if a person has approved the call.
func (b *binding) send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if c := callFrom(ctx); method == methodElicit && c != nil && req.GetSession() == mcp.Session(c.req.Session) {
			if content, ok := agreementFrom(ctx).Content(req.GetParams()); ok {
				return &mcp.ElicitResult{Action: "accept", Content: content}, nil
			}
		}
		return next(ctx, method, req)
	}
}

// client returns what the caller's client can do, and the answers it sent.
func (c *call) client(req *mcp.CallToolRequest) adapter.Client {
	client := adapter.Client{
		Modern: isModern(req.Params.Meta), State: req.Params.RequestState, Answers: adapter.RawAnswers(req.Params.InputResponses),
	}
	if client.Modern {
		client.Capabilities = capabilities(req.ClientCapabilities())
		return client
	}
	// An older client declares its capabilities only in initialize.
	if params := req.Session.InitializeParams(); params != nil {
		client.Capabilities = capabilities(params.Capabilities)
	}
	if isOverHTTP(req) && (req.Session.ID() == "" || req.Extra.Header.Get("Accept") == acceptsOnlyJSON) {
		return client // a stateless transport cannot send requests (mcp/streamable.go:1523), nor can a JSON answer
	}
	client.Send = c.sendTo(req.Session)
	client.Session = sessionKey(req.Session)
	return client
}

func isOverHTTP(req *mcp.CallToolRequest) bool { return req.Extra != nil && len(req.Extra.Header) > 0 }

// sessionKey tells sessions apart, even those without an id.
func sessionKey(session *mcp.ServerSession) string {
	if id := session.ID(); id != "" {
		return id
	}
	return fmt.Sprintf("%p", session)
}

func capabilities(c *mcp.ClientCapabilities) adapter.Capabilities {
	var known adapter.Capabilities
	if c == nil {
		return known
	}
	if c.Elicitation != nil {
		known.Elicitation = &adapter.ElicitationCapability{}
		if c.Elicitation.Form != nil {
			known.Elicitation.Form = &struct{}{}
		}
		if c.Elicitation.URL != nil {
			known.Elicitation.URL = &struct{}{}
		}
	}
	if c.Sampling != nil { //nolint:staticcheck // clients of older versions have it
		known.Sampling = &struct{}{}
	}
	if c.RootsV2 != nil { //nolint:staticcheck // clients of older versions have it
		known.Roots = &struct{}{}
	}
	return known
}

// notAnAnswer accepts without content, which approves nothing.
var notAnAnswer = json.RawMessage(`{"action":"accept"}`)

// ask sends a request to the client within the call. It does not use the SDK's
// Elicit, which turns an answer that does not fit the form into an error
// (mcp/server.go:1784) and refuses clients that requested 2026-07-28 in
// initialize.
func (c *call) ask(ctx context.Context, session *mcp.ServerSession, method string, params mcp.Params) (json.RawMessage, error) {
	result, err := sender(c.binding.server)(ctx, method, &mcp.ServerRequest[mcp.Params]{Session: session, Params: params})
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && method == methodElicit {
		return notAnAnswer, nil // an answer, but malformed
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// newParams has the parameters of the requests that a handler may send.
var newParams = map[string]func() mcp.Params{
	methodElicit:    func() mcp.Params { return &mcp.ElicitParams{} },
	methodSample:    func() mcp.Params { return &mcp.CreateMessageWithToolsParams{} }, //nolint:staticcheck // see capabilities
	methodListRoots: func() mcp.Params { return &mcp.ListRootsParams{} },              //nolint:staticcheck // see capabilities
}

// sendTo returns a function that sends a handler's requests to an older client.
func (c *call) sendTo(session *mcp.ServerSession) func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return func(ctx context.Context, method string, raw json.RawMessage) (json.RawMessage, error) {
		empty := newParams[method]
		if empty == nil {
			return nil, errRequests
		}
		params := empty()
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, params); err != nil {
				return nil, errRequests
			}
		}
		return c.ask(ctx, session, method, params)
	}
}

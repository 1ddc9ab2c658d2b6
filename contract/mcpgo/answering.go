package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/adapter"
)

// An answering session accepts the confirmation of a handler whose call a
// person approved. A handler finds the abilities of its session by the
// interfaces that it implements, so there is one type for each kind of session
// of mcp-go that can ask.
type answering interface {
	server.ClientSession
	asking() server.ClientSession // the session itself
}

type (
	askingSession interface {
		server.SessionWithLogging
		server.SessionWithClientInfo
		server.SessionWithProtocolVersion
		server.SessionWithSampling
		server.SessionWithElicitation
		server.SessionWithRoots
	}
	httpSession interface {
		askingSession
		server.SessionWithTools
		server.SessionWithResources
		server.SessionWithResourceTemplates
		server.SessionWithStreamableHTTPConfig
		server.SessionWithSubscriptionFilter
	}

	answeringSession   struct{ askingSession }
	answeringHTTP      struct{ httpSession }
	answeringInProcess struct{ *server.InProcessSession }
)

func (s answeringSession) asking() server.ClientSession   { return s.askingSession }
func (s answeringHTTP) asking() server.ClientSession      { return s.httpSession }
func (s answeringInProcess) asking() server.ClientSession { return s.InProcessSession }

// RequestElicitation implements [server.SessionWithElicitation].
func (s answeringSession) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return accept(ctx, s.askingSession, r)
}

// RequestElicitation implements [server.SessionWithElicitation].
func (s answeringHTTP) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return accept(ctx, s.httpSession, r)
}

// RequestElicitation implements [server.SessionWithElicitation].
func (s answeringInProcess) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return accept(ctx, s.InProcessSession, r)
}

func accept(ctx context.Context, session server.SessionWithElicitation, r mcp.ElicitationRequest) (
	*mcp.ElicitationResult, error,
) {
	if !adapter.IsConfirmation(r.Params) {
		return session.RequestElicitation(ctx, r)
	}
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{},
	}}, nil
}

// withAnswers gives an approved handler an answering session. A session of
// another kind stays as it is, so that its client is asked.
func withAnswers(ctx context.Context) context.Context {
	var session answering
	switch s := server.ClientSessionFromContext(ctx).(type) {
	case *server.InProcessSession:
		session = answeringInProcess{s}
	case httpSession:
		session = answeringHTTP{s}
	case askingSession:
		session = answeringSession{s}
	}
	if session == nil {
		return ctx
	}
	return withSession(ctx, session)
}

// withoutAnswers returns the context of a call that a handler makes with its
// own context, which no person has approved yet.
func withoutAnswers(ctx context.Context) context.Context {
	if s, ok := server.ClientSessionFromContext(ctx).(answering); ok {
		return withSession(ctx, s.asking())
	}
	return ctx
}

func withSession(ctx context.Context, session server.ClientSession) context.Context {
	return new(server.MCPServer).WithContext(ctx, session) // any server does
}

package session

import (
	"context"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
)

// An answerer is a session that accepts, in place of the client, the
// confirmation that a handler asks for although a person has approved its call
// already. A handler finds out what its session can do by the interfaces that
// the session implements, so there is one type for each kind of mcp-go session
// that can ask.
type answerer interface {
	server.ClientSession
	unwrap() server.ClientSession
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

	answeringSession struct {
		askingSession
		call *approvedCall
	}
	answeringHTTP struct {
		httpSession
		call *approvedCall
	}
	answeringInProcess struct {
		*server.InProcessSession
		call *approvedCall
	}
)

// An approvedCall is one run of a handler. Once it is over, a session that the
// handler kept, or a goroutine that it left behind, gets no more answers.
type approvedCall struct {
	agreement *adapter.Agreement
	isOver    atomic.Bool
}

func (s answeringSession) unwrap() server.ClientSession   { return s.askingSession }
func (s answeringHTTP) unwrap() server.ClientSession      { return s.httpSession }
func (s answeringInProcess) unwrap() server.ClientSession { return s.InProcessSession }

// RequestElicitation implements [server.SessionWithElicitation].
func (s answeringSession) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return s.call.accept(ctx, s.askingSession, r)
}

// RequestElicitation implements [server.SessionWithElicitation].
func (s answeringHTTP) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return s.call.accept(ctx, s.httpSession, r)
}

// RequestElicitation implements [server.SessionWithElicitation].
func (s answeringInProcess) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return s.call.accept(ctx, s.InProcessSession, r)
}

func (c *approvedCall) accept(ctx context.Context, session server.SessionWithElicitation, r mcp.ElicitationRequest) (
	*mcp.ElicitationResult, error,
) {
	content, ok := c.agreement.Content(r.Params)
	if c.isOver.Load() || !ok {
		return session.RequestElicitation(ctx, r)
	}
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: content,
	}}, nil
}

// WithAnswers gives an approved handler an answering session until end is
// called. A session of a kind that this package does not know stays as it is,
// and its client is asked.
func WithAnswers(ctx context.Context, agreement *adapter.Agreement) (_ context.Context, end func()) {
	var session answerer
	call := &approvedCall{agreement: agreement}
	switch s := server.ClientSessionFromContext(ctx).(type) {
	case *server.InProcessSession:
		session = answeringInProcess{s, call}
	case httpSession:
		session = answeringHTTP{s, call}
	case askingSession:
		session = answeringSession{s, call}
	}
	if session != nil {
		ctx = withSession(ctx, session)
	}
	return ctx, func() { call.isOver.Store(true) }
}

// WithoutAnswers returns the context for a call that a handler makes with its
// own context: no person has approved that call yet.
func WithoutAnswers(ctx context.Context) context.Context {
	if s, ok := server.ClientSessionFromContext(ctx).(answerer); ok {
		return withSession(ctx, s.unwrap())
	}
	return ctx
}

func withSession(ctx context.Context, session server.ClientSession) context.Context {
	return new(server.MCPServer).WithContext(ctx, session) // any server does
}

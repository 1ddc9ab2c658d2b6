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
// already, or that stops the time of a call while its client is asked. A handler
// finds out what its session can do by the interfaces that
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
		call *handlerRun
	}
	answeringHTTP struct {
		httpSession
		call *handlerRun
	}
	answeringInProcess struct {
		*server.InProcessSession
		call *handlerRun
	}
)

// A handlerRun is one run of a handler. Once it is over, a session that the
// handler kept, or a goroutine that it left behind, gets no more answers.
type handlerRun struct {
	agreement *adapter.Agreement     // nil: no person has approved the call
	pause     func() (resume func()) // nil: the time goes on
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

// RequestSampling implements [server.SessionWithSampling].
func (s answeringSession) RequestSampling(ctx context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	defer s.call.waits()()
	return s.askingSession.RequestSampling(ctx, r)
}

// RequestSampling implements [server.SessionWithSampling].
func (s answeringHTTP) RequestSampling(ctx context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	defer s.call.waits()()
	return s.httpSession.RequestSampling(ctx, r)
}

// RequestSampling implements [server.SessionWithSampling].
func (s answeringInProcess) RequestSampling(ctx context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	defer s.call.waits()()
	return s.InProcessSession.RequestSampling(ctx, r)
}

// waits stops the time of the call while its client is asked.
func (c *handlerRun) waits() (resume func()) {
	if c.pause == nil {
		return func() {}
	}
	return c.pause()
}

func (c *handlerRun) accept(ctx context.Context, session server.SessionWithElicitation, r mcp.ElicitationRequest) (
	*mcp.ElicitationResult, error,
) {
	content, ok := c.agreement.Content(r.Params)
	if c.isOver.Load() || !ok {
		defer c.waits()()
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
	run := &handlerRun{agreement: agreement}
	return withRun(ctx, run), func() { run.isOver.Store(true) }
}

// WithPause calls pause while the client is asked, and then what it returned.
func WithPause(ctx context.Context, pause func() (resume func())) context.Context {
	return withRun(ctx, &handlerRun{pause: pause})
}

func withRun(ctx context.Context, run *handlerRun) context.Context {
	switch s := server.ClientSessionFromContext(ctx).(type) {
	case *server.InProcessSession:
		return withSession(ctx, answeringInProcess{s, run})
	case httpSession:
		return withSession(ctx, answeringHTTP{s, run})
	case askingSession:
		return withSession(ctx, answeringSession{s, run})
	}
	return ctx
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

package mcpgo

import (
	"context"
	"errors"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/mcpgo/internal/endpoint"
	"github.com/toolcontract/toolcontract/mcpgo/internal/session"
)

// hook adds the hooks of this package to those of the server, or to a copy of
// them.
func (b *binding) hook(copied bool) {
	b.server.AddNotificationHandler(queryMethod, b.answerQuery)
	hooks := b.server.GetHooks()
	if hooks == nil || copied {
		hooks = copyOf(hooks)
		server.WithHooks(hooks)(b.server)
	}
	hooks.AddBeforeAny(b.begin)
	hooks.AddBeforeListTools(b.openCursor)
	if b.wrapper != nil {
		hooks.AddBeforeListTools(b.adoptListed)
		hooks.AddBeforeCallTool(b.adoptCalled)
	}
	hooks.AddAfterListTools(b.trim)
	hooks.AddOnError(b.auditRefusal)
	// This hook comes first, because those of the server author may call
	// RegisterSession.
	hooks.OnRegisterSession = append([]server.OnRegisterSessionHookFunc{b.sessionBegan}, hooks.OnRegisterSession...)
	hooks.AddOnUnregisterSession(b.sessionEnded)
	hooks.AddAfterInitialize(b.sessionInitialized)
	hooks.AddBeforeSetLevel(trackLogLevel)
}

// copyOf returns hooks to which more can be added without a change to those of
// another server. Nil has none.
func copyOf(hooks *server.Hooks) *server.Hooks {
	if hooks == nil {
		return &server.Hooks{}
	}
	own := *hooks
	for _, list := range reflect.ValueOf(&own).Elem().Fields() {
		list.SetCap(list.Len())
	}
	return &own
}

// trackLogLevel makes the endpoint of a request track its session, because
// mcp-go keeps the log level of any session id that a client chooses, even one
// that mcp-go did not make.
func trackLogLevel(ctx context.Context, _ any, _ *mcp.SetLevelRequest) {
	endpoint.Track(ctx, session.ID(ctx))
}

// auditRefusal runs on each error of mcp-go. It audits calls that never reach a
// handler: of an unknown or hidden name, or with parameters that cannot be
// parsed. For such parameters it records only that they could not be parsed.
func (b *binding) auditRefusal(ctx context.Context, _ any, method mcp.MCPMethod, message any, err error) {
	req, ok := message.(*mcp.CallToolRequest)
	if method != mcp.MethodToolsCall || !ok || !b.owns(ctx) {
		return
	}
	_, unparsable := errors.AsType[*server.UnparsableMessageError](err)
	switch {
	case unparsable:
		b.table().Unparsable(b.withCaller(ctx, nil))
	case errors.Is(err, server.ErrToolNotFound):
		b.table().Unknown(b.withCaller(ctx, req.Header), req.Params.Name)
	}
}

package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/mcpgo/internal/endpoint"
	"github.com/toolcontract/toolcontract/mcpgo/internal/session"
)

// hook adds the hooks of this package to those of the server.
func (b *binding) hook() {
	b.server.AddNotificationHandler(queryMethod, b.answerQuery)
	hooks := b.server.GetHooks()
	if hooks == nil {
		hooks = &server.Hooks{}
		server.WithHooks(hooks)(b.server)
	}
	hooks.AddBeforeListTools(b.openCursor)
	hooks.AddBeforeListTools(b.adoptListed)
	hooks.AddBeforeCallTool(b.adoptCalled)
	hooks.AddAfterListTools(b.trim)
	hooks.AddOnError(b.auditRefusal)
	// This hook comes first, because those of the server author may call
	// RegisterSession.
	hooks.OnRegisterSession = append([]server.OnRegisterSessionHookFunc{b.sessionBegan}, hooks.OnRegisterSession...)
	hooks.AddOnUnregisterSession(b.sessionEnded)
	hooks.AddAfterInitialize(b.sessionInitialized)
	hooks.AddBeforeSetLevel(trackLogLevel)
}

// trackLogLevel makes the endpoint of a request track its session, because
// mcp-go keeps the log level of any session id that a client chooses, even one
// that mcp-go did not make.
func trackLogLevel(ctx context.Context, _ any, _ *mcp.SetLevelRequest) {
	endpoint.Track(ctx, session.ID(ctx))
}

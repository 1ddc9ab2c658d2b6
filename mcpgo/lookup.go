package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/mcpgo/internal/session"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// entryBehind returns the entry that a handler serves, no matter for which
// server it was made. It is nil for a handler of somebody else.
func entryBehind(handler server.ToolHandlerFunc) *entry {
	e, _ := unexported.CallerOf(handler).(*entry)
	return e
}

// isOurs reports whether a tool found under the name of e is the one that was
// registered for e: it has both the definition and the handler of e. One of
// them is not enough, because a program can combine the definition of one
// contract with the handler of another.
func isOurs(e *entry, found *mcp.Tool, handler server.ToolHandlerFunc) bool {
	return e.owner.current.Load().entryWith(found) == e && found.Name == e.tool.Name && found.Execution == nil &&
		entryBehind(handler) == e
}

// entryOf returns the entry whose definition a tool has that mcp-go found: an
// entry of the server, or of the session of ctx. It returns nil for a tool of
// somebody else, and for one that the server no longer has.
func (b *binding) entryOf(ctx context.Context, found *mcp.Tool, handlers handlerFinder) *entry {
	if e := b.table().entryWith(found); e != nil {
		return e
	}
	if len(handlers.session) == 0 {
		return nil
	}
	e := entryBehind(handlers.find(found.Name))
	if e == nil || e.owner.parent != b || e.owner.sessionID != session.ID(ctx) {
		return nil
	}
	return e.owner.table().entryWith(found)
}

// A handlerFinder finds the handler of a name as mcp-go does for one caller:
// among the tools of the session, then of the server.
type handlerFinder struct {
	server  *server.MCPServer
	session map[string]server.ServerTool
}

// handlers returns the finder for the caller of ctx.
func (b *binding) handlers(ctx context.Context) handlerFinder {
	f := handlerFinder{server: b.server}
	if with, ok := server.ClientSessionFromContext(ctx).(server.SessionWithTools); ok {
		f.session = with.GetSessionTools()
	}
	return f
}

// find returns the handler of a name, or nil for a task tool and for a name
// without a tool. It is not cheap, because mcp-go copies the tool.
func (f handlerFinder) find(name string) server.ToolHandlerFunc {
	if t, ok := f.session[name]; ok {
		return t.Handler
	}
	if t := f.server.GetTool(name); t != nil {
		return t.Handler
	}
	return nil
}

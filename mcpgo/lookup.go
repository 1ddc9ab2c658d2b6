package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/mcpgo/internal/session"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// entryBehind returns the entry that a handler serves, whatever server it was
// made for. It is nil for a handler that is not of this package.
func entryBehind(handler server.ToolHandlerFunc) *entry {
	e, _ := unexported.CallerOf(handler).(*entry)
	return e
}

// isOurs reports whether a tool found under the name of e is the registered
// one: it has the definition and the handler of e. Neither is enough alone,
// because a program can put the definition of one contract and the handler of
// another together.
func isOurs(e *entry, found *mcp.Tool, handler server.ToolHandlerFunc) bool {
	return e.owner.now().entryWith(found) == e && found.Name == e.tool.Name && found.Execution == nil && entryBehind(handler) == e
}

// entryOf returns the entry of a tool that mcp-go found, by the tool's
// definition: an entry of the server, or of the session that calls. It returns
// nil for a tool that is not from this package, and for one that the server no
// longer has.
func (b *binding) entryOf(ctx context.Context, found *mcp.Tool, handlers handlerFinder) *entry {
	if e := b.now().entryWith(found); e != nil {
		return e
	}
	if len(handlers.session) == 0 {
		return nil
	}
	of := entryBehind(handlers.of(found.Name))
	if of == nil || of.owner.parent != b || of.owner.sessionID != session.ID(ctx) {
		return nil
	}
	return of.owner.now().entryWith(found)
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

// of returns the handler of a name. It is nil for a task tool and for a name
// without a tool. It is not cheap, because mcp-go returns a copy of the tool.
func (f handlerFinder) of(name string) server.ToolHandlerFunc {
	if t, ok := f.session[name]; ok {
		return t.Handler
	}
	if t := f.server.GetTool(name); t != nil {
		return t.Handler
	}
	return nil
}

package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// admit is our first tool filter: of all that is registered it keeps what is
// ours and, where the world is open, what is registered under no contract's
// name. mcp-go filters lists and calls alike; a call is a list of the one tool
// that was found.
//
// An alias is never listed, and gone when its tool is. On a call, the filters after this one see the tool
// that it stands for, so that a filter cannot be passed by an old name.
func (b *binding) admit(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	if l := listingFrom(ctx); l != nil {
		l.binding, l.found = b, tools
		return nil
	}
	handlerOf := b.handlers(ctx)
	kept := make([]mcp.Tool, 0, len(tools))
	for _, t := range tools {
		handler := handlerOf(t.Name)
		e := b.entryOf(ctx, t, handler)
		switch {
		case e == nil:
			if b.isPlain(ctx, t, handler) {
				kept = append(kept, t)
			}
		case !isOurs(e, t, handler):
		case e.standIn == nil:
			kept = append(kept, t)
		case len(tools) == 1 && e.owner.serves(handlerOf(e.standIn.Name)):
			kept = append(kept, *e.standIn)
		}
	}
	return kept
}

// confine is our last tool filter: it drops what filters of the author's added,
// and gives an alias its name back, which is the one mcp-go looks for and names
// in its answer where the tool was hidden.
func (b *binding) confine(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	handlerOf := b.handlers(ctx)
	kept := make([]mcp.Tool, 0, len(tools))
	for _, t := range tools {
		handler := handlerOf(t.Name)
		if e := b.entryOf(ctx, t, handler); e != nil {
			t.Name = e.tool.Name
			kept = append(kept, t)
		} else if b.isPlain(ctx, t, handler) {
			kept = append(kept, t)
		}
	}
	return kept
}

// isOurs reports whether a tool found under e's name is what was registered: it
// has the very Meta, and the handler is one of ours. A copied Meta alone is not
// enough, nor is a handler of ours with another definition.
func isOurs(e *entry, found mcp.Tool, handler server.ToolHandlerFunc) bool {
	return found.Meta == e.tool.Meta && found.Name == e.tool.Name && found.Execution == nil && entryBehind(handler) != nil
}

// serves reports whether a handler is one of this binding's.
func (b *binding) serves(handler server.ToolHandlerFunc) bool {
	behind := entryBehind(handler)
	return behind != nil && behind.owner == b
}

// isPlain reports whether a tool that is none of ours is left as it is: in an
// open world, under a name that is no contract's.
func (b *binding) isPlain(ctx context.Context, found mcp.Tool, handler server.ToolHandlerFunc) bool {
	return !b.closed && !b.claims(ctx, found.Name) && entryBehind(handler) == nil
}

// handlers returns how mcp-go finds the handler of a name for the caller of ctx:
// among the session's tools, then among the server's. Task tools have none.
func (b *binding) handlers(ctx context.Context) func(name string) server.ToolHandlerFunc {
	var session map[string]server.ServerTool
	if with, ok := server.ClientSessionFromContext(ctx).(server.SessionWithTools); ok {
		session = with.GetSessionTools()
	}
	return func(name string) server.ToolHandlerFunc {
		if t, ok := session[name]; ok {
			return t.Handler
		}
		if t := b.server.GetTool(name); t != nil {
			return t.Handler
		}
		return nil
	}
}

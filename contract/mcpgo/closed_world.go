package mcpgo

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// admit is the first tool filter of this package. It keeps the tools with a
// contract and, in an open world, tools under names that belong to no contract.
// mcp-go filters lists and calls alike; a call is a list of the one tool that
// was found.
//
// Most lists stay as they are, and are not copied.
//
// Aliases are never listed, and stop working when their tool is hidden or
// removed. On a call, the filters after this one see the tool that an alias
// stands for, so that an old name does not get around a filter.
func (b *binding) admit(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	if l := listingFrom(ctx); l != nil {
		l.binding, l.found = b, tools
		return nil
	}
	handlerOf := b.handlers(ctx)
	if !slices.ContainsFunc(tools, func(t mcp.Tool) bool {
		e := b.now().byMeta[t.Meta]
		return e == nil || e.standIn != nil || !isOurs(e, t, handlerOf(t.Name))
	}) {
		return tools
	}
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
		case len(tools) == 1 && entryBehind(handlerOf(e.standIn.Name)) == e.owner.now().entries[e.standIn.Name]:
			kept = append(kept, *e.standIn)
		}
	}
	return kept
}

// confine is the last tool filter of this package. It drops what filters of the
// server author added. It also gives an alias its name back, because mcp-go
// looks for that name, and names it in the answer if the tool was hidden.
func (b *binding) confine(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	if !slices.ContainsFunc(tools, b.changes) {
		return tools
	}
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

// changes reports whether confine may drop or rename a tool.
func (b *binding) changes(t mcp.Tool) bool {
	e := b.now().byMeta[t.Meta]
	return e == nil || e.tool.Name != t.Name
}

// isOurs reports whether a tool found under the name of e is the registered
// one: it has the same Meta, by pointer, and the handler of e. Neither is
// enough alone, because a program can put the definition of one contract and
// the handler of another together.
func isOurs(e *entry, found mcp.Tool, handler server.ToolHandlerFunc) bool {
	return found.Meta == e.tool.Meta && found.Name == e.tool.Name && found.Execution == nil && entryBehind(handler) == e
}

// isPlain reports whether a tool without a contract stays as it is: in an open
// world, under a name that belongs to no contract, if no rule wraps it.
func (b *binding) isPlain(ctx context.Context, found mcp.Tool, handler server.ToolHandlerFunc) bool {
	return !b.closed && b.wrapper.leaves(found.Name) && !b.claims(ctx, found.Name) && entryBehind(handler) == nil
}

// handlers returns a function that finds the handler of a name as mcp-go does
// for the caller of ctx: among the tools of the session, then of the server.
// Task tools have no handler.
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

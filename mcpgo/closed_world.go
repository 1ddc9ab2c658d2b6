package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

// admit is the first tool filter of this package. It keeps tools with a
// contract and, in an open world, tools under names that belong to no contract.
// mcp-go filters lists and calls alike: for a call, the list has only the tool
// that is called.
//
// Aliases are never listed, and stop working when their tool is hidden or
// removed. In a call, the filters after this one see the tool that an alias
// stands for, so that nobody gets around a filter with an old name.
func (b *binding) admit(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	if l := listingFrom(ctx); l != nil {
		l.binding, l.tools = b, tools
		return nil
	}
	handlers := b.handlers(ctx)
	return keep(tools, func(t *mcp.Tool) *mcp.Tool {
		e := b.entryOf(ctx, t, handlers)
		switch {
		case e == nil:
			if b.isPlain(ctx, t, handlers) {
				return t
			}
		case !isOurs(e, t, handlers.find(t.Name)):
		case e.standIn == nil:
			return t
		case len(tools) == 1 && entryBehind(handlers.find(e.standIn.Name)) == e.owner.table().entries[e.standIn.Name]:
			return e.standIn
		}
		return nil
	})
}

// keep applies a filter to each tool. The filter returns the tool, another one
// in its place, or nil to drop it. The list is copied only if something
// changes, because a list can be long and mostly stays as it is.
func keep(found []mcp.Tool, filter func(t *mcp.Tool) *mcp.Tool) []mcp.Tool {
	for i := range found {
		t := filter(&found[i])
		if t == &found[i] {
			continue
		}
		kept := append(make([]mcp.Tool, 0, len(found)), found[:i]...)
		for i++; ; i++ {
			if t != nil {
				kept = append(kept, *t)
			}
			if i == len(found) {
				return kept
			}
			t = filter(&found[i])
		}
	}
	return found
}

// confine is the last tool filter of this package. It drops what filters of the
// server author have added. It also gives an alias its own name back, because
// mcp-go looks for that name, and mentions it in the answer if the tool was
// hidden.
func (b *binding) confine(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	handlers := b.handlers(ctx)
	return keep(tools, func(t *mcp.Tool) *mcp.Tool {
		e := b.entryOf(ctx, t, handlers)
		switch {
		case e != nil && t.Name != e.tool.Name:
			renamed := *t
			renamed.Name = e.tool.Name
			return &renamed
		case e != nil || b.isPlain(ctx, t, handlers):
			return t
		}
		return nil
	})
}

// isPlain reports whether a tool without a contract stays as it is: in an open
// world, under a name that belongs to no contract, if no rule wraps it.
func (b *binding) isPlain(ctx context.Context, found *mcp.Tool, handlers handlerFinder) bool {
	return !b.closed && b.wrapper.leaves(found.Name) && !b.reserves(ctx, found.Name) && entryBehind(handlers.find(found.Name)) == nil
}

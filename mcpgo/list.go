package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
)

// noCursor is a cursor that mcp-go cannot read and answers with -32602.
const noCursor = "!"

// openCursor runs before tools/list. It gives mcp-go its own cursor back.
func (b *binding) openCursor(ctx context.Context, _ any, req *mcp.ListToolsRequest) {
	if b.owns(ctx) && req.Params.Cursor != "" {
		cursor, ok := b.table().OpenCursor(string(req.Params.Cursor))
		if !ok {
			cursor = noCursor
		}
		req.Params.Cursor = mcp.Cursor(cursor)
	}
}

// trim runs after tools/list, and after the hooks of the server author. It
// keeps the tools that the caller may see.
func (b *binding) trim(ctx context.Context, _ any, req *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
	if !b.owns(ctx) {
		return
	}
	ctx = b.withCaller(ctx, req.Header)
	t := b.table()
	lists := map[*binding]func(*adapter.Entry) bool{b: t.Lists(ctx)}
	handlers := b.handlers(ctx)
	varies := t.Varies()
	if result.Tools == nil {
		result.Tools = []mcp.Tool{} // a list is never null
	}
	result.Tools = keep(result.Tools, func(found *mcp.Tool) *mcp.Tool {
		e := b.entryOf(ctx, found, handlers)
		if e == nil {
			if b.isPlain(ctx, found, handlers) {
				return found
			}
			return nil
		}
		if lists[e.owner] == nil {
			lists[e.owner] = e.owner.table().Lists(ctx)
			varies = true
		}
		if e.tool.Name != found.Name || !lists[e.owner](e.Entry) {
			return nil
		}
		return found
	})
	if result.NextCursor != "" {
		result.NextCursor = mcp.Cursor(t.SealCursor(string(result.NextCursor)))
	}
	if varies && server.IsModernRequest(ctx) {
		// This overrides the server's cache hints, because a shared cache would
		// show one caller the list of another.
		ttl, _ := result.TTL()
		result.SetCacheHints(ttl, mcp.CacheScopePrivate)
	}
}

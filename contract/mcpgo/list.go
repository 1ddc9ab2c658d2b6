package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// openCursor runs before tools/list: it gives mcp-go its own cursor back.
func (s *seam) openCursor(ctx context.Context, _ any, req *mcp.ListToolsRequest) {
	if q, ok := ctx.Value(inquiryKey{}).(*inquiry); ok {
		q.owner = s
		return
	}
	if s.owns(ctx) && req.Params.Cursor != "" {
		req.Params.Cursor = s.cursors.open(req.Params.Cursor)
	}
}

// trim runs after tools/list, and after the author's hooks: it leaves what the
// caller may know of.
func (s *seam) trim(ctx context.Context, _ any, req *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
	if !s.owns(ctx) {
		return
	}
	ctx = s.requested(ctx, req.Header)
	visible := map[*seam]map[string]bool{s: s.set.Visible(ctx)}
	handlerOf := s.handlers(ctx)
	varies := s.varies
	kept := make([]mcp.Tool, 0, len(result.Tools)) // a list is never null
	for _, t := range result.Tools {
		handler := handlerOf(t.Name)
		e := s.entryOf(ctx, t, handler)
		if e == nil {
			if s.isPlain(ctx, t, handler) {
				kept = append(kept, t)
			}
			continue
		}
		if visible[e.owner] == nil {
			visible[e.owner], varies = e.owner.set.Visible(ctx), true
		}
		if !visible[e.owner][e.listed] || e.tool.Name != t.Name {
			continue
		}
		if s.tier == Hints && len(t.Meta.AdditionalFields) == 0 {
			t.Meta = nil // it only marked the tool as ours
		}
		kept = append(kept, t)
	}
	result.Tools = kept
	if result.NextCursor != "" {
		result.NextCursor = s.cursors.seal(result.NextCursor)
	}
	if varies && server.IsModernRequest(ctx) {
		// Whatever the server's cache hints say: a shared cache would show one
		// caller the list of another.
		ttl, _ := result.TTL()
		result.SetCacheHints(ttl, mcp.CacheScopePrivate)
	}
}

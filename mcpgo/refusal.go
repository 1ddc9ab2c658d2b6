package mcpgo

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

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

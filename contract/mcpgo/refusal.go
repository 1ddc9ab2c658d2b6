package mcpgo

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// auditRefusal runs on each error of mcp-go's. It audits the calls that never
// became one: of a name that is unknown or hidden, or with parameters that
// cannot be parsed, of which nothing is kept but the fact.
func (b *binding) auditRefusal(ctx context.Context, _ any, method mcp.MCPMethod, message any, err error) {
	req, ok := message.(*mcp.CallToolRequest)
	if method != mcp.MethodToolsCall || !ok || !b.owns(ctx) {
		return
	}
	_, unparsable := errors.AsType[*server.UnparsableMessageError](err)
	switch {
	case unparsable:
		b.set.Refused(withHeader(ctx, nil), guard.Refusal{Code: guard.CodeUnparsable})
	case errors.Is(err, server.ErrToolNotFound):
		b.set.Refused(withHeader(ctx, req.Header), guard.Refusal{Tool: req.Params.Name, Code: guard.CodeUnknownTool})
	}
}

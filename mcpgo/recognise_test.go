package mcpgo

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
)

func TestEntryBehind_KnowsExactlyTheHandlersOfThisPackage(t *testing.T) {
	t.Parallel()
	one, two := &entry{}, &entry{}
	assert.Same(t, one, entryBehind(one.handle))
	assert.Same(t, two, entryBehind(two.handle))
	assert.Nil(t, entryBehind(nil))

	ran := false
	foreign := func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ran = true
		return one.handle(ctx, req)
	}
	assert.Nil(t, entryBehind(foreign), "a handler around one of this package is foreign")
	assert.False(t, ran, "a foreign handler is never called")

	s := server.NewMCPServer("s", "1.0.0")
	s.AddTool(mcp.NewTool("one"), one.handle)
	assert.Same(t, one, entryBehind(s.GetTool("one").Handler), "mcp-go stores the handler unchanged")
}

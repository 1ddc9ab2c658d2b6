package mcpgo

import (
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo/internal/native"
)

// A wrapper wraps tools by rules. It is safe for concurrent use.
type wrapper struct {
	*adapter.Wrapper
	contracts sync.Map // of the name of a wrapped tool to its *contract.Tool
}

// has reports whether this wrapper made a contract of the server.
func (w *wrapper) has(t *contract.Tool) bool {
	own, ok := w.contracts.Load(t.Name())
	return ok && own == t
}

// wrap wraps one tool by its rule, and by its hints where the rules declare
// nothing.
func (w *wrapper) wrap(tool mcp.Tool, handler server.ToolHandlerFunc) wrap.Tool {
	d, _ := native.Definition(tool) // Wrap reports the mistakes
	return w.Wrap(d, func(opts []wrap.Option) *wrap.Builder { return Wrap(tool, handler, opts...) })
}

// leaves reports whether a tool without a contract stays as it is.
func (w *wrapper) leaves(name string) bool { return w == nil || w.Leaves(name) }

package mcpgo

import (
	"context"
	"reflect"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// This file recognises the handlers of this package. It is the only one that
// compares code pointers, because mcp-go lacks any other way:
//
//   - A ServerTool has only a definition and a plain function. Anybody can get
//     both from GetTool, and register either of them with another half. A
//     definition has pointers that show where it comes from; see
//     [world.entryWith]. A function has nothing, and Go cannot compare two.
//   - To call a foreign handler, to find out whose it is, would run its tool.
//   - Filters and hooks see the definition and not the handler.
//   - Middleware could answer for the handler. It would have to be the
//     innermost, because it must not pass the call on. But middleware that the
//     server author adds later with Use is always further in, so mcp-go would
//     skip it.
//
// All values of one method share the code of one wrapper, which the compiler
// makes once and inlines nowhere. Only a function with that code is called,
// with an ownerQuery, and names its entry.

// handleCode is the code of the wrapper of this package's handlers.
var handleCode = codeOf((*entry)(nil).handle)

func codeOf(handler server.ToolHandlerFunc) uintptr { return reflect.ValueOf(handler).Pointer() }

// An ownerQuery is the context that makes a handler of this package do nothing
// but fill it in.
type ownerQuery struct {
	context.Context

	entry *entry
}

// queries spare an allocation for each tool of a list.
var queries = sync.Pool{New: func() any { return &ownerQuery{Context: context.Background()} }}

// entryBehind returns the entry that a handler serves, whatever server it was
// made for. It is nil for a handler that is not of this package.
func entryBehind(handler server.ToolHandlerFunc) *entry {
	if handler == nil || codeOf(handler) != handleCode {
		return nil
	}
	q, _ := queries.Get().(*ownerQuery)
	defer queries.Put(q)
	_, _ = handler(q, mcp.CallToolRequest{})
	return q.entry
}

// isOurs reports whether a tool found under the name of e is the registered
// one: it has the definition and the handler of e. Neither is enough alone,
// because a program can put the definition of one contract and the handler of
// another together.
func isOurs(e *entry, found *mcp.Tool, handler server.ToolHandlerFunc) bool {
	return e.owner.now().entryWith(found) == e && found.Name == e.tool.Name && found.Execution == nil && entryBehind(handler) == e
}

package mcpgo

import (
	"context"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// This file recognises the tools, handlers and hooks of this package.
//
// A tool has the mark of its entry in a field of its typed input schema.
// mcp-go ignores that schema and does not write it, because the tool also has a
// raw schema. A copy of the tool keeps the mark.
//
// mcp-go stores a handler as a plain function and returns it to any caller,
// which can register it again under another name or with another definition. Go
// cannot compare functions, and to identify a foreign handler by calling it
// would run the tool. So this file compares code pointers: all values of one
// method share the code of one wrapper, which the compiler makes once and
// inlines nowhere. Only a function with that code is then called, with an
// ownerQuery, and names its entry or binding.

// An ownerQuery is the context that makes a handler or a hook of this package
// do nothing but fill it in. It can be used again and again. It is not safe for
// concurrent use.
type ownerQuery struct {
	context.Context

	entry   *entry
	binding *binding
}

// A mark names the entry of a tool. No other package can make one.
type mark struct{ entry *entry }

// mark marks the tool of e.
func (e *entry) mark() { e.tool.InputSchema.AdditionalProperties = mark{e} }

// markedEntry returns the entry whose mark a tool has, of any server. It
// returns nil if the _meta of the tool is not that of the entry, because a hook
// could have written a forged contract into it.
func markedEntry(found *mcp.Tool) *entry {
	m, _ := found.InputSchema.AdditionalProperties.(mark)
	if m.entry == nil || found.Meta != m.entry.tool.Meta {
		return nil
	}
	return m.entry
}

func newOwnerQuery() *ownerQuery { return &ownerQuery{Context: context.Background()} }

func ownerQueryFrom(ctx context.Context) *ownerQuery {
	q, _ := ctx.(*ownerQuery)
	return q
}

// entryBehind returns the entry that a handler serves, whatever server it was
// made for. It is nil for a handler that is not of this package.
func (q *ownerQuery) entryBehind(handler server.ToolHandlerFunc) *entry {
	if handler == nil || codeOf(handler) != handleCode {
		return nil
	}
	q.entry = nil
	_, _ = handler(q, mcp.CallToolRequest{})
	return q.entry
}

// isEntry reports whether a tool found under the name of e is the registered
// one: it has the mark and the handler of e. Neither is enough alone, because a
// program can put the definition of one contract and the handler of another
// together.
func (q *ownerQuery) isEntry(e *entry, found *mcp.Tool, handler server.ToolHandlerFunc) bool {
	return markedEntry(found) == e && found.Name == e.tool.Name && found.Execution == nil && q.entryBehind(handler) == e
}

// isOurs reports whether one tool is the registered one; see
// [ownerQuery.isEntry].
func isOurs(e *entry, found mcp.Tool, handler server.ToolHandlerFunc) bool {
	return newOwnerQuery().isEntry(e, &found, handler)
}

// entryBehind returns the entry that one handler serves; see
// [ownerQuery.entryBehind].
func entryBehind(handler server.ToolHandlerFunc) *entry { return newOwnerQuery().entryBehind(handler) }

// bindingBehind returns the binding whose openCursor a hook is. It is nil for a
// hook that is not of this package.
func bindingBehind(hook server.OnBeforeListToolsFunc) *binding {
	if hook == nil || reflect.ValueOf(hook).Pointer() != openCursorCode {
		return nil
	}
	q := newOwnerQuery()
	hook(q, nil, &mcp.ListToolsRequest{})
	return q.binding
}

// The code of the wrappers of this package's handlers and hooks.
var (
	handleCode     = codeOf((*entry)(nil).handle)
	openCursorCode = reflect.ValueOf((*binding)(nil).openCursor).Pointer()
)

func codeOf(handler server.ToolHandlerFunc) uintptr { return reflect.ValueOf(handler).Pointer() }

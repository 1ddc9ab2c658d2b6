package mcpgo

import (
	"context"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// This file recognises the tools and handlers of this package.
//
// A tool is recognised by the table of its world: its readOnlyHint is a pointer
// of its own, which mcp-go copies with the tool, and so is its _meta.
//
// A handler has nothing to compare. mcp-go stores it as a plain function and
// returns it to any caller, which can register it again under another name or
// with another definition. Go cannot compare functions, and to identify a
// foreign handler by calling it would run the tool. So this is the one place
// that compares code pointers: all values of one method share the code of one
// wrapper, which the compiler makes once and inlines nowhere. Only a function
// with that code is then called, with an ownerQuery, and names its entry.

// An ownerQuery is the context that makes a handler of this package do nothing
// but fill it in. It can be used again and again. It is not safe for concurrent
// use.
type ownerQuery struct {
	context.Context

	entry *entry
}

// entryWith returns the entry that a tool is the definition of. It returns nil
// if the _meta of the tool is not that of the entry, because a hook could have
// written a forged contract into it.
func (w *world) entryWith(found *mcp.Tool) *entry {
	e := w.defined[found.Annotations.ReadOnlyHint]
	if e == nil || found.Meta != e.tool.Meta {
		return nil
	}
	return e
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
// one: it has the definition and the handler of e. Neither is enough alone,
// because a program can put the definition of one contract and the handler of
// another together.
func (q *ownerQuery) isEntry(e *entry, found *mcp.Tool, handler server.ToolHandlerFunc) bool {
	return e.owner.now().entryWith(found) == e && found.Name == e.tool.Name && found.Execution == nil && q.entryBehind(handler) == e
}

// isOurs reports whether one tool is the registered one; see
// [ownerQuery.isEntry].
func isOurs(e *entry, found mcp.Tool, handler server.ToolHandlerFunc) bool {
	return newOwnerQuery().isEntry(e, &found, handler)
}

// entryBehind returns the entry that one handler serves; see
// [ownerQuery.entryBehind].
func entryBehind(handler server.ToolHandlerFunc) *entry { return newOwnerQuery().entryBehind(handler) }

// handleCode is the code of the wrapper of this package's handlers.
var handleCode = codeOf((*entry)(nil).handle)

func codeOf(handler server.ToolHandlerFunc) uintptr { return reflect.ValueOf(handler).Pointer() }

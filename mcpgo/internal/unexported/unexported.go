// Package unexported finds out what mcp-go exports no function for: who made a
// registered tool, what a server is called, and whether the server author's
// code has had access to it. All of this relies on things that mcp-go does not
// promise. So it is all in one file, and [Check] reports whether it still works
// with the linked version of mcp-go.
package unexported

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
)

// A Caller runs the calls of one tool.
type Caller interface {
	Call(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error)
}

// handler is what is registered with mcp-go for a Caller.
//
// A ServerTool is only a definition and a plain function. Anybody can get both
// from GetTool, and register either with a different other half. So both must
// be recognised: the definition by its [Mark], and the function by its code,
// because Go cannot compare two functions. Nothing else works:
//
//   - Calling someone else's function, to find out whose it is, would run the
//     tool.
//   - Filters and hooks see the definition but not the function.
//   - Middleware could answer for the function, but only as the innermost one,
//     because it must not pass the call on. Middleware that the server author
//     adds later with Use is always further in, so mcp-go would skip it.
//
// All method values of one method share the code of one wrapper, which the
// compiler generates once and never inlines. CallerOf calls only a function
// with that code. It passes a callerQuery, in which the function names its
// Caller.
type handler struct{ Caller }

func (h handler) handle(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if q, ok := ctx.(*callerQuery); ok {
		q.caller = h.Caller
		return nil, nil //nolint:nilnil // not a call
	}
	return h.Call(ctx, req)
}

// Handler returns a handler that [CallerOf] recognises.
func Handler(c Caller) server.ToolHandlerFunc { return handler{c}.handle }

var handleCode = CodeOf(handler{}.handle)

// CodeOf returns the address of a handler's code.
func CodeOf(h server.ToolHandlerFunc) uintptr { return reflect.ValueOf(h).Pointer() }

// A callerQuery is a context that makes this package's handler do nothing but
// fill it in.
type callerQuery struct {
	context.Context

	caller Caller
}

// queries saves an allocation for each tool in a list.
var queries = sync.Pool{New: func() any { return &callerQuery{Context: context.Background()} }}

// CallerOf returns the Caller that [Handler] made a handler for. For any other
// function it returns nil, without calling it.
func CallerOf(h server.ToolHandlerFunc) Caller {
	if h == nil || CodeOf(h) != handleCode {
		return nil
	}
	q, _ := queries.Get().(*callerQuery)
	defer queries.Put(q)
	_, _ = h(q, mcp.CallToolRequest{})
	return q.caller
}

// A Mark identifies a tool's definition. It is the address of the readOnlyHint,
// a pointer that mcp-go copies with the tool, through GetTool, lists and
// filters. Like the address of the _meta, it stays the same unless somebody
// writes another definition.
type Mark *bool

// MarkOf returns the mark of a definition, or nil if nobody set the hint.
func MarkOf(t *mcp.Tool) Mark { return t.Annotations.ReadOnlyHint }

// NameOf returns the name of a server. Otherwise only the handshake reveals it,
// and that would call the server author's hooks.
func NameOf(s *server.MCPServer) string { return textOf(s, "name") }

// VersionOf returns the version of a server.
func VersionOf(s *server.MCPServer) string { return textOf(s, "version") }

func textOf(s *server.MCPServer, of string) string {
	if text := field(s, of); text.Kind() == reflect.String {
		return text.String()
	}
	return ""
}

// TaskToolsOf returns the names of the tools that run only as tasks.
func TaskToolsOf(s *server.MCPServer) []string {
	tools := field(s, "taskTools")
	if tools.Kind() != reflect.Map || tools.Type().Key().Kind() != reflect.String {
		return nil
	}
	var names []string
	for _, name := range tools.MapKeys() {
		names = append(names, name.String())
	}
	return names
}

func field(s *server.MCPServer, name string) reflect.Value {
	return reflect.ValueOf(s).Elem().FieldByName(name)
}

// A Privacy records whether a server is private. The server author's code has
// had no access to a private server, so it has only the hooks and tools of
// package mcpgo, and nobody else's middleware or filters. The zero value is not
// private.
type Privacy struct{ holds atomic.Bool }

// Begin makes a server private. Call it before any of the server author's code
// runs.
func (p *Privacy) Begin() { p.holds.Store(true) }

// End ends the privacy for good.
func (p *Privacy) End() { p.holds.Store(false) }

// Holds reports whether the server is still private.
func (p *Privacy) Holds() bool { return p.holds.Load() }

// Watch returns the context for the server author's functions. If one of them
// gets the server from the context, that ends the privacy.
func (p *Privacy) Watch(ctx context.Context) context.Context {
	if !p.Holds() {
		return ctx
	}
	return &watcher{ctx, p}
}

// watches reports whether mcp-go's context has the server where Watch sees it.
func watches(ctx context.Context, s *server.MCPServer) bool {
	p := &Privacy{}
	p.Begin()
	return server.ServerFromContext(p.Watch(ctx)) == s && !p.Holds()
}

type watcher struct {
	context.Context

	privacy *Privacy
}

// Value implements [context.Context].
func (w *watcher) Value(key any) any {
	value := w.Context.Value(key)
	if _, ok := value.(*server.MCPServer); ok {
		w.privacy.End()
	}
	return value
}

// Check returns an error if the linked version of mcp-go breaks what this
// package relies on. It tries everything once, on a server of its own.
var Check = sync.OnceValue(func() error {
	if what := difference(); what != "" {
		return &contract.DeclarationError{
			Rule: "serve.rejected", Where: "mcp-go", Message: "this version " + what + ", so contracts cannot be enforced",
			Remedy: "use the version of mcp-go that the go.mod of toolcontract requires",
		}
	}
	return nil
})

// difference returns what the linked mcp-go does differently, or "".
func difference() string {
	s := server.NewMCPServer("name", "1")
	var seen mcp.Tool
	server.WithToolFilter(func(_ context.Context, found []mcp.Tool) []mcp.Tool {
		seen = found[0]
		return nil
	})(s)
	tool := mcp.Tool{Name: "tool", Meta: &mcp.Meta{}, RawInputSchema: json.RawMessage(`{"type":"object"}`)}
	tool.Annotations.ReadOnlyHint = new(bool)
	caller := &struct{ Caller }{}
	s.AddTools(server.ServerTool{Tool: tool, Handler: Handler(caller)})
	registered := s.GetTool("tool")
	var ctx context.Context
	s.AddNotificationHandler("context", func(of context.Context, _ mcp.JSONRPCNotification) { ctx = of })
	s.HandleMessage(context.Background(), json.RawMessage(`{"jsonrpc":"2.0","method":"context"}`))
	s.HandleMessage(context.Background(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	name := NameOf(s)
	s.AddTaskTool(mcp.NewTool("task"), nil)
	tasks := TaskToolsOf(s)
	switch {
	case registered == nil || CallerOf(registered.Handler) != Caller(caller):
		return "does not keep the function of a registered tool"
	case MarkOf(&registered.Tool) != MarkOf(&tool) || registered.Tool.Meta != tool.Meta:
		return "does not keep the pointers of a registered definition"
	case MarkOf(&seen) != MarkOf(&tool) || seen.Meta != tool.Meta:
		return "does not pass the pointers of a definition to filters"
	case ctx == nil || !watches(ctx, s):
		return "does not have the server in the context of a handler"
	case name != "name", VersionOf(s) != "1":
		return "keeps the name and version of a server elsewhere"
	case len(tasks) != 1 || tasks[0] != "task":
		return "keeps the tools that run as tasks elsewhere"
	}
	return ""
}

package mcpgo

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// AddTool adds a tool to s, as s.AddTool with mcp.NewStructuredToolHandler does,
// with a contract that g enforces. base has the clauses of the contract. It
// needs at least an Effect and, from medium risk up, Permissions or
// NoPermissions:
//
//	err := mcpgo.AddTool(s, g, mcp.NewTool("cancel_order", mcp.WithDescription("Cancels an order.")), cancel,
//		contract.Base{Effect: risk.HighRiskWrite, Permissions: []string{"orders:write"}})
//
// The name needs no dot. The version is 1.0.0 unless base has one. Schemas that
// t lacks are those of mcp.WithInputSchema and mcp.WithOutputSchema for In and
// Out; an Out of any has none. The contract tags of In's fields, such as secret,
// protect these fields as they do with [contract.New]. The contract is otherwise
// the one that contract.New makes from the same clauses. t keeps its icons, its
// _meta, its defer_loading, and each hint that no clause decides; see
// [adapter.Wrap]. mcp.NewTool sets all four hints.
//
// The handler gets In decoded from the validated arguments, without defaults of
// the schema. Its Out becomes the structured content and, as JSON, the text. An
// error becomes internal_error without its text, unless it is one of base's
// Failures or base has OtherErrors. [contract.Ask] is for tools of contract.New.
// This handler asks through its SDK, with RequestElicitation of the server, which
// reaches only clients of versions before 2026-07-28. Everything else is as for
// [Wrap].
//
// The first call makes s a server with contracts, as [Register] does without
// options: its other tools stay as they are. On a server that already has
// contracts, g must be its guard. A nil g means that guard or, for the first
// call, guard.New with no options. Call [Register] or [WrapAll] before AddTool.
// [ServeStdioServer] and [HandlerOf] serve s.
//
// Before the first request, AddTool only checks the tool and reserves its name,
// so that s.DeleteTools still removes it. The first request builds the table of
// all contracts and registers the tools with mcp-go, and so does every function
// of this package that uses them. If that fails, because tools don't go
// together, none of them is served, the log says why, and [Verify] returns the
// error until all of them have been added again. From then on, AddTool works as
// [Add] does.
//
// If AddTool returns an error, s has no new tool. The error joins a
// [contract.DeclarationError] for each mistake. A name that a tool of s already
// has is a mistake too. If s.AddTool registers the name again later, the tool
// is no longer listed or run, and only [Verify] says so. AddTool is safe for
// concurrent use.
func AddTool[In, Out any](s *server.MCPServer, g *guard.Guard, t mcp.Tool, h mcp.StructuredToolHandlerFunc[In, Out],
	base contract.Base) error {
	base.Version = cmp.Or(base.Version, "1.0.0")
	if none := mcp.NewTool("").InputSchema; t.RawInputSchema == nil &&
		(t.InputSchema.Type == "" || reflect.DeepEqual(t.InputSchema, none)) && reflect.TypeFor[In]() != reflect.TypeFor[any]() {
		mcp.WithInputSchema[In]()(&t)
	}
	if t.RawOutputSchema == nil && t.OutputSchema.Type == "" && reflect.TypeFor[Out]() != reflect.TypeFor[any]() {
		mcp.WithOutputSchema[Out]()(&t)
	}
	var run server.ToolHandlerFunc
	if h != nil {
		run = func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in In
			if err := req.BindArguments(&in); err != nil {
				return nil, adapter.Refusal(contract.CodeInvalidInput, err)
			}
			out, err := h(ctx, req, in)
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultStructuredOnly(out), nil
		}
	}
	built, err := Wrap(t, run, func(s *wrap.Settings) {
		s.Input = reflect.TypeFor[In]()
		s.Function = h
		s.Verbatim = true
	}).From(base).Build()
	if err != nil {
		return err
	}
	return addTool(s, g, built, t)
}

func addTool(s *server.MCPServer, g *guard.Guard, built *contract.Tool, t mcp.Tool) error {
	if s == nil {
		return errNilServer()
	}
	b, err := joined(s, g)
	if err != nil {
		return err
	}
	b.updates.Lock()
	defer b.updates.Unlock()
	current := b.current.Load()
	if g != nil && g != current.Guard() {
		return &contract.DeclarationError{Rule: "serve.registered", Tool: built.Name(),
			Message: "the contracts of the server have another guard", Remedy: "pass that guard"}
	}
	part, err := current.ForSession(built)
	if err != nil {
		return err
	}
	w := waitingTool{contract: built, listed: current.Naming().Listed(built.Name()), tool: t}
	w.tool.Name = w.listed
	w.hidden = part.EntryOf(built.Name()) == nil
	names := slices.Sorted(maps.Keys(part.Claimed()))
	for _, name := range names {
		before, waits := b.waiting[name]
		if waits && before.stays(s) || s.GetTool(name) != nil || slices.Contains(unexported.TaskToolsOf(s), name) ||
			current.Claims(name) && current.EntryOf(built.Name()) == nil {
			err = errors.Join(err, &contract.DeclarationError{Rule: "serve.taken", Tool: built.Name(), Where: "name",
				Message: "the server has a tool of the name " + name + " already", Remedy: "rename one, or delete that tool first"})
		}
	}
	switch {
	case err != nil:
		return err
	case b.begun.Load():
		return b.addWaiting(w)
	case b.waiting == nil:
		b.waiting = map[string]waitingTool{}
	}
	if !w.hidden {
		s.AddTools(server.ServerTool{Tool: w.tool}) // until the table has it, so that the program can delete it
	}
	for _, name := range names {
		b.waiting[name] = w
	}
	b.waits.Store(true)
	return nil
}

var joining sync.Mutex // so that the first of many calls of AddTool joins the server

// joined returns the binding of a server, which may be a new one.
func joined(s *server.MCPServer, g *guard.Guard) (*binding, error) {
	joining.Lock()
	defer joining.Unlock()
	if b := bindingOf(s); b != nil {
		return b, nil
	}
	if err := Register(s, g); err != nil {
		return nil, err
	}
	return bindingOf(s), nil
}

// A waitingTool is a tool from AddTool that the table does not have yet.
type waitingTool struct {
	contract *contract.Tool
	listed   string
	tool     mcp.Tool // whose icons, defer_loading and _meta are kept
	hidden   bool     // the contract is forbidden, so it is not listed
}

// stays reports whether a tool has not been deleted since.
func (w waitingTool) stays(s *server.MCPServer) bool { return w.hidden || s.GetTool(w.listed) != nil }

// addWaiting adds tools. It needs updates locked.
func (b *binding) addWaiting(waiting ...waitingTool) error {
	registered := map[string]*server.ServerTool{}
	maps.Copy(registered, b.server.ListTools())
	var tools []*contract.Tool
	for _, w := range waiting {
		registered[w.listed] = &server.ServerTool{Tool: w.tool}
		tools = append(tools, w.contract)
	}
	return b.addTo(registered, tools, b.checkReplaced)
}

// begin runs before each request. From the first one on, no tool waits, and no
// request is answered before the tools that waited are there.
func (b *binding) begin(context.Context, any, mcp.MCPMethod, any) {
	if b.begun.Load() {
		return
	}
	b.lock()
	defer b.updates.Unlock()
	b.begun.Store(true)
}

// settle adds the tools that wait. It needs updates locked. If they do not go
// together, none is served.
func (b *binding) settle() {
	var waiting []waitingTool
	for _, name := range slices.Sorted(maps.Keys(b.waiting)) {
		if w := b.waiting[name]; w.listed == name && w.stays(b.server) {
			waiting = append(waiting, w)
		}
	}
	if err := b.addWaiting(waiting...); err != nil {
		slog.Error("toolcontract: tools of AddTool cannot be served", slog.Any("error", err))
		b.unserved, b.lost = err, waiting
		for _, w := range waiting {
			b.server.DeleteTools(w.listed)
		}
	}
	b.waiting = nil
	b.waits.Store(false)
}

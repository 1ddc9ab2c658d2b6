package gosdk

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// AddTool adds a tool to s as mcp.AddTool does, with a contract that g enforces.
// base has the clauses of the contract. It needs at least an Effect and, from
// medium risk up, Permissions or NoPermissions:
//
//	err := gosdk.AddTool(server, g, &mcp.Tool{Name: "cancel_order", Description: "Cancels an order."}, cancel,
//		contract.Base{Effect: risk.HighRiskWrite, Permissions: []string{"orders:write"}})
//
// The name needs no dot. The version is 1.0.0 unless base has one. Schemas that
// t lacks are derived as mcp.AddTool derives them. The contract tags of In's
// fields, such as secret, protect these fields as they do with [contract.New].
// The contract is otherwise the one that contract.New makes from the same
// clauses. t keeps its icons, its _meta, and each hint that no clause decides;
// see [adapter.Wrap]. AddTool doesn't change t.
//
// The handler works as with [WrapFor], except for its results with IsError.
// These keep their content as it is. Only hidden characters are removed, and a
// text that imitates the mark of a fatal error is rewritten. If base declares
// Trust or Delimit, the texts are delimited accordingly. The code tool_retry is
// only in the outcome, in _meta; the contract doesn't list it. A Go error
// becomes internal_error without its text, unless it is one of base's Failures
// or base has OtherErrors. [contract.Ask] is for tools of contract.New. This
// handler asks through its SDK, with Elicit of the request's Session, which
// reaches only clients of versions before 2026-07-28.
//
// The first call makes s a server with contracts, as [Register] does without
// options: its other tools stay as they are. On a server that already has
// contracts, g must be its guard. A nil g means that guard or, for the first
// call, guard.New with no options. Call [Register] or [WrapAll] before AddTool.
// [ServeStdioServer] and [HandlerOf] serve s.
//
// Before s serves, AddTool only checks the tool and registers it with the SDK.
// The first request builds the table of all contracts, and so do [Add], [Verify],
// [ToolsOf], [HandlerOf] and [ServeStdioServer]. If that fails, because tools
// don't go together, these functions return the error, and every request fails.
// While s serves, AddTool works as [Add] does.
//
// If AddTool returns an error, s has no new tool. The error joins a
// [contract.DeclarationError] for each mistake. A name that a tool of s already
// has is a mistake too. If mcp.AddTool registers the name again later, the tool
// is no longer listed or run, and only [Verify] says so. AddTool is safe for
// concurrent use.
func AddTool[In, Out any](s *mcp.Server, g *guard.Guard, t *mcp.Tool, h mcp.ToolHandlerFor[In, Out], base contract.Base) error {
	base.Version = cmp.Or(base.Version, "1.0.0")
	built, err := WrapFor(t, h, func(s *wrap.Settings) { s.Verbatim = true }).From(base).Build()
	if err != nil {
		return err
	}
	return addTool(s, g, built, t)
}

func addTool(s *mcp.Server, g *guard.Guard, built *contract.Tool, t *mcp.Tool) error {
	if s == nil {
		return errNilServer()
	}
	b, err := joined(s, g)
	if err != nil {
		return err
	}
	if g != nil && g != b.table().Guard() {
		return &contract.DeclarationError{Rule: "serve.registered", Tool: built.Name(),
			Message: "the contracts of the server have another guard", Remedy: "pass that guard"}
	}
	b.updates.Lock()
	defer b.updates.Unlock()
	return b.addLater(built, t)
}

var joining sync.Mutex // so that the first of many calls of AddTool joins the server

// joined returns the binding of a server, which may be a new one.
func joined(s *mcp.Server, g *guard.Guard) (*binding, error) {
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

// A waitingTool is a contract from AddTool that the table does not have yet.
type waitingTool struct {
	contract *contract.Tool
	tool     *mcp.Tool // as the SDK has it; nil: the contract is forbidden, so it has none
}

// stays reports whether a tool has not been removed since.
func (w waitingTool) stays(registered map[string]*mcp.Tool) bool {
	return w.tool == nil || registered[w.tool.Name] != nil
}

// addLater adds a tool at once if the server serves, and otherwise lets it
// wait. It needs updates locked.
func (b *binding) addLater(built *contract.Tool, t *mcp.Tool) error {
	part, err := b.table().ForSession(built)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(part.Claimed()))
	state, err := inspect(b.server)
	if err != nil {
		return err
	}
	err = checkTools(part.Entries())
	for _, name := range names {
		w, waits := b.waiting[name]
		isClaimed := b.table().Claims(name) && b.table().EntryOf(built.Name()) == nil
		if state.tools[name] != nil || waits && w.stays(state.tools) || isClaimed {
			err = errors.Join(err, &contract.DeclarationError{Rule: "serve.taken", Tool: built.Name(), Where: "name",
				Message: "the server has a tool of the name " + name + " already", Remedy: "rename one, or remove that tool first"})
		}
	}
	if err != nil {
		return err
	}
	w := waitingTool{contract: built}
	if e := part.EntryOf(built.Name()); e != nil {
		w.tool = stubOf(e, wireTool(e, t))
	}
	if !b.begun.Load() {
		return b.wait(w, names)
	}
	if w.tool != nil {
		state.tools[w.tool.Name] = w.tool // whose icons and _meta are kept
	}
	return b.add([]*contract.Tool{built}, state.tools)
}

func (b *binding) wait(w waitingTool, names []string) (err error) {
	defer rejected(&err, "AddTool", "correct the schemas")
	if w.tool != nil {
		b.server.AddTool(w.tool, b.handler(w.tool.Name))
	}
	if b.waiting == nil {
		b.waiting = map[string]waitingTool{}
	}
	for _, name := range names {
		b.waiting[name] = w
	}
	return nil
}

// settle adds the tools that wait to the table. At the first request, begins is
// true: later tools do not wait.
func (b *binding) settle(begins bool) error {
	if b.begun.Load() {
		return nil
	}
	b.updates.Lock()
	defer b.updates.Unlock()
	if len(b.waiting) > 0 {
		state, err := inspect(b.server)
		if err != nil {
			return err
		}
		var tools []*contract.Tool
		for _, name := range slices.Sorted(maps.Keys(b.waiting)) {
			if w := b.waiting[name]; name == w.contract.Name() && w.stays(state.tools) {
				tools = append(tools, w.contract)
			}
		}
		if err := b.add(tools, state.tools); err != nil {
			return err
		}
		b.waiting = nil
	}
	if begins {
		b.begun.Store(true)
	}
	return nil
}

var errUnsettled = &jsonrpc.Error{
	Code: jsonrpc.CodeInternalError, Message: "the tools of the server do not go together; see its log",
}

// begin settles the tools before a request.
func (b *binding) begin(ctx context.Context) error {
	err := b.settle(true)
	if err == nil {
		return nil
	}
	b.unsettled.Do(func() {
		slog.ErrorContext(ctx, "toolcontract: the server answers no request, because its tools cannot be served",
			slog.Any("error", err))
	})
	return errUnsettled
}

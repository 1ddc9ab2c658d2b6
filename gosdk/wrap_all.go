package gosdk

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/guard"
)

// WrapAll puts contracts around all tools of s, including typed ones, without
// changing the code that added them. Call it once, before s serves. It wraps
// each tool as [Wrap] does and registers the contracts as [Register] does. It
// takes the options of Register; a tool of [WithTools] replaces the one of its
// name.
//
//	report, err := gosdk.WrapAll(s, g, wrap.Rules{
//		Base: contract.Base{Version: "1.0.0", Permissions: []string{"orders:use"}},
//		Tools: map[string]wrap.Rule{
//			"cancel_order": {Base: contract.Base{Effect: risk.HighRiskWrite}},
//		},
//	})
//	fmt.Print(report)
//
// The tools stay registered, because the SDK does not expose their handlers.
// WrapAll's middleware runs each call through the guard on the way to them.
// Middleware that s already has sees the calls that the guard lets through,
// with the validated arguments, and the handlers' answers before they are
// checked.
//
// An effect that the rules do not declare follows from the tool's hints, as the
// protocol defines their defaults; see [adapter.Wrapper.Wrap]. The SDK cannot
// tell a false readOnlyHint or idempotentHint from an unset one. A clause taken
// from a hint is a guess, so the report names each of them.
//
// If callers may not see a tool, or if it has aliases, its schema loses
// x-mcp-header, and the report has it; see [adapter.Wrapper.Wrap]. WrapAll does
// this by setting the InputSchema of the registered tool, so no other server
// may serve the same pointer. Such a tool gets no contract if it is added later
// (rule serve.header).
//
// mcp.AddTool turns the error of a typed handler into the text of a result with
// IsError, which clients already read. So the text passes, as that of any such
// result, unless the rule has MaskErrors. With [WrapFor] it is a Go error.
//
// The rules also apply to tools that are added later; see [Add]. If a handler
// asks an older client for input, the SDK itself sends the request, within the
// call and without [wrap.WithRounds].
//
// If the guard uses [LocalUser], the report also notes that Server.Run with one
// of the SDK's transports leaves every client unknown.
//
// The report has every tool, sorted by name, even if there is an error. It is
// nil only if s is nil or cannot be read. The error joins a
// [contract.DeclarationError] for each mistake, and then s is unchanged.
func WrapAll(s *mcp.Server, g *guard.Guard, rules wrap.Rules, opts ...Option) (*wrap.Report, error) {
	if s == nil {
		return nil, errNilServer()
	}
	state, err := inspect(s)
	if err != nil {
		return nil, err
	}
	c, err := newConfig(opts)
	err = errors.Join(err, c.refuseServerOptions())
	w := adapter.NewWrapper(rules, c.table)
	report, adopted := wrapServer(w, state)
	if err = errors.Join(err, w.Check(report)); err != nil {
		return report, err
	}
	c.table.Tools = append(c.table.Tools, report.Contracts()...)
	c.wrapper = w
	if err := register(s, g, c, state, adopted); err != nil {
		w.Note(report, err)
		return report, err
	}
	if b := bindingOf(s); b.table().OnlyLocal() {
		for i := range report.Tools {
			if t := &report.Tools[i]; t.Contract != nil {
				t.Changes = append(t.Changes, onlyLocal)
			}
		}
	}
	return report, nil
}

// onlyLocal is the report's note about LocalUser on an SDK server.
const onlyLocal = "only clients of gosdk.ServeStdioServer and gosdk.LocalTransport are the local user; " +
	"Server.Run alone makes every call unauthenticated"

// wrapServer wraps a server's tools and reports on all of them. It also returns
// the tools that got a contract, by the contract's name.
func wrapServer(w *adapter.Wrapper, state *serverState) (*wrap.Report, map[string]*mcp.Tool) {
	report, adopted := &wrap.Report{}, map[string]*mcp.Tool{}
	for _, name := range slices.Sorted(maps.Keys(state.tools)) {
		if w.Replaces(name) {
			continue
		}
		wrapped := wrapTool(w, state.tools[name])
		if wrapped.Contract != nil {
			adopted[wrapped.Contract.Name()] = state.tools[name]
		}
		report.Tools = append(report.Tools, wrapped)
	}
	return report, adopted
}

// wrapTool wraps one tool by its rule, and by its hints where the rules are
// silent.
func wrapTool(w *adapter.Wrapper, t *mcp.Tool) wrap.Tool {
	d, err := definitionOf(t)
	if err != nil && !w.Excepts(t.Name) {
		return wrap.Tool{Name: t.Name, Err: err}
	}
	return w.Wrap(d, func(opts []wrap.Option) *wrap.Builder { return newWrapped(passOn, opts).define(d, err) })
}

var (
	errNotServed = errors.New("gosdk: the tool of another program's server runs only on that server")
	errNoResult  = errors.New("gosdk: the tool has no result")
)

// passOn is the handler of a tool that stays registered: it calls whatever is
// below this package's middleware.
func passOn(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := callFrom(ctx)
	if c == nil {
		return nil, errNotServed
	}
	result, err := c.next(ctx, methodCallTool, req)
	if err != nil {
		return nil, err
	}
	called, ok := result.(*mcp.CallToolResult)
	if !ok {
		return nil, errNoResult
	}
	return called, nil
}

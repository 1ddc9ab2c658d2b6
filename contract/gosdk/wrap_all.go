package gosdk

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/adapter"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// WrapRules are the clauses of the tools that [WrapAll] wraps. The zero value
// declares none: each tool then has only what its hints imply.
//
// A clause counts in this order: Declare of the tool's rule, Base of the tool's
// rule, Base of all tools, and last the tool's hints.
type WrapRules struct {
	// Base has the clauses of all tools, such as the version.
	Base contract.Base
	// Options are those of [Wrap] for all tools. Options of a rule follow them.
	Options []WrapOption
	// Tools has the rules of single tools, by the name under which a tool is
	// registered. A name that the server does not have is an error, unless its
	// rule has Later.
	Tools map[string]WrapRule
	// AllowUncontracted leaves a tool whose contract cannot be built as it is,
	// and the report names it. Default: it is an error of WrapAll, and a tool
	// that is added later without a contract is neither listed nor run.
	AllowUncontracted bool
}

// A WrapRule has the clauses of one tool. The zero value declares none.
type WrapRule struct {
	// Base has the clauses of the tool.
	Base contract.Base
	// Declare adds what a Base cannot hold, such as a dry run or a resolution.
	// It can run more than once for one tool. Nil: nothing is added.
	Declare func(b *WrappedBuilder)
	// Options are those of [Wrap], such as [WithErrorMapper].
	Options []WrapOption
	// Uncontracted leaves the tool as it is, without a contract.
	Uncontracted bool
	// Later means that the tool may be added after the call of WrapAll.
	Later bool
}

// WrapAll puts contracts around all tools that s has, typed ones too, without a
// change to the code that added them. Call it once, before s serves. It wraps
// each tool as [Wrap] does and registers the contracts as [Register] does. It
// takes the options of Register; a tool of [WithTools] replaces the one of its
// name.
//
//	report, err := gosdk.WrapAll(s, g, gosdk.WrapRules{
//		Base: contract.Base{Version: "1.0.0", Permissions: []string{"orders:use"}},
//		Tools: map[string]gosdk.WrapRule{
//			"cancel_order": {Base: contract.Base{Effect: risk.HighRiskWrite}},
//		},
//	})
//	fmt.Print(report)
//
// The tools stay registered, because the SDK does not pass on their handlers.
// The middleware of WrapAll passes each call through the guard on its
// way to them. Middleware that s has before sees the calls that the guard lets
// pass, with the validated arguments, and the answers of the handlers before
// they are checked.
//
// An effect that the rules do not declare follows from the tool's hints, as the
// protocol defines their defaults; see [adapter.Rules.Wrap]. The SDK cannot
// distinguish a readOnlyHint or an idempotentHint that is false from one that
// is not set. Hints are guesses, so the report names each of them.
//
// If callers may not see a tool, or if it has aliases, its schema loses
// x-mcp-header, and the report has it; see [adapter.Rules.Wrap]. WrapAll sets
// the InputSchema of the registered tool for it, so no other server may serve
// the same pointer. Such a tool that is added later gets no contract (rule
// serve.header).
//
// The rules also hold for tools that come later; see [Add]. A handler that asks
// an older client for input is asked by the SDK itself, within the call and
// without [WithRounds].
//
// The report has every tool, sorted by name, also if there is an error. It is
// nil only if s is nil or cannot be read. The error joins a
// [contract.DeclarationError] for everything that is wrong, and then s is
// unchanged.
func WrapAll(s *mcp.Server, g *guard.Guard, rules WrapRules, opts ...Option) (*adapter.WrapReport, error) {
	if s == nil {
		return nil, errNilServer()
	}
	state, err := inspect(s)
	if err != nil {
		return nil, err
	}
	c, err := newConfig(opts)
	err = errors.Join(err, c.refuseServerOptions())
	w := newWrapper(rules, c)
	report, adopted := w.wrapServer(state)
	if err = errors.Join(err, report.Check(w.rules.adapter())); err != nil {
		return report, err
	}
	c.table.Tools = append(c.table.Tools, report.Contracts()...)
	c.wrapper = w
	if err := register(s, g, c, state, adopted); err != nil {
		report.Note(err)
		return report, err
	}
	return report, nil
}

// A wrapper wraps tools by rules. It is safe for concurrent use.
type wrapper struct {
	rules  WrapRules
	naming contract.Naming
	typed  map[string]bool // names of contracts that need no wrapping
}

func newWrapper(rules WrapRules, c *config) *wrapper {
	rules.Tools, rules.Options = maps.Clone(rules.Tools), slices.Clone(rules.Options)
	w := &wrapper{rules: rules, naming: c.table.Naming, typed: map[string]bool{}}
	for _, t := range c.table.Tools {
		if t != nil {
			w.typed[t.Name()], w.typed[c.table.Naming.Listed(t.Name())] = true, true
		}
	}
	return w
}

// adapter returns the rules without the options.
func (r WrapRules) adapter() adapter.Rules {
	rules := adapter.Rules{Base: r.Base, AllowUncontracted: r.AllowUncontracted, Tools: map[string]adapter.Rule{}}
	for name, rule := range r.Tools {
		rules.Tools[name] = adapter.Rule{Base: rule.Base, Declare: rule.Declare, Uncontracted: rule.Uncontracted, Later: rule.Later}
	}
	return rules
}

// wrapServer wraps the tools of a server and reports on all of them. It also
// returns the tools that got a contract, by its name.
func (w *wrapper) wrapServer(state *serverState) (*adapter.WrapReport, map[string]*mcp.Tool) {
	report, adopted := &adapter.WrapReport{}, map[string]*mcp.Tool{}
	for _, name := range slices.Sorted(maps.Keys(state.tools)) {
		if w.typed[name] {
			continue
		}
		wrapped := w.wrap(state.tools[name])
		if wrapped.Contract != nil {
			adopted[wrapped.Contract.Name()] = state.tools[name]
		}
		report.Tools = append(report.Tools, wrapped)
	}
	report.Sort()
	return report, adopted
}

// wrap wraps one tool by its rule, and by its hints where the rules declare
// nothing.
func (w *wrapper) wrap(t *mcp.Tool) adapter.WrappedTool {
	d, err := definitionOf(t)
	if err != nil && !w.rules.Tools[t.Name].Uncontracted {
		return adapter.WrappedTool{Name: t.Name, Err: err}
	}
	options := slices.Concat(w.rules.Options, w.rules.Tools[t.Name].Options)
	return w.rules.adapter().Wrap(d, w.naming, func() *WrappedBuilder { return Wrap(t, passOn, options...) })
}

// leaves reports whether a tool without a contract stays as it is.
func (w *wrapper) leaves(name string) bool {
	return w == nil || w.rules.AllowUncontracted || w.rules.Tools[name].Uncontracted
}

var (
	errNotServed = errors.New("gosdk: the tool of another program's server runs only on that server")
	errNoResult  = errors.New("gosdk: the tool has no result")
)

// passOn is the handler of a tool that stays registered: the rest of the way to
// it, below the middleware of this package.
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

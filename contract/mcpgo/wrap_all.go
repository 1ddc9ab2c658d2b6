package mcpgo

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

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

// WrapAll puts contracts around all tools that s has, without a change to the
// code that registered them. Call it once, before s serves. It wraps each tool
// as [Wrap] does and registers the contracts as [Register] does. It takes the
// options of Register; a tool of [WithTools] replaces the one of its name.
//
//	report, err := mcpgo.WrapAll(s, g, mcpgo.WrapRules{
//		Base: contract.Base{Version: "1.0.0", Permissions: []string{"orders:use"}},
//		Tools: map[string]mcpgo.WrapRule{
//			"cancel_order": {Base: contract.Base{Effect: risk.HighRiskWrite}},
//		},
//	})
//	fmt.Print(report)
//
// An effect that the rules do not declare follows from the tool's hints, as the
// protocol defines their defaults: readOnlyHint true means read-only. Otherwise
// destructiveHint false means external-publication, or high-risk-write if
// openWorldHint is false too. Any other tool counts as destructive, also
// without hints. If a write has idempotentHint true, its idempotency is native.
// No hint raises the trust, because openWorldHint false does not mean that a
// content is safe. Hints are guesses, so the report names each of them. Some
// may not come from the tool author: mcp.NewTool sets all four hints to the
// defaults of the protocol. [contract.Document.Hints] writes the hints anew:
// openWorldHint stays true until the trust is declared.
//
// The rules also hold for tools that come later; see [Add].
//
// The report has every tool, sorted by name, also if there is an error. It is
// nil only if s is nil. The error joins a [contract.DeclarationError] for
// everything that is wrong, and then s is unchanged.
func WrapAll(s *server.MCPServer, g *guard.Guard, rules WrapRules, opts ...Option) (*WrapReport, error) {
	if s == nil {
		return nil, errNilServer()
	}
	c, err := newConfig(opts)
	w := newWrapper(rules, c)
	report := w.wrapServer(s)
	c.table.Tools = append(c.table.Tools, report.Contracts()...)
	if err = errors.Join(err, report.Check(w.clauses)); err != nil {
		return report, err
	}
	c.wrapper = w
	if err := register(s, g, c); err != nil {
		report.Note(err)
		return report, err
	}
	return report, nil
}

// A wrapper wraps tools by rules. It is safe for concurrent use.
type wrapper struct {
	rules   WrapRules
	clauses adapter.Rules // those of the rules
	naming  contract.Naming
	typed   map[string]bool // names of contracts that need no wrapping
	codes   sync.Map        // of the name of a wrapped tool to the code of its handler
}

// code returns the code of the handler that was wrapped under a name, 0 for
// none.
func (w *wrapper) code(name string) uintptr {
	code, _ := w.codes.Load(name)
	is, _ := code.(uintptr)
	return is
}

func newWrapper(rules WrapRules, c *config) *wrapper {
	rules.Tools, rules.Options = maps.Clone(rules.Tools), slices.Clone(rules.Options)
	w := &wrapper{rules: rules, clauses: rules.clauses(), naming: c.table.Naming, typed: map[string]bool{}}
	for _, t := range c.table.Tools {
		if t != nil {
			w.typed[t.Name()], w.typed[w.naming.Listed(t.Name())] = true, true
		}
	}
	return w
}

// clauses returns the rules without what only mcp-go needs.
func (r WrapRules) clauses() adapter.Rules {
	tools := make(map[string]adapter.Rule, len(r.Tools))
	for name, t := range r.Tools {
		tools[name] = adapter.Rule{Base: t.Base, Declare: t.Declare, Uncontracted: t.Uncontracted, Later: t.Later}
	}
	return adapter.Rules{Base: r.Base, Tools: tools, AllowUncontracted: r.AllowUncontracted}
}

// wrapServer wraps the tools of a server and reports on all of them.
func (w *wrapper) wrapServer(s *server.MCPServer) *WrapReport {
	report := &WrapReport{}
	registered := s.ListTools()
	for _, name := range slices.Sorted(maps.Keys(registered)) {
		if !w.typed[name] {
			report.Tools = append(report.Tools, w.wrap(registered[name].Tool, registered[name].Handler))
			w.codes.Store(name, codeOf(registered[name].Handler))
		}
	}
	for _, name := range taskToolsOf(s) {
		left := WrappedTool{Name: name}
		if !w.rules.Tools[name].Uncontracted {
			left.Err = taskTool(name)
		}
		report.Tools = append(report.Tools, left)
	}
	report.Sort()
	return report
}

// taskToolsOf returns the names of tools that only run as tasks. mcp-go has no
// function for it. It returns none if mcp-go no longer has the field.
func taskToolsOf(s *server.MCPServer) []string {
	tools := reflect.ValueOf(s).Elem().FieldByName("taskTools")
	if tools.Kind() != reflect.Map || tools.Type().Key().Kind() != reflect.String {
		return nil
	}
	var names []string
	for _, name := range tools.MapKeys() {
		names = append(names, name.String())
	}
	return names
}

// wrap wraps one tool by its rule, and by its hints where the rules declare
// nothing.
func (w *wrapper) wrap(tool mcp.Tool, handler server.ToolHandlerFunc) WrappedTool {
	d, _ := definitionOf(tool) // Wrap reports the mistakes
	options := slices.Concat(w.rules.Options, w.rules.Tools[tool.Name].Options)
	return w.clauses.Wrap(d, w.naming, func() *WrappedBuilder { return Wrap(tool, handler, options...) })
}

// leaves reports whether a tool without a contract stays as it is.
func (w *wrapper) leaves(name string) bool { return w == nil || w.clauses.Leaves(name) }

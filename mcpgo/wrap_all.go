package mcpgo

import (
	"errors"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// WrapAll puts contracts around all tools that s has, without a change to the
// code that registered them. Call it once, before s serves. It wraps each tool
// as [Wrap] does and registers the contracts as [Register] does. It takes the
// options of Register; a tool of [WithTools] replaces the one of its name.
//
//	report, err := mcpgo.WrapAll(s, g, wrap.Rules{
//		Base: contract.Base{Version: "1.0.0", Permissions: []string{"orders:use"}},
//		Tools: map[string]wrap.Rule{
//			"cancel_order": {Base: contract.Base{Effect: risk.HighRiskWrite}},
//		},
//	})
//	fmt.Print(report)
//
// An effect that the rules do not declare follows from the tool's hints, as the
// protocol defines their defaults: readOnlyHint true means read-only. Otherwise
// destructiveHint false means high-risk-write, with a side effect that is
// reversible, and external unless openWorldHint is false. Any other tool counts
// as destructive, also without hints. If a write has idempotentHint true, its
// idempotency is native. No hint raises the trust, because openWorldHint false
// does not mean that content is safe. Hints are guesses, so the report names
// each of them. Some may not come from the tool author: mcp.NewTool sets all
// four hints to the defaults of the protocol. The hints are listed as they are,
// unless a clause that the rules declare differs.
//
// The rules also hold for tools that come later; see [Add].
//
// The report has every tool, sorted by name, even if there is an error. It is
// nil only if s is nil. The error joins a [contract.DeclarationError] for
// everything that is wrong, and then s is unchanged.
func WrapAll(s *server.MCPServer, g *guard.Guard, rules wrap.Rules, opts ...Option) (*wrap.Report, error) {
	if s == nil {
		return nil, errNilServer()
	}
	c, err := newConfig(opts)
	w := &wrapper{Wrapper: adapter.NewWrapper(rules, c.table)}
	report := w.wrapServer(s)
	c.table.Tools = append(c.table.Tools, report.Contracts()...)
	if err = errors.Join(err, w.Check(report)); err != nil {
		return report, err
	}
	c.wrapper = w
	if err := register(s, g, c); err != nil {
		w.Note(report, err)
		return report, err
	}
	return report, nil
}

// wrapServer wraps the tools of a server and reports on all of them.
func (w *wrapper) wrapServer(s *server.MCPServer) *wrap.Report {
	report := &wrap.Report{}
	registered := s.ListTools()
	for _, name := range slices.Sorted(maps.Keys(registered)) {
		if !w.Replaces(name) {
			wrapped := w.wrap(registered[name].Tool, registered[name].Handler)
			report.Tools = append(report.Tools, wrapped)
			if wrapped.Contract != nil {
				w.contracts.Store(wrapped.Contract.Name(), wrapped.Contract)
			}
		}
	}
	for _, name := range unexported.TaskToolsOf(s) {
		left := wrap.Tool{Name: name}
		if !w.Excepts(name) {
			left.Err = errTask(name)
		}
		report.Tools = append(report.Tools, left)
	}
	return report
}

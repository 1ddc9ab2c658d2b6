package engine

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/records"
	"github.com/toolcontract/toolcontract/guard/internal/results"
)

// A Tool is one tool with the stages chosen for it.
type Tool struct {
	results.Writer

	access    access.Tool
	stages    []Stage
	hasExtras bool          // a stage of the tool needs extras
	slots     chan struct{} // nil: no concurrency limit
	times     records.Times // of the calls that were claimed
	reads     []contract.DataKind
	label     func(meta map[string]any) map[string]any // nil: results get no label

	// endsGoroutines means that code outside the handler may end the goroutine
	// of a call: methods of the tool author's types, and what asks people.
	endsGoroutines bool
}

// protect chooses the stages of a tool. Audiences are shared with all.
func (g *Engine) protect(of *facts.Tool, all access.Audiences) *Tool {
	t := &Tool{
		Writer: results.NewWriter(of, g.lines),
		access: access.Tool{Tool: of, Audience: all.Share(access.AudienceOf(of))},
	}
	if g.config.Label != nil {
		t.label = g.config.Label(&t.Doc)
	}
	if len(t.Doc.Reads) > 0 {
		t.reads = t.Doc.Effective().Reads
	}
	if t.Doc.MaxConcurrent > 0 {
		t.slots = make(chan struct{}, t.Doc.MaxConcurrent)
	}
	t.stages = g.choose(t)
	t.hasExtras = slices.ContainsFunc(t.stages, func(s Stage) bool { return s.extras })
	t.endsGoroutines = t.Half.Facts().CallsMethods || t.TakesState
	return t
}

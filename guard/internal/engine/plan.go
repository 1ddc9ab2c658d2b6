package engine

import (
	"slices"

	"github.com/toolcontract/toolcontract/guard/internal/facts"
)

// A plan is how calls of one tool go through the pipeline.
type plan struct {
	tool      *facts.ProtectedTool
	stages    []Stage
	hasExtras bool                                     // a stage needs extras
	label     func(meta map[string]any) map[string]any // nil: results get no label

	// endsGoroutines means that code outside the handler may end the goroutine
	// of a call: methods of the tool author's types, and what asks people.
	endsGoroutines bool
}

// plan chooses the stages of a tool, once.
func (g *Engine) plan(t *facts.ProtectedTool) *plan {
	p := &plan{tool: t, endsGoroutines: t.Impl.Facts().CallsMethods || t.TakesState}
	if g.config.Label != nil && t.Plain == nil {
		p.label = g.config.Label(&t.Doc)
	}
	for _, s := range g.stages {
		if s.when == nil || s.when(g, t) {
			p.stages = append(p.stages, s)
			p.hasExtras = p.hasExtras || s.extras
		}
	}
	p.stages = slices.Clip(p.stages)
	return p
}

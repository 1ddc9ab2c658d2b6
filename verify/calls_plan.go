package verify

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest/observe"
)

// A plan holds what all cases of a test share.
type plan struct {
	settings

	tools   []*contract.Tool
	byName  map[string]*plannedTool
	order   []*plannedTool // by name
	callers []contract.Principal
	notes   []string

	acceptances acceptances
}

// A plannedTool is one tool, with what is drawn for it.
type plannedTool struct {
	doc      contract.Document
	digest   string
	draw     *observe.Arguments // nil: only examples are called
	examples []observe.Value
	reached  atomic.Int64
	calls    atomic.Int64
}

// withoutDrawing is the option for steps that are already given.
func withoutDrawing() Option {
	return optionFunc(func(c *settings) { c.drawn = -1 })
}

func newPlan(tools []*contract.Tool, opts []Option) (*plan, error) {
	p := &plan{settings: settings{limit: defaultLimit}, tools: tools, byName: map[string]*plannedTool{}}
	for _, o := range opts {
		o.applyTo(&p.settings)
	}
	if len(tools) == 0 || slices.Contains(tools, nil) {
		return nil, errNoTool
	}
	p.refuseUnused(forCalls)
	p.refuseOtherTools(tools...)
	for _, text := range p.mistakes {
		return nil, errors.New(text)
	}
	for _, t := range tools {
		f, err := p.plan(t)
		if err != nil {
			return nil, err
		}
		p.byName[f.doc.Name] = f
		p.order = append(p.order, f)
	}
	slices.SortFunc(p.order, func(a, b *plannedTool) int { return cmp.Compare(a.doc.Name, b.doc.Name) })
	p.callers = p.principals()
	p.acceptances.all = p.accepted
	return p, nil
}

// plan finds out what can be drawn for a tool.
func (p *plan) plan(t *contract.Tool) (*plannedTool, error) {
	f := &plannedTool{doc: t.Document(), digest: t.Digest()}
	for _, c := range p.cases {
		if c.Tool != "" && c.Tool != t.Name() || c.Tool == "" && t != p.tools[0] {
			continue
		}
		raw, err := encodeInput(c.Input)
		if err != nil {
			return nil, err
		}
		if raw == nil {
			raw = json.RawMessage("{}")
		}
		tree, err := observe.Parse(raw)
		if err != nil {
			return nil, fmt.Errorf("a case of %s is not JSON: %w", t.Name(), err)
		}
		f.examples = append(f.examples, observe.Value{Tree: tree, JSON: raw})
	}
	if p.drawn < 0 {
		return f, nil
	}
	s, err := observe.ArgumentsOf(t)
	switch {
	case err != nil && len(f.examples) == 0:
		return nil, fmt.Errorf("%s: %w; give a Case whose input the tool accepts", t.Name(), err)
	case err != nil:
		p.notes = append(p.notes, fmt.Sprintf("%s: %v; only the cases are called", t.Name(), err))
		return f, nil
	}
	f.draw = s
	for _, gap := range s.Gaps() {
		p.notes = append(p.notes, fmt.Sprintf("%s: %s", t.Name(), gap))
	}
	return f, nil
}

// principals returns the callers, the usual one first.
func (p *plan) principals() []contract.Principal {
	if len(p.settings.callers) > 1 {
		return p.settings.callers
	}
	var docs []contract.Document
	for _, t := range p.order {
		docs = append(docs, t.doc)
	}
	usual := principalFor(docs...)
	usual.Tenant = "tenant-1"
	if len(p.settings.callers) == 1 {
		usual = p.settings.callers[0]
	}
	all := []contract.Principal{usual}
	if slices.ContainsFunc(p.resources, func(r Resource) bool { return !r.Shared }) {
		other := usual
		other.Tenant, other.Subject = usual.Tenant+" (other)", usual.Subject+" (other)"
		all = append(all, other)
	}
	return all
}

// unreachedTools returns a message for each tool that no call reached.
func (p *plan) unreachedTools() []string {
	var all []string
	for _, t := range p.order {
		if t.calls.Load() > 0 && t.reached.Load() == 0 {
			j := Judgement{
				Rule: ruleNotReached, Conclusion: Contradicted, Observed: fmt.Sprintf("none of %d calls reached the handler", t.calls.Load()),
				Remedy: claimNamed(ruleNotReached).Remedy,
			}
			all = append(all, t.doc.Name+": "+j.String())
		}
	}
	return all
}

// accepts reports whether a tool accepts raw as arguments.
func accepts(tool *contract.Tool, raw json.RawMessage) bool {
	_, accepted := observe.Read(tool, raw)
	return accepted
}

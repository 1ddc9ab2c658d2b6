package verify

import (
	"errors"
	"strings"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/verify/internal/draw"
)

// Calls returns the calls that package fuzz draws. In tests, use fuzz.Tools
// instead.
func Calls(tools []*contract.Tool, opts ...Option) (draw.Calls, error) {
	p, err := newPlan(tools, opts)
	if err != nil {
		return nil, err
	}
	return p, nil
}

var errNoTool = errors.New("there is no tool to call")

// Tools returns the names of the tools, sorted.
func (p *plan) Tools() []string {
	var names []string
	for _, t := range p.order {
		names = append(names, t.doc.Name)
	}
	return names
}

// Cases returns the number set by [WithDrawn].
func (p *plan) Cases() int { return p.drawn }

// Notes returns what cannot be drawn.
func (p *plan) Notes() []string { return p.notes }

// CallExamples calls each example in a case of its own, so that reaching a tool
// does not depend on what is drawn.
func (p *plan) CallExamples(t testing.TB) {
	t.Helper()
	for _, tool := range p.order {
		for _, example := range tool.examples {
			s := p.open(t)
			found := s.step(Step{Tool: tool.doc.Name, Input: string(example.JSON), Repeat: true})
			if found = append(found, s.end()...); len(found) > 0 {
				t.Errorf("verify: %s", s.finding(found).Report)
			}
			s.Close()
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// Open starts a case.
func (p *plan) Open(t testing.TB) draw.Case {
	t.Helper()
	return p.open(t)
}

// End fails t for tools that no call reached, and for stale acceptances.
func (p *plan) End(t testing.TB) {
	t.Helper()
	for _, missed := range p.unreachedTools() {
		t.Errorf("verify: %s", missed)
	}
	p.acceptances.log(t)
	p.acceptances.refuseStale(t, "the fuzzed calls", ", or give a Case that shows the contradiction in every run")
}

// Draw draws a call of a tool.
func (s *session) Draw(tool string, from observe.Source) draw.Call {
	step := s.draw(from, s.byName[tool])
	return draw.Call{Text: step.literal(), Make: func() draw.Contradiction { return s.finding(s.step(step)) }}
}

// End judges what the audit log shows.
func (s *session) End() draw.Contradiction { return s.finding(s.end()) }

// Close abandons a handler that is still running.
func (s *session) Close() { s.t.end() }

// finding returns findings with the calls that led to them.
func (s *session) finding(found []Judgement) draw.Contradiction {
	if len(found) == 0 {
		return draw.Contradiction{}
	}
	texts := make([]string, len(found))
	for i, j := range found {
		texts[i] = j.String()
	}
	headline := strings.Join(texts, "\n")
	return draw.Contradiction{Headline: headline, Report: headline + "\nThe calls for verify.Replay:\n" + goOf(s.steps)}
}

package verify

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// A session makes the calls of one case, with one state and one guard.
type session struct {
	*plan

	t         *harnessTB
	runs      *runLog
	client    *contracttest.Client
	harnesses map[string]*harness // by tool

	steps    []Step
	results  []any // the structured content of each step, or nil
	attempts []*attempt
	links    []link
	things   []thing
	strange  bool // an argument had characters that the guard removes
}

// open starts a case.
func (p *plan) open(tb testing.TB) *session {
	tb.Helper()
	s := &session{plan: p, t: &harnessTB{TB: tb, ctx: tb.Context()}, runs: &runLog{}, harnesses: map[string]*harness{}}
	of := Fixture{Tools: p.tools, State: p.state}
	if p.fixture != nil {
		made := p.fixture(s.t)
		switch {
		case made.Tools != nil:
			of.Tools = made.Tools
		case made.Tool != nil:
			of.Tools = []*contract.Tool{made.Tool}
		}
		if made.State != nil {
			of.State = made.State
		}
		of.Folders = made.Folders
		of.Store = made.Store
	}
	for _, setup := range p.setups {
		setup(s.t)
	}
	watched := witness.Options{Folders: p.folders, NoKernel: true, Settle: -1} // too many calls to wait after each
	for _, transport := range p.transports {
		watched.Requests = append(watched.Requests, &transport.seen)
	}
	recorder, _ := witness.Here(watched)
	log := &Log{}
	all := make([]*contract.Tool, len(of.Tools))
	for i, tool := range of.Tools {
		all[i] = s.runs.instrument(tool)
		s.harnesses[tool.Name()] = &harness{
			verifier: &verifier{t: s.t, tool: tool, doc: tool.Document(), config: &p.settings, witness: recorder},
			t:        s.t, runLog: s.runs, of: of, log: log,
		}
	}
	for _, t := range p.order {
		if h := s.harnesses[t.doc.Name]; h == nil || h.tool.Digest() != t.digest {
			tb.Fatalf("verify: %s: %v", t.doc.Name, errOtherContract)
		}
	}
	client, spy := newClient(s.t, log, of.Store, all,
		guard.WithRateLimit(1_000_000, time.Second), guard.WithRetryBudget(0, 0), guard.WithTimes(guard.Times{Drain: -1}))
	s.client = client
	for _, h := range s.harnesses {
		h.store = spy
	}
	return s
}

// caller returns the principal who makes a step.
func (s *session) caller(step Step) contract.Principal {
	if step.As.IsAnonymous() {
		return s.callers[0]
	}
	return step.As
}

// harness returns the harness of a step's tool, for the step's caller, and the
// function that ends it.
func (s *session) harness(step Step) (*harness, context.CancelFunc) {
	ctx, end := context.WithTimeout(context.WithoutCancel(s.t.TB.Context()), s.limit)
	s.t.ctx = ctx
	h := s.harnesses[step.Tool]
	h.client = s.client.As(s.caller(step))
	if step.Key != "" {
		h.client = h.client.WithKey(step.Key)
	}
	return h, end
}

// withSources returns a step with the values of the results that it names.
func (s *session) withSources(step Step) (Step, error) {
	if s.byName[step.Tool] == nil {
		return step, fmt.Errorf("there is no tool %s", step.Tool)
	}
	if len(step.From) == 0 {
		return step, nil
	}
	tree, err := observe.Parse([]byte(step.Input))
	if err != nil {
		return step, err
	}
	for at, from := range step.From {
		if from.Step < 0 || from.Step >= len(s.results) {
			return step, fmt.Errorf("there is no step %d before it", from.Step)
		}
		value, err := lookup(s.results[from.Step], from.Pointer)
		if err != nil {
			return step, fmt.Errorf("the result of step %d has no %s", from.Step, from.Pointer)
		}
		tree = replaceAt(tree, at, value)
	}
	raw, err := observe.Marshal(tree)
	step.Input = string(raw)
	return step, err
}

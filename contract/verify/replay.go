package verify

import (
	"slices"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
)

// Replay makes the calls of a sequence that package fuzz printed, and judges them as
// it does. The options are those that it was found with.
// The test fails for each contradiction, and if a step can no longer take its
// arguments from the result of another.
func Replay(t testing.TB, tools []*contract.Tool, steps []Step, opts ...Option) {
	t.Helper()
	p, err := newPlan(tools, append(slices.Clone(opts), withoutDrawing()))
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	s := p.open(t)
	defer s.Close()
	var found []Judgement
	for i, step := range steps {
		if step, err = s.linked(step); err != nil {
			t.Fatalf("verify: step %d: %v", i, err)
		}
		found = append(found, s.step(step)...)
	}
	for _, j := range append(found, s.end()...) {
		t.Errorf("verify: %s", j)
	}
	p.accepting.log(t)
}

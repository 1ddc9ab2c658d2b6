package verify

import (
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/contract"
)

// CheckCalls is [Fuzz] without the fuzzing of go test. Tests see it fail.
func CheckCalls(t testing.TB, tools []*contract.Tool, opts ...Option) {
	t.Helper()
	p, err := newFuzzPlan(tools, opts)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	p.check(t)
}

// FirstContradiction tries cases as [Fuzz] does, and returns the first
// report of a contradiction as it is, or "".
func FirstContradiction(t testing.TB, cases int, tools []*contract.Tool, opts ...Option) string {
	t.Helper()
	p, err := newFuzzPlan(tools, opts)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	rapid.Check(t, func(r *rapid.T) {
		rapid.Bool().Draw(r, "")
		if cases--; cases >= 0 && p.last == "" {
			p.draw(t, r, func(report string, _ []Judgement) {
				if p.last == "" {
					p.last = report
				}
			})
		}
	})
	for _, missed := range p.missed() {
		p.last += missed
	}
	return p.last
}

// GoOf and JSONOf print steps.
var (
	GoOf   = goOf
	JSONOf = jsonOf
)

// CheckIdempotencyUnjudged is [CheckIdempotency] if no history can be judged in
// time.
func CheckIdempotencyUnjudged(t testing.TB, tool *contract.Tool, opts ...Option) {
	t.Helper()
	h, err := newHistories(tool, opts)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	h.order = func(porcupine.Model, []porcupine.Operation) porcupine.CheckResult { return porcupine.Unknown }
	h.run(t)
}

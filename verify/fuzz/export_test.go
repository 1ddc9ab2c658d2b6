package fuzz

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/internal/draw"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
)

// Check is [Tools] without go test's fuzzing, so that tests can see it fail.
func Check(t testing.TB, tools []*contract.Tool, opts ...verify.Option) {
	t.Helper()
	callsOf(t, tools, opts).check(t)
}

// FirstContradiction tries cases as [Tools] does, and returns the first report
// of a contradiction unshrunk, or "".
func FirstContradiction(t testing.TB, cases int, tools []*contract.Tool, opts ...verify.Option) string {
	t.Helper()
	c, first := callsOf(t, tools, opts), ""
	rapid.Check(t, func(r *rapid.T) {
		rapid.Bool().Draw(r, "")
		if cases--; cases >= 0 && first == "" {
			c.draw(t, r, func(found draw.Contradiction) {
				if first == "" {
					first = found.Report
				}
			})
		}
	})
	return first + failtest.Text(t, c.End)
}

package verify

import (
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/toolcontract/toolcontract/contract"
)

// GoOf prints steps.
var GoOf = goOf

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

// Assert reports an observation as [Tool] does.
func Assert(t testing.TB, o Observation) {
	t.Helper()
	o.assert(t)
}

// WithoutKernel makes all calls in the process of the test, without the kernel
// as a witness.
func WithoutKernel() Option {
	return optionFunc(func(c *settings) { c.noKernel = true })
}

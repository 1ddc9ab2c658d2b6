package verify

import (
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
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

// A Passed is a call in a history whose handler ran and passed on a key, with an
// unknown outcome or with success.
type Passed struct {
	Key     string
	Unknown bool
}

// IsLegal reports whether these calls may follow each other. asks means that the
// contract has Reconcile.
func IsLegal(asks bool, calls ...Passed) bool {
	m := historyModel{mode: idempotency.Managed, reruns: true, asks: asks}
	var history []porcupine.Operation
	for i, c := range calls {
		a := historyAnswer{kind: done, runs: 1, passed: c.Key}
		if c.Unknown {
			a.kind = unclear
		}
		history = append(history, porcupine.Operation{Output: a, Call: int64(2 * i), Return: int64(2*i + 1)})
	}
	return porcupine.CheckOperations(m.porcupine(), history)
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

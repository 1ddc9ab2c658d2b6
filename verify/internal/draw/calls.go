// Package draw is the interface between package verify, which makes and judges
// calls, and package fuzz, which draws them.
package draw

import (
	"testing"

	"github.com/toolcontract/toolcontract/contracttest/observe"
)

// Calls are the calls of tools that a test draws. Package verify makes and
// judges them; package verify/fuzz provides the randomness.
type Calls interface {
	// Tools returns the names of the tools, sorted.
	Tools() []string
	// Cases returns how many cases the test asks for. Zero means the usual
	// number.
	Cases() int
	// Notes returns descriptions of what cannot be drawn.
	Notes() []string
	// CallExamples calls each given input in a case of its own, and ends t if
	// one of them contradicts a contract.
	CallExamples(t testing.TB)
	// Open starts a case with fresh state.
	Open(t testing.TB) Case
	// End fails t for tools that no call reached.
	End(t testing.TB)
}

// A Case is a sequence of calls on the same state.
type Case interface {
	// Draw draws a call of a tool.
	Draw(tool string, from observe.Source) Call
	// End judges the calls together, after the last one.
	End() Contradiction
	// Close abandons handlers that are still running.
	Close()
}

// A Call is a drawn call.
type Call struct {
	// Text describes the call. Make makes and judges it.
	Text string
	Make func() Contradiction
}

// GoString returns the text, for test logs.
func (c Call) GoString() string { return c.Text }

// A Contradiction is what contradicts a contract. Empty: nothing does.
type Contradiction struct {
	// Headline is the same whenever the same calls are made.
	Headline string
	// Report includes the calls.
	Report string
}

// Package fuzz calls tools with many inputs, valid and nearly valid, and prints
// the smallest failure. With several tools, it calls them in sequences in which
// results become arguments.
//
//	func FuzzSend(f *testing.F) {
//		fuzz.Tools(f, []*contract.Tool{Send}, verify.Case{Input: SendInput{To: "ben@example.org"}})
//	}
//
// It is a separate package because it links package rapid's flags into a test.
// The options are those of package verify.
//
// # Guarantees
//
//   - Every call is made under a guard, as on a server.
//   - It writes no files of its own; only package rapid does, recording
//     failures below testdata/rapid.
//   - It is safe for concurrent use.
//
// # Deviations and limits
//
//   - It proves nothing: an input that was never drawn may contradict a
//     contract.
//   - The kernel does not witness drawn calls.
package fuzz

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/internal/draw"
)

// Tools calls tools under a real guard with arguments drawn from their input
// schemas: valid ones, and ones that break a single keyword. It judges every
// call by those rules of [verify.Tool] that a single call can break:
//
//   - invalid arguments never reach the handler;
//   - results fit their schema and size limit, and errors are declared;
//   - nothing panics, and secrets leak nowhere;
//   - a read-only call and a dry run change nothing in [verify.WithState];
//   - an idempotent call can be repeated.
//
// A single tool is called once per case. Several tools, such as those of a
// server, are called in sequences. Results of earlier calls become arguments of
// later ones if a member of a result and one of the arguments have the same
// name, or if [verify.WithResource] links them. Deleted things, and those of
// another tenant, must not be usable; see [verify.Resource].
//
// go test tries a bounded number of cases, 100 by default, and shrinks the
// first failure. [verify.WithDrawn] sets the number. Package rapid's flag
// -rapid.checks sets it too; the smaller one counts if both are given. With
// -short, it is a fifth of that. Another flag sets the seed. go test -fuzz
// tries cases until it is stopped, guided by coverage. A failure prints its
// calls as a Go expression for [verify.Replay].
//
// Each [verify.Case] is an example of a useful input, such as one with an ID
// that the handler knows. It is called first, and its members are mixed into
// other calls. The test fails if no call reaches the handler, or if no drawn
// value satisfies the schema and there is no Case.
//
// Cases share the handler's state, unless [verify.WithSetup] resets it or
// [verify.WithFixture] makes a new one for each case.
func Tools(f *testing.F, tools []*contract.Tool, opts ...verify.Option) {
	f.Helper()
	c := callsOf(f, tools, opts)
	for _, note := range c.Notes() {
		f.Logf("verify: %s", note)
	}
	if fuzzes() {
		for seed := range uint64(fuzzSeeds) {
			f.Add(fuzzSeed(seed))
		}
	} else {
		c.check(f)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rapid.MakeFuzz(func(r *rapid.T) { c.try(t, r) })(t, data)
	})
}

// calls draws calls and keeps the report of the last failure.
type calls struct {
	draw.Calls

	last string
}

func callsOf(t testing.TB, tools []*contract.Tool, opts []verify.Option) *calls {
	t.Helper()
	c, err := verify.Calls(tools, opts...)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	return &calls{Calls: c}
}

// check calls the examples, tries a bounded number of cases, and shrinks the
// first failure.
func (c *calls) check(t testing.TB) {
	t.Helper()
	c.CallExamples(t)
	defer c.setChecks()()
	tried := 0
	rapid.Check(&checkTB{t, c}, func(r *rapid.T) {
		if c.last == "" { // shrinking a failure takes as many cases as it takes
			if tried++; c.Cases() > 0 && tried > c.Cases() {
				return
			}
		}
		c.try(t, r)
	})
	c.End(t)
}

// setChecks makes package rapid try as many cases as WithDrawn says, unless its
// flag sets the number, and returns a function that restores the number.
func (c *calls) setChecks() (restore func()) {
	checks := flag.Lookup("rapid.checks")
	if c.Cases() < 1 || checks.Value.String() != checks.DefValue {
		return func() {}
	}
	_ = checks.Value.Set(strconv.Itoa(c.Cases()))
	return func() { _ = checks.Value.Set(checks.DefValue) }
}

// A checkTB is the testing.TB of a check. It explains a failure that package
// rapid cannot repeat.
type checkTB struct {
	testing.TB

	calls *calls
}

func (t *checkTB) Errorf(format string, args ...any) {
	t.Helper()
	t.TB.Errorf(format, args...)
	if strings.Contains(format, "flaky") {
		t.Logf("verify: the calls below did not contradict the contract when they were made again. "+
			"If the cases share a state, reset it by WithSetup, or make it for each case by WithFixture.\n%s", t.calls.last)
	}
}

// fuzzes reports whether the test runs with -fuzz.
func fuzzes() bool {
	for _, name := range []string{"test.fuzz", "test.fuzzworker"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" && f.Value.String() != "false" {
			return true
		}
	}
	return false
}

// fuzzSeeds is the number of inputs that go test's fuzzing starts with. Each
// has enough bytes for a sequence of calls.
const (
	fuzzSeeds    = 8
	fuzzSeedSize = 16 << 10
)

func fuzzSeed(seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // inputs of a test
	data := make([]byte, fuzzSeedSize)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

// try draws one case and fails it for anything that contradicts the contract.
func (c *calls) try(tb testing.TB, r *rapid.T) {
	c.draw(tb, r, func(found draw.Contradiction) {
		c.last = found.Report
		r.Logf("%s", found.Report)
		r.Fatalf("verify: %s", found.Headline)
	})
}

// draw draws the calls of one case, just one if there is only one tool, and
// reports what contradicts the contract.
func (c *calls) draw(tb testing.TB, r *rapid.T, report func(draw.Contradiction)) {
	session := c.Open(tb)
	defer session.Close()
	judge := func(found draw.Contradiction) {
		if found.Report != "" {
			report(found)
		}
	}
	actions := map[string]func(*rapid.T){}
	for _, tool := range c.Tools() {
		actions[tool] = func(r *rapid.T) {
			judge(rapid.Custom(func(r *rapid.T) draw.Call { return session.Draw(tool, source{r}) }).Draw(r, "call").Make())
		}
	}
	if len(actions) == 1 {
		actions[c.Tools()[0]](r)
	} else {
		r.Repeat(actions)
	}
	judge(session.End())
}

package verify

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/contract"
)

// Fuzz calls tools under a real guard with arguments drawn from their input
// schemas: valid ones, and ones that break a single keyword.
//
//	func FuzzSend(f *testing.F) {
//		verify.Fuzz(f, []*contract.Tool{Send}, verify.Case{Input: SendInput{To: "ben@example.org"}})
//	}
//
// It judges every call by the rules of [Tool] that a call can show:
//
//   - invalid arguments never reach the handler;
//   - results fit their schema and size, and errors are declared;
//   - nothing panics, and secrets leak nowhere;
//   - a read-only call and a dry run change nothing of [WithState];
//   - an idempotent call can be repeated.
//
// One tool is called once in each case. Several, such as those of a server, are
// called in sequences. The results of earlier calls become arguments of later
// ones, if a member of a result and one of the arguments have the same name, or
// if [WithResource] links them. Things that were deleted, and those of another
// tenant, must not be usable; see [Resource].
//
// go test tries a bounded number of cases, by default 100, and shrinks the
// first failure. [WithDrawn] and the flags of package rapid set the number, and
// a flag sets the seed. go test -fuzz tries cases until it is stopped, guided
// by coverage. A failure prints its calls as JSON and as a Go expression for
// [Replay].
//
// Each [Case] is an example of a useful input, such as one with an id that the
// handler knows. Fuzz calls it first, and takes members of it into other calls.
// The test fails if no call reaches the handler, and if no drawn value
// satisfies the schema and there is no Case.
//
// Cases share the state of the handler, unless [WithSetup] resets it or
// [WithFixture] makes a new one for each case.
func Fuzz(f *testing.F, tools []*contract.Tool, opts ...Option) {
	f.Helper()
	p, err := newFuzzPlan(tools, opts)
	if err != nil {
		f.Fatalf("verify: %v", err)
	}
	for _, note := range p.notes {
		f.Logf("verify: %s", note)
	}
	if fuzzes() {
		for seed := range uint64(fuzzSeeds) {
			f.Add(fuzzSeed(seed))
		}
	} else {
		p.check(f)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rapid.MakeFuzz(func(r *rapid.T) { p.try(t, r) })(t, data)
	})
}

// check calls the examples, tries a bounded number of cases, and shrinks the
// first failure.
func (p *fuzzPlan) check(t testing.TB) {
	t.Helper()
	p.callExamples(t)
	tried := 0
	rapid.Check(&checkTB{t, p}, func(r *rapid.T) {
		if p.last == "" { // a failure is made smaller by as many cases as it takes
			if tried++; p.drawn > 0 && tried > p.drawn {
				return
			}
		}
		p.try(t, r)
	})
	for _, missed := range p.missed() {
		t.Errorf("verify: %s", missed)
	}
	p.accepting.log(t)
	p.accepting.refuseStale(t, "the fuzzed calls", ", or give a Case that shows the contradiction in every run")
}

// callExamples calls each example in a case of its own, so that whether a tool
// is reached does not depend on what is drawn.
func (p *fuzzPlan) callExamples(t testing.TB) {
	t.Helper()
	for _, tool := range p.order {
		for _, example := range tool.examples {
			s, err := p.open(t)
			if err != nil {
				t.Fatalf("verify: %v", err)
			}
			step := Step{Tool: tool.doc.Name, Input: string(example.JSON), Repeat: true}
			found := s.step(step)
			if found = append(found, s.end()...); len(found) > 0 {
				t.Errorf("verify: %s", s.report(found))
			}
			s.close()
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// A checkTB is the test of a check. It explains a failure that package rapid
// cannot repeat.
type checkTB struct {
	testing.TB

	plan *fuzzPlan
}

// Errorf fails the test.
func (t *checkTB) Errorf(format string, args ...any) {
	t.Helper()
	t.TB.Errorf(format, args...)
	if strings.Contains(format, "flaky") {
		t.Logf("verify: the calls below did not contradict the contract when they were made again. "+
			"If the cases share a state, reset it by WithSetup, or make it for each case by WithFixture.\n%s", t.plan.last)
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

// fuzzSeeds is how many inputs the fuzzing of go test begins with. Each has
// enough bytes for a sequence of calls.
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

// try draws one case and fails it for what contradicts the contract.
func (p *fuzzPlan) try(tb testing.TB, r *rapid.T) {
	p.draw(tb, r, func(report string, found []Judgement) {
		p.last = report
		r.Logf("%s", report)
		r.Fatalf("verify: %s", headline(found))
	})
}

// draw draws the calls of one case, one if there is only one tool, and reports
// what contradicts the contract.
func (p *fuzzPlan) draw(tb testing.TB, r *rapid.T, report func(string, []Judgement)) {
	s, err := p.open(tb)
	if err != nil {
		tb.Fatalf("verify: %v", err)
	}
	defer s.close()
	judge := func(found []Judgement) {
		if len(found) > 0 {
			report(s.report(found), found)
		}
	}
	if len(p.order) == 1 {
		judge(s.step(s.draw(r, p.order[0])))
	} else {
		actions := map[string]func(*rapid.T){}
		for _, tool := range p.order {
			actions[tool.doc.Name] = func(r *rapid.T) { judge(s.step(s.draw(r, tool))) }
		}
		r.Repeat(actions)
	}
	judge(s.end())
}

// headline names the findings. A test that is repeated while it shrinks has the
// same one each time.
func headline(found []Judgement) string {
	texts := make([]string, len(found))
	for i, j := range found {
		texts[i] = j.String()
	}
	return strings.Join(texts, "\n")
}

// report returns findings with the calls that lead to them.
func (s *fuzzSession) report(found []Judgement) string {
	return fmt.Sprintf("%s\nThe calls as JSON:\n%s\nThe calls for verify.Replay:\n%s", headline(found), jsonOf(s.steps),
		goOf(s.steps))
}

// Replay makes the calls of a sequence that [Fuzz] printed, and judges them as
// it does. The options are those that it was found with.
// The test fails for each contradiction, and if a step can no longer take its
// arguments from the result of another.
func Replay(t testing.TB, tools []*contract.Tool, steps []Step, opts ...Option) {
	t.Helper()
	p, err := newFuzzPlan(tools, append(slices.Clone(opts), withoutDrawing()))
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	s, err := p.open(t)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	defer s.close()
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

var errNoTool = errors.New("there is no tool to call")

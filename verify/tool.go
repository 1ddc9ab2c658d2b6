package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// Tool calls a tool under a guard and compares what it observes with the tool's
// contract. It fails t if a call contradicts the contract, or if no call
// succeeded.
//
//	verify.Tool(t, Search)
//	verify.Tool(t, Create, verify.Case{Input: CreateInput{Title: "Tea"}}, verify.WithSetup(emptyTables))
//
// Without a [Case], inputs are drawn from the input schema. Each case has a
// guard of its own. The tool is called first as a dry run, if it has one, then
// normally, and then again if the contract declares what a repetition does.
// Give each case fresh state with [WithSetup] or [WithFixture], and expose
// state that is not in files with [WithState].
//
// # What is observed
//
// On Linux, the kernel reports every file that a call writes, every address it
// connects to, and every program it starts. To make that possible, the test
// runs a second time in a child process, up to the call of Tool. Setup before
// that call therefore happens twice, and the rest of the test once. On other
// systems, in a [testing.B], and if the kernel refuses, [WithFolders] and
// [WithTransport] observe files and HTTP requests. On every system, WithState
// observes what it names, such as the rows of a table. The report names the
// witnesses, and says why the kernel was not among them.
//
// # What is concluded
//
// [Claims] lists the rules. The conclusion about each rule that applies is
// contradicted, consistent or unknown; see [Conclusion]. Unknown is logged as
// such and never counts as a pass; [WithRequired] makes it fail the test. There
// is one exception: if no call succeeds, nothing has been shown. Then no
// conclusion is consistent, the test fails, and the report ends with the first
// error.
//
// [Observe] returns the same as an [Observation].
func Tool(t testing.TB, tool *contract.Tool, options ...Option) {
	t.Helper()
	verify(t, tool, options, func(t testing.TB, v Observation) {
		t.Helper()
		v.assert(t)
	})
}

// Observe is [Tool] without failing the test: it returns what was observed and
// concluded. A mistake in the options still fails t.
//
// Call it at most once in a test or subtest. In the child process that the
// kernel watches, only the call that the process was started for has an
// observation, so a test that judges the result of an earlier call would end
// there.
func Observe(t testing.TB, tool *contract.Tool, options ...Option) Observation {
	t.Helper()
	var observed Observation
	verify(t, tool, options, func(_ testing.TB, v Observation) { observed = v })
	return observed
}

const (
	defaultDrawn = 8
	defaultLimit = 10 * time.Second
)

func verify(t testing.TB, tool *contract.Tool, options []Option, report func(testing.TB, Observation)) {
	t.Helper()
	if tool == nil {
		t.Errorf("verify: Tool: the tool is nil; pass what Build returned")
		return
	}
	config := settings{limit: defaultLimit}
	for _, o := range options {
		o.applyTo(&config)
	}
	config.refuseUnused(forTool)
	config.refuseOtherTools(tool)
	for _, mistake := range config.mistakes {
		t.Errorf("verify: %s: %s", tool.Name(), mistake)
	}
	if len(config.mistakes) > 0 {
		return
	}
	if len(config.cases) == 0 && config.drawn == 0 {
		config.drawn = defaultDrawn
	}
	watched := witness.Options{Folders: config.folders, NoKernel: config.noKernel}
	for _, transport := range config.transports {
		watched.Requests = append(watched.Requests, &transport.seen)
	}
	judge := func(t testing.TB, r witness.Result, err error) {
		t.Helper()
		var v Observation
		if err == nil {
			err = json.Unmarshal(r.Report, &v)
		}
		if err != nil {
			t.Errorf("verify: %s: %v", tool.Name(), err)
			return
		}
		v.addWitnesses(r)
		v.settle(t, &config)
		report(t, v)
	}
	observe := func(t testing.TB, r *witness.Recorder) []byte {
		t.Helper()
		v := &verifier{t: t, tool: tool, doc: tool.Document(), config: &config, witness: r}
		data, err := json.Marshal(v.run())
		if err != nil {
			t.Fatalf("verify: %s: %v", tool.Name(), err)
		}
		return data
	}
	test, ok := t.(*testing.T)
	if !ok {
		r, result := witness.Here(watched)
		result.Report = observe(t, r)
		judge(t, result, r.Err())
		return
	}
	witness.Run(test, "verify "+tool.Name(), watched,
		func(t *testing.T, r *witness.Recorder) []byte { return observe(t, r) },
		func(t *testing.T, r witness.Result, err error) { judge(t, r, err) })
}

// addWitnesses adds a run's witnesses to the report.
func (o *Observation) addWitnesses(r witness.Result) {
	var seen []string
	for _, s := range r.Seen {
		seen = append(seen, string(s))
	}
	o.Witnesses = append(seen, o.Witnesses...)
	o.NoKernel, o.Unseen = r.Why, r.Unseen
}

// settle applies what the test's author accepts and requires.
func (o *Observation) settle(t testing.TB, config *settings) {
	t.Helper()
	for _, a := range config.accepted {
		stale := true
		for i, j := range o.Judgements {
			if j.Rule == a.rule && (j.Conclusion == Contradicted || j.Conclusion == Unknown && j.Rule == ruleNeverSucceeded) {
				o.Judgements[i].Accepted = a.reason
				stale = false
			}
		}
		if stale {
			t.Errorf("verify: %s: WithAccepted: nothing contradicts %s any more; remove the acceptance", o.Tool, a.rule)
		}
	}
	for i, j := range o.Judgements {
		o.Judgements[i].fails = j.Conclusion == Unknown && (isShowing(j.Rule) || config.requiresAll ||
			slices.Contains(config.required, j.Rule))
	}
}

// A verifier makes the calls of one [Tool] or [Observe].
type verifier struct {
	t       testing.TB
	tool    *contract.Tool
	doc     contract.Document
	config  *settings
	witness *witness.Recorder

	schema   *observe.Arguments // nil until a value is drawn
	noSchema error              // why schema stays nil

	attempts   []*attempt
	runs       int
	allowed    []string
	judgements []Judgement
	notes      []string
}

// run makes every call and judges them.
func (v *verifier) run() Observation {
	start := time.Now()
	inputs, err := v.inputs()
	if err != nil {
		v.notes = append(v.notes, "no inputs were drawn: "+err.Error())
	}
	for _, in := range inputs {
		v.attempts = append(v.attempts, v.try(in))
	}
	v.judge(v.claims())
	v.withdraw()
	v.noteFailures()
	report := Observation{
		Tool: v.doc.Name, Judgements: v.judgements, Notes: slices.Concat(v.notes, v.allowed), Runs: v.runs,
		Duration: time.Since(start), Cases: []TriedCase{}, Unseen: []string{},
	}
	if report.Notes == nil {
		report.Notes = []string{}
	}
	if v.hasState() {
		report.Witnesses = append(report.Witnesses, "state")
	}
	for _, c := range v.attempts {
		report.Cases = append(report.Cases, c.report())
	}
	return report
}

func (v *verifier) hasState() bool {
	return slices.ContainsFunc(v.attempts, func(c *attempt) bool { return c.first.hasState })
}

func (c *attempt) report() TriedCase {
	out := TriedCase{Name: c.name, Input: string(c.arguments), Reached: len(c.first.runs) > 0, Status: "none"}
	if r := c.first.result; r != nil {
		out.Status = r.Outcome.Status.String()
		out.Code = r.Outcome.Code
	}
	if c.first.err != nil {
		out.Code = c.first.err.Error()
	}
	return out
}

var errOtherContract = errors.New("the tool of the fixture has another contract than the tool that is verified")

// newFixture returns a fresh fixture for one harness.
func (v *verifier) newFixture(t testing.TB) (Fixture, error) {
	f := Fixture{Tool: v.tool, State: v.config.state}
	if v.config.fixture == nil {
		return f, nil
	}
	fresh := v.config.fixture(t)
	if tool := fresh.named(v.doc.Name); tool != nil {
		f.Tool = tool
	}
	if fresh.State != nil {
		f.State = fresh.State
	}
	f.Tools = fresh.Tools
	f.Folders = fresh.Folders
	f.Store = fresh.Store
	if f.Tool.Digest() != v.tool.Digest() {
		return f, fmt.Errorf("%s: %w", f.Tool.Name(), errOtherContract)
	}
	return f, nil
}

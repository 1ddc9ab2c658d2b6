package contracttest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/risk"
)

func TestInspect_ReportsMissingTools(t *testing.T) {
	t.Parallel()
	r := contracttest.Inspect()
	assert.Equal(t, []string{" "}, places(r, "tools.none"))
	r = contracttest.Inspect(nil, build(t, reading("notes.read"))[0])
	assert.Equal(t, []string{" "}, places(r, "tool.nil"))
	assert.Equal(t, []string{"notes.read"}, r.Tools)
}

func TestInspectSnapshot_FindsWhatInspectFinds(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{" "}, places(contracttest.InspectSnapshot(compat.Snapshot{}), "tools.none"))
	tools := broken(t)
	s, err := compat.NewSnapshot(tools...)
	require.NoError(t, err)
	r := contracttest.InspectSnapshot(s)
	assert.Equal(t, contracttest.Inspect(tools...), r)
	assert.Positive(t, r.Count(contracttest.Error))
}

func TestInspectSnapshot_EndsForASchemaThatRefersToItself(t *testing.T) {
	t.Parallel()
	doc := build(t, reading("notes.read"))[0].Document()
	doc.InputSchema = json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`)
	assert.NotEmpty(t, contracttest.InspectSnapshot(compat.Snapshot{Tools: []contract.Document{doc}}).Findings)
}

// broken returns tools with findings of every severity.
func broken(t *testing.T) []*contract.Tool {
	t.Helper()
	return build(t, reading("notes.read"), reading("notes.list").Title(""), write(base[noteIn, noteOut]("notes.write")))
}

func TestInspection_IsTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	tools := broken(t)
	first, err := json.Marshal(contracttest.Inspect(tools...))
	require.NoError(t, err)
	slices.Reverse(tools)
	again, err := json.Marshal(contracttest.Inspect(tools...))
	require.NoError(t, err)
	assert.Equal(t, string(first), string(again))

	var read contracttest.Inspection
	require.NoError(t, json.Unmarshal(first, &read))
	assert.Equal(t, contracttest.Inspect(tools...), read, "it can be read back")
	const gravest = "error warning info"
	severities := make([]contracttest.Severity, len(read.Findings))
	for i, f := range read.Findings {
		severities[i] = f.Severity
	}
	assert.True(t, slices.IsSortedFunc(severities, func(a, b contracttest.Severity) int {
		return strings.Index(gravest, string(a)) - strings.Index(gravest, string(b))
	}), "the gravest first")

	empty, err := json.Marshal(contracttest.Inspect(build(t,
		reading("notes_read").FlatName().Risk(risk.Forbidden))...).Accept("name.domain", "It is old."))
	require.NoError(t, err)
	assert.NotContains(t, string(empty), "null")
}

func TestCheck_FailsForErrorsOnly(t *testing.T) {
	t.Parallel()
	tb := &recorder{}
	contracttest.Check(tb, broken(t)...)
	require.Len(t, tb.errors, 1)
	assert.Contains(t, tb.errors[0], "[sideEffects.missing] notes.write: sideEffects: ")
	require.Len(t, tb.logs, len(contracttest.Inspect(broken(t)...).Findings), "the findings that do not fail, and the page of rules")
	assert.Contains(t, tb.logs[len(tb.logs)-1], "/docs/rules.md#check")

	tb = &recorder{}
	contracttest.Check(tb, build(t, reading("notes.read"), writing("notes.write"))...)
	assert.Empty(t, tb.errors)

	tb = &recorder{}
	contracttest.Inspection{Findings: []contracttest.Finding{{Rule: "of.another.version"}}}.Assert(tb)
	assert.Len(t, tb.errors, 1, "an undeclared severity is no excuse")
}

func TestInspection_AcceptsWithAReason(t *testing.T) {
	t.Parallel()
	report := contracttest.Inspect(build(t, write(base[noteIn, noteOut]("notes.a")), write(base[noteIn, noteOut]("notes.b")))...)
	require.Equal(t, 2, report.Count(contracttest.Error))

	all := report.Accept("sideEffects.missing", "The log is the effect.")
	assert.Zero(t, all.Count(contracttest.Error))
	assert.Equal(t, "The log is the effect.", all.Findings[0].Accepted)
	tb := &recorder{}
	all.Assert(tb)
	assert.Empty(t, tb.errors)
	assert.Equal(t, 2, report.Count(contracttest.Error), "the report itself is unchanged")

	one := report.Accept("sideEffects.missing", "The log is the effect.", "notes.b")
	assert.Equal(t, 1, one.Count(contracttest.Error))
	tb = &recorder{}
	one.Assert(tb)
	require.Len(t, tb.errors, 1)
	assert.Contains(t, tb.errors[0], "notes.a")
}

func TestInspection_ReportsAcceptancesWithoutAFinding(t *testing.T) {
	t.Parallel()
	report := contracttest.Inspect(build(t, reading("notes.read").Title(" "))...)
	for name, accepted := range map[string]contracttest.Inspection{
		"a rule that nothing breaks":    report.Accept("sideEffects.missing", "Why."),
		"a rule that does not exist":    report.Accept("sideEffects.missin", "Why."),
		"a tool without the finding":    report.Accept("title.missing", "Why.", "notes.read", "notes.list"),
		"a finding accepted once more":  report.Accept("accept.stale", "Why."),
		"a tool of a finding about all": report.Accept("name.dots", "Why.", "notes.read"),
	} {
		assert.Len(t, places(accepted, "accept.stale"), 1, name)
		assert.Equal(t, 1, accepted.Count(contracttest.Error), name)
	}
	blank := report.Accept("name.dots", " ")
	assert.Equal(t, []string{" name.dots"}, places(blank, "accept.reason"))
	assert.Equal(t, 1, blank.Count(contracttest.Error))
}

func TestInspection_IsATable(t *testing.T) {
	t.Parallel()
	r := contracttest.Inspect(broken(t)...).Accept("title.missing", "It has none.")
	rows := strings.Split(r.String(), "\n")
	assert.Equal(t, []string{"severity", "rule", "tool", "clause", "finding"}, strings.Fields(rows[0]))
	assert.Equal(t, []string{"error", "sideEffects.missing", "notes.write", "sideEffects"}, strings.Fields(rows[1])[:4])
	for i, f := range r.Findings {
		assert.Contains(t, rows[i+1], f.Message)
	}
	assert.Equal(t, 1, strings.Count(r.String(), "contract.Underscore"), "a remedy is written once")
	assert.Equal(t, "3 tools: 1 error, 0 warnings, 2 infos, 1 accepted", rows[len(rows)-2])
	assert.Empty(t, rows[len(rows)-1])
	assert.Equal(t, "0 tools: 0 errors, 0 warnings, 0 infos, 0 accepted\n", contracttest.Inspection{}.String())
}

func TestFinding_IsOneLine(t *testing.T) {
	t.Parallel()
	f := contracttest.Finding{Rule: "a.b", Severity: contracttest.Error, Tool: "t.u", Clause: "c", Message: "wrong", Remedy: "right"}
	assert.Equal(t, "error [a.b] t.u: c: wrong; right", f.String())
	f.Tool, f.Clause, f.Accepted = "", "", "why"
	assert.Equal(t, "error [a.b] wrong; right (accepted: why)", f.String())
}

// lines collects what a test prints.
type lines struct {
	testing.TB

	errors, logs []string
}

func (*lines) Helper() {}

func (l *lines) Errorf(format string, args ...any) {
	l.errors = append(l.errors, fmt.Sprintf(format, args...))
}

func (l *lines) Logf(format string, args ...any) {
	l.logs = append(l.logs, fmt.Sprintf(format, args...))
}

func TestAssert_ShowsThreeFindingsWholeAndGroupsTheOthers(t *testing.T) {
	t.Parallel()
	var r contracttest.Inspection
	for i := range 23 {
		r.Findings = append(r.Findings, contracttest.Finding{
			Rule: fmt.Sprintf("rule.%d", i%2), Severity: contracttest.Error, Tool: fmt.Sprintf("tool.%02d", i/2), Message: "whole",
		})
	}
	var all lines
	r.Assert(&all)
	require.Len(t, all.errors, 5)
	for _, line := range all.errors[:3] {
		assert.Contains(t, line, "whole")
	}
	assert.Contains(t, all.errors[3], "[rule.0] 10 more: tool.02, tool.03")
	assert.Contains(t, all.errors[4], "[rule.1] 10 more: tool.01, tool.02")
	assert.Len(t, all.logs, 1, "the page of the rules")
	all = lines{}
	r.Findings = r.Findings[:3]
	r.Assert(&all)
	assert.Len(t, all.errors, 3, "nothing to group")
}

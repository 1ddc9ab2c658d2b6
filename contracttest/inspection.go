package contracttest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// An Inspection is what [Inspect] found. As JSON it is an object with the
// members tools and findings. It is plain data: its methods do not change it,
// and it is safe for concurrent use as long as nobody changes it.
type Inspection struct {
	// Tools are the names of the inspected tools, sorted.
	Tools []string `json:"tools"`
	// Findings are sorted by severity, errors first, then by tool, rule, clause
	// and message.
	Findings []Finding `json:"findings"`
}

// Count returns how many findings have the severity and are not accepted.
func (r Inspection) Count(severity Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == severity && f.Accepted == "" {
			n++
		}
	}
	return n
}

// Accept returns a report in which a rule's findings are accepted for a reason:
// those of the named tools, or of all tools if none is named. Accepted findings
// stay in the report and fail no test.
//
// A blank reason is a finding of the rule "accept.reason". If there is nothing
// to accept, whether for a named tool or for all, that is a finding of the rule
// "accept.stale", so that old acceptances get removed.
func (r Inspection) Accept(rule, reason string, tools ...string) Inspection {
	r.Tools = slices.Clone(r.Tools)
	r.Findings = slices.Clone(r.Findings)
	if strings.TrimSpace(reason) == "" {
		return r.with(finding(ruleAcceptReason, "", rule, "findings are accepted without a reason"))
	}
	matched := map[string]bool{}
	for i, f := range r.Findings {
		if f.Rule == rule && (len(tools) == 0 || slices.Contains(tools, f.Tool)) {
			r.Findings[i].Accepted = reason
			matched[f.Tool] = true
		}
	}
	if len(tools) == 0 && len(matched) == 0 {
		r = r.with(finding(ruleAcceptStale, "", rule, "findings are accepted, but there are none"))
	}
	for _, tool := range tools {
		if !matched[tool] {
			r = r.with(finding(ruleAcceptStale, tool, rule, "findings are accepted, but there are none"))
		}
	}
	return r
}

// with returns the report with more findings, sorted. It changes the slices of
// r.
func (r Inspection) with(more ...Finding) Inspection {
	slices.Sort(r.Tools)
	r.Findings = append(r.Findings, more...)
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Host, b.Host), cmp.Compare(a.Clause, b.Clause), cmp.Compare(a.Message, b.Message))
	})
	return r
}

// pageOfRules is the page that explains every rule.
const pageOfRules = "https://github.com/toolcontract/toolcontract/blob/main/docs/rules.md"

// wholeFindings is how many findings Assert shows in full, of those that fail
// the test and of the others.
const wholeFindings = 3

// Assert fails t for every error that is not accepted, and logs all other
// findings. Of each kind it shows the first three in full and groups the rest
// by rule.
func (r Inspection) Assert(t testing.TB) {
	t.Helper()
	var failing, others []Finding
	for _, f := range r.Findings {
		if f.fails() {
			failing = append(failing, f)
		} else {
			others = append(others, f)
		}
	}
	show(failing, t.Errorf)
	show(others, t.Logf)
	if len(failing) > 0 {
		t.Logf("contracttest: rules: %s#check", pageOfRules)
	}
}

// show prints the first findings in full, and then one line for each rule of
// the rest, with the tools.
func show(findings []Finding, printf func(format string, args ...any)) {
	for _, f := range findings[:min(len(findings), wholeFindings)] {
		printf("contracttest: %v", f)
	}
	tools, counts := map[string][]string{}, map[string]int{}
	for _, f := range findings[min(len(findings), wholeFindings):] {
		counts[f.Rule]++
		if tool := cmp.Or(f.Tool, "all tools"); !slices.Contains(tools[f.Rule], tool) {
			tools[f.Rule] = append(tools[f.Rule], tool)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		printf("contracttest: [%s] %d more: %s", rule, counts[rule], strings.Join(tools[rule], ", "))
	}
}

// String returns a table for a terminal: a row for each finding, each rule's
// remedy once, and a line with counts. It ends with a newline.
func (r Inspection) String() string {
	var b strings.Builder
	if len(r.Findings) > 0 {
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		row := func(cells ...any) { _, _ = fmt.Fprintf(w, "%v\t%v\t%v\t%v\t%v\n", cells...) }
		row("severity", "rule", "tool", "clause", "finding")
		remedies := map[string]string{}
		for _, f := range r.Findings {
			message := f.Message
			if f.Accepted != "" {
				message += " (accepted: " + f.Accepted + ")"
			}
			row(f.Severity, f.Rule, cmp.Or(f.Tool, "-"), cmp.Or(f.Clause, "-"), message)
			remedies[f.Rule] = f.Remedy
		}
		_ = w.Flush() // writing to a strings.Builder does not fail
		b.WriteString("\n")
		for _, rule := range slices.Sorted(maps.Keys(remedies)) {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", rule, remedies[rule])
		}
		_ = w.Flush()
		b.WriteString("\n")
	}
	accepted := 0
	for _, f := range r.Findings {
		if f.Accepted != "" {
			accepted++
		}
	}
	fmt.Fprintf(&b, "%s: %s, %s, %s, %d accepted\n", countOf(len(r.Tools), "tool"),
		countOf(r.Count(Error), "error"), countOf(r.Count(Warning), "warning"), countOf(r.Count(Info), "info"), accepted)
	return b.String()
}

// countOf returns a number with its noun, such as "1 tool" or "2 tools".
func countOf(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

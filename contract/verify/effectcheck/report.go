package effectcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A Report has the findings of [Analyze]. It is plain data: its methods do not
// change it, and it is safe for concurrent use unless it is being changed.
type Report struct {
	// Tools are the names of the analyzed tools, sorted.
	Tools []string `json:"tools"`
	// Findings are sorted by tool, part and capability.
	Findings []Finding `json:"findings"`
	// Mistakes are allowances without a reason or without a finding.
	Mistakes []string `json:"mistakes,omitempty"`
}

// Answer returns the worst answer for a tool. Allowed findings count as
// consistent. A tool without findings is [Consistent], and a tool that was not
// analyzed has no answer.
func (r Report) Answer(tool string) Answer {
	if !slices.Contains(r.Tools, tool) {
		return UndeclaredAnswer
	}
	worst := Consistent
	for _, f := range r.Findings {
		if f.Tool == tool && f.fails() {
			worst = max(worst, f.Answer)
		}
	}
	return worst
}

// Allow returns a report in which a capability of the named tools is allowed
// for a reason, which reviewers read. With no tools named it is allowed for all
// of them. A blank reason, and an allowance that no finding needs, are
// mistakes, which fail [Report.Assert].
//
//	report.Allow(effectcheck.NetworkPost, "search is a POST", "mail.search")
func (r Report) Allow(c Capability, reason string, tools ...string) Report {
	r.Findings, r.Mistakes = slices.Clone(r.Findings), slices.Clone(r.Mistakes)
	if strings.TrimSpace(reason) == "" {
		r.Mistakes = append(r.Mistakes, fmt.Sprintf("%s is allowed without a reason; give one", c))
		return r
	}
	used := map[string]bool{}
	for i, f := range r.Findings {
		if f.Capability == c && f.Answer != Consistent && (len(tools) == 0 || slices.Contains(tools, f.Tool)) {
			r.Findings[i].Allowed = reason
			used[f.Tool] = true
		}
	}
	if len(tools) == 0 && len(used) == 0 {
		r.Mistakes = append(r.Mistakes, fmt.Sprintf("%s is allowed, and no tool needs it; remove the allowance", c))
	}
	for _, tool := range tools {
		if !used[tool] {
			r.Mistakes = append(r.Mistakes, fmt.Sprintf("%s: %s is allowed and not needed; remove the allowance", tool, c))
		}
	}
	return r
}

// Assert fails t for every mistake, and for every finding that is contradicted
// or unknown and not allowed. It logs the other findings.
func (r Report) Assert(t testing.TB) {
	t.Helper()
	for _, m := range r.Mistakes {
		t.Errorf("effectcheck: %s", m)
	}
	for _, f := range r.Findings {
		if f.fails() {
			t.Errorf("effectcheck: %v", f)
		} else {
			t.Logf("effectcheck: %v", f)
		}
	}
}

// Capabilities returns the capabilities of each tool, sorted and each once, for
// the member Capabilities of a compat.Snapshot. Those of a dry run begin with
// "dry run: ". Every analyzed tool has an entry.
func (r Report) Capabilities() map[string][]string {
	all := make(map[string][]string, len(r.Tools))
	for _, tool := range r.Tools {
		all[tool] = []string{}
	}
	for _, f := range r.Findings {
		text := cmp.Or(string(f.Capability), "UNKNOWN")
		if f.Part == DryRun {
			text = string(DryRun) + ": " + text
		}
		all[f.Tool] = append(all[f.Tool], text)
	}
	for tool, list := range all {
		slices.Sort(list)
		all[tool] = slices.Compact(list)
	}
	return all
}

func (r Report) sort() {
	slices.Sort(r.Tools)
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(b.Part, a.Part), cmp.Compare(a.Capability, b.Capability))
	})
}

package effectcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// An Analysis is what [Analyze] found in the source of tools. It is plain data:
// its methods do not change it, and it is safe for concurrent use as long as
// nobody changes it.
type Analysis struct {
	// Tools are the names of the analyzed tools, sorted.
	Tools []string `json:"tools"`
	// Effects are sorted by tool, part and capability.
	Effects []Effect `json:"effects"`
	// Mistakes are allowances without a reason or without an effect.
	Mistakes []string `json:"mistakes,omitempty"`
}

// Conclusion returns the worst conclusion about a tool. Allowed effects count
// as consistent. A tool without effects is [Consistent]; for a tool that was
// not analyzed, the conclusion is empty.
func (r Analysis) Conclusion(tool string) Conclusion {
	if !slices.Contains(r.Tools, tool) {
		return ""
	}
	worst := Consistent
	for _, f := range r.Effects {
		if f.Tool == tool && f.fails() && worst != Contradicted {
			worst = f.Conclusion
		}
	}
	return worst
}

// Allow returns a copy of the analysis in which the named tools are allowed a
// capability, for a reason that reviewers can read. If no tools are named, all
// of them are allowed it. A blank reason, and an allowance that no effect
// needs, are mistakes, which fail [Analysis.Assert].
//
//	report.Allow("NETWORK/POST", "search is a POST", "mail.search")
func (r Analysis) Allow(c Capability, reason string, tools ...string) Analysis {
	r.Effects = slices.Clone(r.Effects)
	r.Mistakes = slices.Clone(r.Mistakes)
	if strings.TrimSpace(reason) == "" {
		r.Mistakes = append(r.Mistakes, fmt.Sprintf("%s is allowed without a reason; give one", c))
		return r
	}
	used := map[string]bool{}
	for i, f := range r.Effects {
		if f.Capability == c && f.Conclusion != Consistent && (len(tools) == 0 || slices.Contains(tools, f.Tool)) {
			r.Effects[i].Allowed = reason
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

// Assert fails t for every mistake, and for every effect that is contradicted
// or unknown and not allowed. It logs all other effects.
func (r Analysis) Assert(t testing.TB) {
	t.Helper()
	for _, m := range r.Mistakes {
		t.Errorf("effectcheck: %s", m)
	}
	for _, f := range r.Effects {
		if f.fails() {
			t.Errorf("effectcheck: %v", f)
		} else {
			t.Logf("effectcheck: %v", f)
		}
	}
}

// Capabilities returns each tool's capabilities, sorted and without duplicates,
// for the Capabilities member of a compat.Snapshot. Those of a dry run begin
// with "dry run: ", those of a precheck with "precheck: ", and those of a
// reconciliation with "reconciliation: ". Every analyzed tool has an entry.
func (r Analysis) Capabilities() map[string][]string {
	all := make(map[string][]string, len(r.Tools))
	for _, tool := range r.Tools {
		all[tool] = []string{}
	}
	for _, f := range r.Effects {
		text := cmp.Or(string(f.Capability), "UNKNOWN")
		if f.Part != handlerPart {
			text = f.Part + ": " + text
		}
		all[f.Tool] = append(all[f.Tool], text)
	}
	for tool, list := range all {
		slices.Sort(list)
		all[tool] = slices.Compact(list)
	}
	return all
}

func (r Analysis) sort() {
	slices.Sort(r.Tools)
	slices.SortStableFunc(r.Effects, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(b.Part, a.Part), cmp.Compare(a.Capability, b.Capability))
	})
}

package contracttest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// A Conformance says how far tools follow the MCP-first standard, in the
// standard's own report format.
type Conformance struct {
	// Target is the name of the server or the tools.
	Target string `json:"target"`
	// ManifestVersion is the version of the standard.
	ManifestVersion string `json:"manifest_version"`
	// Results has one result for each rule, in the standard's order.
	Results []RuleResult `json:"results"`
	// CriticalFailures are the IDs of the failed rules that are a MUST. Each of
	// them prevents conformance.
	CriticalFailures []string `json:"critical_failures"`
	// Score is the share of judged rules that the tools follow, from 0 to 100.
	// A partial verdict counts half.
	Score int `json:"conformance_score"`
	// Summary is one line with the level and the counts of verdicts. The level
	// is 0 if a MUST failed, 1 if a SHOULD failed, and otherwise 2. People have
	// to judge the rules whose verdict is partial or n/a, because contracts do
	// not show enough.
	Summary string `json:"summary"`
}

// A RuleResult is the verdict on one rule of the MCP-first standard.
type RuleResult struct {
	// ID is the ID of the rule, "R1" to "R40".
	ID string `json:"id"`
	// Verdict is "pass", "fail", "partial" or "n/a". Partial means that the
	// contracts follow the part of the rule that they can show; n/a, that they
	// show nothing about it.
	Verdict string `json:"verdict"`
	// Reason gives the grounds in one line. For a failed rule, it names the
	// rules of [Demands] and the tools.
	Reason string `json:"reason"`
}

func (c Conformance) level() int {
	if len(c.CriticalFailures) > 0 {
		return 0
	}
	if slices.ContainsFunc(c.Results, func(r RuleResult) bool { return r.Verdict == fail }) {
		return 1
	}
	return 2
}

// MCPFirst judges tools by the rules of the MCP-first standard, as far as their
// contracts show. Findings of every severity count, so tools that pass [Check]
// may fail here. target is what the report calls the server or the tools. It
// calls no handler.
func MCPFirst(target string, tools ...*contract.Tool) Conformance {
	found := Inspect(tools...).Findings
	c := Conformance{Target: target, ManifestVersion: mcpFirstVersion, CriticalFailures: []string{}}
	count := map[string]int{}
	for _, rule := range mcpFirstRules() {
		result := RuleResult{ID: rule.ID, Verdict: rule.Verdict, Reason: rule.Reason}
		if broken := rule.broken(found); broken != "" {
			result.Verdict, result.Reason = fail, broken
			if rule.Obligation == "MUST" {
				c.CriticalFailures = append(c.CriticalFailures, rule.ID)
			}
		}
		count[result.Verdict]++
		c.Results = append(c.Results, result)
	}
	judged := count[pass] + count[partial] + count[fail]
	c.Score = (100*count[pass] + 50*count[partial]) / judged
	c.Summary = fmt.Sprintf("level %d: %d rules pass, %d fail, %d pass as far as contracts show, %d are not judged",
		c.level(), count[pass], count[fail], count[partial], count[notJudged])
	return c
}

// broken returns the rules and tools whose findings break r, or "" if there are
// none. Without tools, every rule that a finding can break is broken.
func (r mcpFirstRule) broken(found []Finding) string {
	var parts []string
	for _, rule := range append([]string{ruleToolsNone, ruleToolNil}, r.Rules...) {
		var tools []string
		for _, f := range found {
			if f.Rule == rule && len(r.Rules) > 0 && !slices.Contains(tools, f.Tool) {
				tools = append(tools, f.Tool)
			}
		}
		if len(tools) > 0 {
			slices.Sort(tools)
			parts = append(parts, strings.TrimSpace(rule+" "+strings.Join(tools, ", ")))
		}
	}
	return strings.Join(parts, "; ")
}

package contracttest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// A Conformance says how far tools keep the MCP-first standard, in the standard's own report format.
type Conformance struct {
	// Target names what was judged.
	Target string `json:"target"`
	// ManifestVersion is that of the standard: [MCPFirstVersion].
	ManifestVersion string `json:"manifest_version"`
	// Results are in the standard's order, one for each rule.
	Results []RuleResult `json:"results"`
	// CriticalFailures are the IDs of the failed rules that are a MUST. One of them blocks conformance.
	CriticalFailures []string `json:"critical_failures"`
	// Score is the share of the judged rules that are kept, from 0 to 100; partial counts as a half.
	Score int `json:"conformance_score"`
	// Summary is one line: the level and the numbers behind it. Level 0 is a failed MUST, 1 none, 2 no failed SHOULD
	// either, as far as contracts show.
	Summary string `json:"summary"`
}

// A RuleResult is the verdict on one rule of the MCP-first standard.
type RuleResult struct {
	// ID is the rule's, "R1" to "R40".
	ID string `json:"id"`
	// Verdict is pass, fail, partial or n/a.
	Verdict Verdict `json:"verdict"`
	// Reason says why, in one line; where the rule is broken it names the rules of [Rules] and the tools.
	Reason string `json:"reason"`
}

// Level returns 0 where a MUST is broken, 1 where a SHOULD is, else 2. It speaks of what contracts show: rules with the
// verdicts partial and n/a are for people to look at.
func (c Conformance) Level() int {
	if len(c.CriticalFailures) > 0 {
		return 0
	}
	if slices.ContainsFunc(c.Results, func(r RuleResult) bool { return r.Verdict == Fail }) {
		return 1
	}
	return 2
}

// MCPFirst judges tools by the rules of the MCP-first standard, as far as their contracts show; [MCPFirstRules] lists how.
// A finding counts whatever its severity, so tools that pass [Check] may fail here: the standard demands more. target
// names what is judged. It calls no handler.
func MCPFirst(target string, tools ...*contract.Tool) Conformance {
	found := Inspect(tools...).Findings
	c := Conformance{Target: target, ManifestVersion: MCPFirstVersion, CriticalFailures: []string{}}
	count := map[Verdict]int{}
	for _, rule := range mcpFirstTable {
		result := RuleResult{ID: rule.ID, Verdict: rule.Verdict, Reason: rule.Reason}
		if broken := rule.broken(found); broken != "" {
			result.Verdict, result.Reason = Fail, broken
			if rule.Obligation == must {
				c.CriticalFailures = append(c.CriticalFailures, rule.ID)
			}
		}
		count[result.Verdict]++
		c.Results = append(c.Results, result)
	}
	judged := count[Pass] + count[Partial] + count[Fail]
	c.Score = (100*count[Pass] + 50*count[Partial]) / judged
	c.Summary = fmt.Sprintf("level %d: %d rules pass, %d fail, %d are kept as far as contracts show, %d are not judged",
		c.Level(), count[Pass], count[Fail], count[Partial], count[NotJudged])
	return c
}

// broken says which rules are broken by which tools, "" for none. Without any tool to judge every rule that findings can
// break is broken.
func (r MCPFirstRule) broken(found []Finding) string {
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

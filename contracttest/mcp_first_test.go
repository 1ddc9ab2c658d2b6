package contracttest_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
)

func TestMCPFirstRules_AreTheRulesOfTheStandard(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, r := range contracttest.Demands() {
		known[r.ID] = true
	}
	data, err := os.ReadFile("testdata/mcp-first-rules.txt")
	require.NoError(t, err)
	rules := contracttest.MCPFirstRules
	at := 0
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(strings.TrimSpace(line), " ", 4)
		require.Len(t, parts, 4)
		require.Less(t, at, len(rules), "%s is forgotten", parts[0])
		r := rules[at]
		at++
		assert.Equal(t, []string{parts[0], parts[1], parts[3]}, []string{r.ID, r.Obligation, r.Demand})
		assert.Contains(t, []string{"pass", "partial", "n/a"}, r.Verdict, r.ID)
		assert.NotEmpty(t, r.Reason, r.ID)
		for _, rule := range r.Rules {
			assert.True(t, known[rule], "%s rests on the unknown rule %s", r.ID, rule)
		}
		switch parts[2] {
		case "-":
			assert.Equal(t, "n/a", r.Verdict, "%s cannot be judged", r.ID)
			assert.Empty(t, r.Rules, r.ID)
		case "V", "P":
			assert.Equal(t, "partial", r.Verdict, "contracts do not show all of %s", r.ID)
		case "C", "CV":
			assert.NotEqual(t, "n/a", r.Verdict, "contracts show something of %s", r.ID)
		default:
			assert.Fail(t, "what can it be judged from?", line)
		}
	}
	assert.Len(t, rules, at)
}

// exemplary returns tools that follow every rule that contracts can show.
func exemplary(t *testing.T) []*contract.Tool {
	t.Helper()
	managed := contract.Idempotency{Mode: idempotency.Managed}
	return build(
		t, reading("notes.read"), writing("notes.write").Idempotency(managed),
		critical[noteIn]().Idempotency(managed).DryRun(dryrun.By(previews[noteIn])).StepUp(contract.StepUp{ACR: "mfa"}),
	)
}

func TestMCPFirst_FailsEachRuleThatAFindingBreaks(t *testing.T) {
	t.Parallel()
	good := contracttest.MCPFirst("notes", exemplary(t)...)
	require.Empty(t, good.CriticalFailures)
	for i, r := range contracttest.MCPFirstRules {
		assert.Equal(t, contracttest.RuleResult{ID: r.ID, Verdict: r.Verdict, Reason: r.Reason}, good.Results[i])
	}
	breaking := map[string][]buildable{}
	for _, tt := range ruleCases() {
		breaking[tt.rule] = tt.bad
	}
	for i, r := range contracttest.MCPFirstRules {
		for _, rule := range r.Rules {
			bad := contracttest.MCPFirst("notes", build(t, breaking[rule]...)...)
			assert.Equal(t, "fail", bad.Results[i].Verdict, "%s by %s", r.ID, rule)
			assert.Contains(t, bad.Results[i].Reason, rule)
			assert.Equal(t, r.Obligation == "MUST", containsID(bad.CriticalFailures, r.ID), r.ID)
		}
	}
}

func containsID(ids []string, id string) bool {
	return strings.Contains(" "+strings.Join(ids, " ")+" ", " "+id+" ")
}

func TestMCPFirst_HasTheLevelsOfTheStandard(t *testing.T) {
	t.Parallel()
	good := contracttest.MCPFirst("notes", exemplary(t)...)
	assert.Greater(t, good.Score, 50)
	assert.Less(t, good.Score, 100, "partial is not kept")
	assert.True(t, strings.HasPrefix(good.Summary, "level 2: "), good.Summary)

	repeated := contracttest.MCPFirst("notes", build(t, writing("notes.write"))...)
	assert.True(t, strings.HasPrefix(repeated.Summary, "level 1: "), "a SHOULD is broken")
	assert.Less(t, repeated.Score, good.Score)

	text := contracttest.MCPFirst("notes", build(t, base[noteIn, string]("notes.read").Effect(1).Permissions("p"))...)
	assert.True(t, strings.HasPrefix(text.Summary, "level 0: "), "a MUST is broken")
	assert.Equal(t, []string{"R7"}, text.CriticalFailures)

	for name, nobody := range map[string]contracttest.Conformance{"no tool": contracttest.MCPFirst("nothing"),
		"a nil tool": contracttest.MCPFirst("nothing", nil)} {
		assert.True(t, strings.HasPrefix(nobody.Summary, "level 0: "), "what is not there keeps nothing: %s", name)
	}
}

func TestMCPFirst_WritesTheStandardsReport(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(contracttest.MCPFirst("notes", exemplary(t)...))
	require.NoError(t, err)
	var report map[string]any
	require.NoError(t, json.Unmarshal(data, &report))
	var members []string
	for name := range report {
		members = append(members, name)
	}
	assert.ElementsMatch(t, []string{"target", "manifest_version", "results", "critical_failures", "conformance_score", "summary"},
		members)
	assert.Equal(t, []any{}, report["critical_failures"])
	first, ok := report["results"].([]any)[0].(map[string]any)
	require.True(t, ok)
	assert.Equal(t, map[string]any{"id": "R1", "verdict": "n/a", "reason": "architecture: contracts do not show it"}, first)
}

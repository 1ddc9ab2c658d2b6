package failurecheck_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/toolcontract/toolcontract/contract/verify/failurecheck"
)

func TestAnalyzer_ReportsWhatTheTestdataExpects(t *testing.T) {
	t.Parallel()
	results := analysistest.Run(t, ".", failurecheck.Analyzer, "./testdata/tools")
	require.Len(t, results, 1)
	answers := map[string]failurecheck.Answer{}
	for _, v := range results[0].Result.([]failurecheck.Verdict) {
		answers[v.Tool] = v.Answer
	}
	assert.Equal(t, map[string]failurecheck.Answer{
		"notes.declared": failurecheck.Consistent, "notes.undeclared": failurecheck.Contradicted,
		"notes.plain": failurecheck.Contradicted, "notes.other": failurecheck.Consistent,
		"notes.pruned": failurecheck.Consistent, "notes.mailed": failurecheck.Contradicted,
		"notes.mapped": failurecheck.Contradicted, "notes.stored": failurecheck.Unknown,
		"notes.open": failurecheck.Unknown, "notes.based": failurecheck.Consistent,
		"notes.copied": failurecheck.Consistent, "notes.shared": failurecheck.Consistent,
		"notes.tagged": failurecheck.Consistent, "notes.dry": failurecheck.Contradicted,
		"notes.allowed": failurecheck.Consistent, "notes.passed": failurecheck.Consistent, "notes.deferred": failurecheck.Contradicted,
		"notes.asserted": failurecheck.Consistent, "notes.method": failurecheck.Contradicted,
	}, answers)
}

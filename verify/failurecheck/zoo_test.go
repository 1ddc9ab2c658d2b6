package failurecheck_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/verify/failurecheck"
	"github.com/toolcontract/toolcontract/verify/internal/testing/zoo"
)

// TestInspect_FindsTheLiesAboutFailures covers all tools of the zoo, whose
// handlers are method values in another package.
func TestInspect_FindsTheLiesAboutFailures(t *testing.T) {
	t.Parallel()
	var tools []*contract.Tool
	env := zoo.NewEnv(t, zoo.Parts{})
	for _, e := range zoo.All() {
		tools = append(tools, e.Lying(env).Tool, e.Honest(env).Tool)
	}
	verdicts, err := failurecheck.Inspect(tools...)
	require.NoError(t, err)
	require.Len(t, verdicts, len(tools))
	answers := map[string]zoo.Answers{}
	for i, e := range zoo.All() {
		lying, honest := verdicts[2*i], verdicts[2*i+1]
		answer := zoo.Answers{Honest: string(honest.Answer)}
		if e.Rule == zoo.RuleFailureUndeclared || e.Rule == zoo.RuleFailureNeverReturned {
			answer.Lying = string(lying.Answer)
		}
		answers[e.Name] = answer
		assert.EqualValues(t, zoo.Consistent, honest.Answer, "%s: %v %v", e.Name, honest.Findings, honest.Unknown)
		if e.Rule == zoo.RuleFailureUndeclared || e.Rule == zoo.RuleFailureNeverReturned {
			require.Len(t, lying.Findings, 1, e.Name)
			assert.Equal(t, e.Rule, lying.Findings[0].Rule, e.Name)
			continue
		}
		assert.EqualValues(t, zoo.Consistent, lying.Answer, "%s: the lie is another one: %v", e.Name, lying.Findings)
	}
	zoo.Record(t, "failurecheck", answers)
}

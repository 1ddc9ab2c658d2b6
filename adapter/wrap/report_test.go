package wrap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/adapter/wrap"
)

// A server with hundreds of tools prints its report at every start.
func TestReport_OfManyToolsIsASummary(t *testing.T) {
	t.Parallel()
	report := &wrap.Report{}
	for i := range 863 {
		report.Tools = append(report.Tools, wrap.Tool{
			Name:    fmt.Sprintf("tool_%03d", i),
			Guesses: []wrap.Guess{{Clause: "effect", Value: []string{"read-only", "destructive"}[i%2], Hint: "readOnlyHint"}},
			Changes: []string{"a person is asked before every call", fmt.Sprintf("is listed as tool.%03d", i)},
		})
	}
	summary := report.String()
	assert.Less(t, strings.Count(summary, "\n"), 60, summary)
	for _, line := range []string{
		"\n863                               none: left as it is\n",
		"\n- effect destructive, from readOnlyHint\n  tool_001, tool_003, tool_005 and 428 more\n",
		"\n- a person is asked before every call\n  all 863 tools\n",
		"\n- and 844 more, which Details has\n",
	} {
		assert.Contains(t, summary, line)
	}
	details := report.Details()
	for _, tool := range report.Tools {
		assert.Contains(t, details, "\n"+tool.Name+" ")
		assert.Contains(t, details, "\n- "+tool.Changes[1]+"\n")
	}
	report.Tools = report.Tools[:20]
	assert.Equal(t, report.Details(), report.String(), "there is room for all")
}

package failurecheck_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify/failurecheck"
	"github.com/toolcontract/toolcontract/verify/failurecheck/testdata/tools"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
)

var quoted = regexp.MustCompile("`[^`]*`")

// expected returns the patterns of the want comments of files, by place.
func expected(t *testing.T, files ...string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, line := range strings.Split(string(source), "\n") {
			_, want, _ := strings.Cut(line, "// want ")
			for _, pattern := range quoted.FindAllString(want, -1) {
				at := fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
				all[at] = append(all[at], strings.Trim(pattern, "`"))
			}
		}
	}
	return all
}

func TestInspect_FindsWhatTheTestdataExpects(t *testing.T) {
	t.Parallel()
	verdicts, err := failurecheck.Inspect(tools.All...)
	require.NoError(t, err)
	wanted := expected(t, "testdata/tools/tools.go", "testdata/mail/mail.go")
	answers := map[string]string{}
	for _, v := range verdicts {
		answers[v.Tool] = string(v.Answer)
		for _, f := range v.Findings {
			at := fmt.Sprintf("%s:%d", filepath.Base(f.Position.Filename), f.Position.Line)
			found := -1
			for i, pattern := range wanted[at] {
				if regexp.MustCompile(pattern).MatchString(f.String()) {
					found = i
				}
			}
			if assert.GreaterOrEqual(t, found, 0, "%s: %s", f.Position, f) {
				wanted[at] = slices.Delete(wanted[at], found, found+1)
			}
		}
	}
	for at, patterns := range wanted {
		assert.Empty(t, patterns, at)
	}
	assert.Equal(t, map[string]string{
		"notes.declared": "consistent", "notes.undeclared": "contradicted", "notes.plain": "contradicted",
		"notes.other": "consistent", "notes.pruned": "consistent", "notes.mailed": "contradicted",
		"notes.mapped": "contradicted", "notes.stored": "unknown", "notes.tagged": "consistent", "notes.dry": "contradicted",
		"notes.allowed": "consistent", "notes.passed": "consistent", "notes.deferred": "contradicted",
		"notes.asserted": "consistent", "notes.method": "contradicted", "notes.reserved": "consistent",
		"notes.by_code": "consistent", "notes.by_tag": "consistent", "notes.unknown_code": "contradicted", "notes.by_variable": "unknown",
	}, answers)
}

func TestCheck_FailsForFindingsAndLogsWhatIsUnknown(t *testing.T) {
	t.Parallel()
	r := &failtest.T{TB: t}
	failurecheck.Check(r, tools.All...)
	assert.Contains(t, fmt.Sprint(r.Errors), "[failure.undeclared] notes.mapped: failureModes: mailbox_gone: ")
	assert.Contains(t, fmt.Sprint(r.Logs), "notes.stored: unknown: ")
	none := &failtest.T{TB: t}
	failurecheck.Check(none)
	assert.Len(t, none.Errors, 1)
}

package guard_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	threatList          = "testdata/threats.md"
	root                = ".."
	notWithstoodHeading = "### Threats not yet withstood"
	minThreats          = 60
)

// Every threat on the list has a test or is listed in the changelog as not yet
// withstood. A threat with a test must not be listed there.
func TestThreats_EachHasATestOrIsListedInTheChangelog(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile(threatList)
	require.NoError(t, err)
	var threats []string
	for _, m := range regexp.MustCompile(`(?m)^(\d+)\. `).FindAllStringSubmatch(string(list), -1) {
		threats = append(threats, m[1])
	}
	require.GreaterOrEqual(t, len(threats), minThreats, "the list was not read")

	tests := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^func TestThreat0*(\d+)_[A-Z]`).FindAllStringSubmatch(allTests(t), -1) {
		tests[m[1]] = true
	}
	listed := notWithstood(t)
	for _, threat := range threats {
		assert.True(t, tests[threat] || listed[threat], "threat %s has no test and is not listed in the changelog", threat)
	}
	known := map[string]bool{}
	for _, threat := range threats {
		assert.False(t, known[threat], "two threats have the number %s", threat)
		known[threat] = true
	}
	for threat := range tests {
		assert.True(t, known[threat], "TestThreat%s tests a threat that is not on the list", threat)
	}
	for threat := range listed {
		assert.True(t, known[threat], "the changelog lists threat %s, which is not on the list of threats", threat)
		assert.False(t, tests[threat], "the changelog lists threat %s, which has a test", threat)
	}
}

// allTests returns the text of all test files of the module.
func allTests(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		b.Write(data)
		b.WriteByte('\n')
		return err
	})
	require.NoError(t, err)
	return b.String()
}

// notWithstood returns the threats that the changelog lists as not yet
// withstood.
func notWithstood(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(data), notWithstoodHeading+"\n")
	require.True(t, found, "the changelog has no section %q", notWithstoodHeading)
	section, _, _ = strings.Cut(section, "\n#")
	numbers := map[string]bool{}
	for _, n := range regexp.MustCompile(`\b\d+\b`).FindAllString(section, -1) {
		numbers[n] = true
	}
	return numbers
}

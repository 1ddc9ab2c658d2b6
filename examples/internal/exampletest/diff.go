package exampletest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ApplyDiff applies a unified diff to a text. The test fails if the text does
// not have each of the old parts exactly once.
func ApplyDiff(t *testing.T, diff, text string) string {
	t.Helper()
	for _, hunk := range strings.Split("\n"+diff, "\n@@ ")[1:] {
		_, hunk, _ = strings.Cut(hunk, "\n")
		var old, replacement strings.Builder
		for line := range strings.Lines(hunk) {
			content := strings.TrimSuffix(line[1:], "\n") + "\n"
			if line[0] != '+' {
				old.WriteString(content)
			}
			if line[0] != '-' {
				replacement.WriteString(content)
			}
		}
		require.Equal(t, 1, strings.Count(text, old.String()), "the diff is stale:\n%s", hunk)
		text = strings.Replace(text, old.String(), replacement.String(), 1)
	}
	return text
}

package docs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// maxShown bounds the lines of a difference.
const maxShown = 20

// difference returns the lines that only one of two texts has, those of the
// first marked with "-" and those of the second with "+". It is empty for equal
// texts, and cut after some lines.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	common := make([][]int, len(a)+1) // the longest common part of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := range slices.Backward(a) {
		for j := range slices.Backward(b) {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var lines []string
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i++
			j++
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			lines = append(lines, "- "+a[i])
			i++
		default:
			lines = append(lines, "+ "+b[j])
			j++
		}
	}
	if len(lines) > maxShown {
		lines = append(lines[:maxShown], "…")
	}
	return strings.Join(lines, "\n")
}

// sameText fails the test if a generated text is not what a file has.
func sameText(t *testing.T, want, got, file string) {
	t.Helper()
	if d := difference(want, got); d != "" {
		t.Errorf("%s differs; run go test ./docs -update:\n%s", file, d)
	}
}

func TestDifference_ShowsOnlyTheLinesThatDiffer(t *testing.T) {
	t.Parallel()
	assert.Empty(t, difference("a\nb", "a\nb"))
	assert.Equal(t, "- a\n+ x\n+ y\n- d", difference("a\nb\nc\nd", "x\ny\nb\nc"))
	assert.Equal(t, "+ b", difference("a", "a\nb"))
	assert.Len(t, strings.Split(difference("a", "a\n"+strings.Repeat("b\n", 99)), "\n"), maxShown+1)
}

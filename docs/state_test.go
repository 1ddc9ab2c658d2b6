package docs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A test of the command runs the lines.
func TestOperations_HasTheLinesThatATestRuns(t *testing.T) {
	t.Parallel()
	lines := read(t, "cmd/toolcontract-state/testdata/page.sh")
	assert.Contains(t, read(t, "docs/operations.md"), "```sh\n"+lines+"```\n")
}

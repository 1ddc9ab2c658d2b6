package docs_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server decides whether a tool that is registered again is weaker. It has
// no use for the comparison of schemas, which is larger.
func TestArchitecture_AdaptersDoNotLinkTheComparisonOfSchemas(t *testing.T) {
	t.Parallel()
	for _, adapter := range []string{"mcpgo", "gosdk"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+"/"+adapter).Output()
		require.NoError(t, err)
		deps := strings.Fields(string(out))
		assert.Contains(t, deps, module+"/internal/clausediff", adapter)
		assert.NotContains(t, deps, module+"/internal/schema/diff", adapter)
	}
}

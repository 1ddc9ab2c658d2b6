package failurecheck_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/longtest"
)

// go vet runs the command with the facts of each package in a file.
func TestCommand_RunsUnderGoVet(t *testing.T) {
	t.Parallel()
	longtest.Only(t)
	command := filepath.Join(t.TempDir(), "failurecheck")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", command, "./cmd/failurecheck").CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.CommandContext(t.Context(), "go", "vet", "-vettool="+command, "./testdata/tools").CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), "[failure.undeclared] notes.mapped: failureModes: mailbox_gone: ",
		"a failure of another package")
}

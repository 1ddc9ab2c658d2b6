package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

// The scripts of internal/corpus for emails get the recorded answers of mcp-go,
// except for the differences that the test there lists.
func TestEmails_AnswersAsTheCorpus(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "emails")
	out, err := exec.CommandContext(exampletest.Patient(t), "go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	cmd := exec.CommandContext(exampletest.Patient(t), "go", "test", "-v", "-count=1", "-run", "^TestTwin$", "./internal/corpus")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "TOOLCONTRACT_CORPUS_TWIN="+binary)
	out, err = cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "--- PASS: TestTwin")
}

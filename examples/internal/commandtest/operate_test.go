package commandtest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ran runs a program, and returns its exit status and output.
func ran(t *testing.T, env []string, name string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = append(os.Environ(), env...)
	_ = cmd.Run() // the status has the failure
	require.NotNil(t, cmd.ProcessState, name)
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// newState returns the file of a state with the record of one call.
func newState(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "state.db")
	status, e := called(t, "emails_create_draft", "to=x@example.org", "subject=s", "body=b", "-key", "k1", "--",
		filepath.Join(dir, "emails"), "-state", path)
	require.Zero(t, status, e.Code)
	return path
}

func TestOperate_OfTheServersOwnBinaryIsThatOfTheCommand(t *testing.T) {
	t.Parallel()
	path := newState(t)
	log := filepath.Join(t.TempDir(), "audit.jsonl")
	emails := filepath.Join(dir, "emails")
	status, own, stderr := ran(t, nil, emails, "-state", path, "state", "show", "-json")
	require.Zero(t, status, stderr)
	status, handed, stderr := ran(t, nil, filepath.Join(dir, "toolcontract"), "state", "show", path, "-json")
	require.Zero(t, status, stderr)
	assert.JSONEq(t, own, handed)
	var found struct{ Records map[string]int }
	require.NoError(t, json.Unmarshal([]byte(own), &found))
	assert.Equal(t, 1, found.Records["completed"])

	status, _, stderr = ran(t, nil, emails, "-state", path, "state", "forget", "-audit", log, "-principal", "nobody")
	assert.Equal(t, 1, status, stderr)
	status, _, stderr = ran(t, nil, filepath.Join(dir, "toolcontract"), "state", "forget", "-audit", log,
		"-principal", "nobody", path)
	assert.Equal(t, 1, status, stderr)
	status, _, stderr = ran(t, nil, emails, "state")
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "usage: emails state ")
}

func TestOperate_RunsTheProgramOnThePathOrNamesTheLineThatGetsIt(t *testing.T) {
	t.Parallel()
	path := newState(t)
	alone := filepath.Join(t.TempDir(), "toolcontract")
	require.NoError(t, os.Link(filepath.Join(dir, "toolcontract"), alone))
	status, stdout, stderr := ran(t, []string{"PATH=" + t.TempDir()}, alone, "state", "show", path)
	assert.Equal(t, 2, status)
	assert.Empty(t, stdout)
	assert.Regexp(t, `go run github\.com/toolcontract/toolcontract/cmd/toolcontract-state@\S+ show`, stderr)
	assert.NotContains(t, stderr, path)

	status, _, stderr = ran(t, []string{"PATH=" + dir}, alone, "state", "show", path)
	assert.Zero(t, status, stderr)
	status, stdout, stderr = ran(t, []string{"PATH=" + t.TempDir()}, alone, "state", "schema", "postgres")
	assert.Zero(t, status, stderr)
	assert.Contains(t, stdout, "CREATE TABLE")
}

package corpus_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommands runs each line of testdata/commands.txt, and records stdout,
// stderr and the exit code.
func TestCommands(t *testing.T) {
	t.Parallel()
	lines, err := os.ReadFile("testdata/commands.txt")
	require.NoError(t, err)
	var text strings.Builder
	for line := range strings.Lines(string(lines)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		dir := t.TempDir()
		copyLogs(t, dir)
		text.WriteString(runCommand(t, dir, line))
	}
	compare(t, "commands/all.txt", text.String())
}

// copyLogs fills dir with the audit logs, and with one that others can read.
func copyLogs(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob("testdata/audit/*.jsonl")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), data, 0o600))
	}
	shared := filepath.Join(dir, "shared.jsonl")
	require.NoError(t, os.WriteFile(shared, nil, 0o600))
	require.NoError(t, os.Chmod(shared, 0o644)) // whatever the umask is
}

func runCommand(t *testing.T, dir, line string) string {
	t.Helper()
	args := strings.Split(line, " ")
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(patient(t), binary(t, args[0]), args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	err := cmd.Run()
	require.NotNil(t, cmd.ProcessState, "%s: %v", line, err)
	rec := &recording{mask: newMasker(dir, true)}
	fmt.Fprintf(&rec.text, "$ %s\nexit %d\n", line, cmd.ProcessState.ExitCode())
	unplaced := strings.NewReplacer(filepath.Dir(cmd.Path), "<binaries>")
	rec.output("stdout", unplaced.Replace(stdout.String()))
	rec.output("stderr", unplaced.Replace(stderr.String()))
	return rec.text.String()
}

// output adds what a command wrote.
func (r *recording) output(name, text string) {
	for line := range strings.Lines(text) {
		r.add(name+":", strings.TrimSuffix(line, "\n"))
	}
}

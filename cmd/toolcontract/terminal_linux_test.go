package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

func TestTerminal_HasColoursWidthAndProgress(t *testing.T) {
	old := snapshot(t, adder("1.0.0").MustBuild())
	now := snapshot(t, adder("2.0.0").Permissions("numbers:add").MustBuild())
	onTerminal := func(args ...string) string {
		s := newScreen(t)
		cli.Run(t.Context(), commands(), args, &cli.Terminal{Stdin: s.slave, Stdout: s.slave, Stderr: s.slave})
		_, err := s.slave.WriteString("end of the output\n")
		require.NoError(t, err)
		s.expect("end of the output")
		return s.all()
	}
	log := filepath.Join(t.TempDir(), "audit.jsonl")
	sink, err := audit.OpenFile(log)
	require.NoError(t, err)
	require.NoError(t, sink.Write(t.Context(), audit.Event{Time: time.Unix(1, 0), Kind: audit.Intent, Tool: "numbers.add"}))
	require.NoError(t, sink.Close())
	list := []string{"list", new(notes).serveHTTP(t), "-header", "Authorization: Bearer anna"}
	const red, progress = "\x1b[31m", "100% of the log is checked"

	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	assert.Contains(t, onTerminal("diff", old, now), red, "a breaking change")
	assert.Contains(t, onTerminal("verify-audit", log), progress)
	_, tools, _ := strings.Cut(onTerminal(list...), "\x1b[K")
	for line := range strings.SplitSeq(tools, "\r\n") {
		assert.LessOrEqual(t, len([]rune(line)), 100, line)
	}
	assert.Contains(t, tools, "…", "the screen has 100 columns")

	t.Setenv("NO_COLOR", "1")
	assert.NotContains(t, onTerminal("diff", old, now), red)
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	assert.NotContains(t, onTerminal("verify-audit", log), progress)
	for _, line := range [][]string{{"verify-audit", log}, {"diff", old, now}, list} {
		_, stdout, stderr := runCommand(t, line...)
		assert.NotContains(t, stdout+stderr, "\x1b", line)
		assert.NotContains(t, stderr, progress)
	}
}

package target

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// newModule returns the folder of a program that makes a file where it runs.
func newModule(t *testing.T, source string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "a folder")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	for name, text := range map[string]string{"go.mod": "module server\n", "main.go": source} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}

const (
	runs   = "package main\n\nimport \"os\"\n\nfunc main() { _, _ = os.Create(os.Args[1]) }\n"
	broken = "package main\n\nfunc main() { missing() }\n"
)

func TestBuild_CompilesAndDoesNotStart(t *testing.T) {
	t.Parallel()
	folder := newModule(t, runs)
	made := filepath.Join(folder, "made")
	for _, args := range [][]string{{"run", "-C", folder, ".", made}, {"run", "-C=" + folder, "-trimpath", ".", made}} {
		var stderr strings.Builder
		require.NoError(t, Build(t.Context(), "go", args, &cli.Terminal{Stderr: &stderr}), stderr.String())
		assert.Empty(t, stderr.String())
		assert.NoFileExists(t, made)
	}
}

func TestBuild_PrintsTheErrorsOfGo(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	require.Error(t, Build(t.Context(), "go", []string{"run", "-C", newModule(t, broken), "."}, &cli.Terminal{Stderr: &stderr}))
	assert.Contains(t, stderr.String(), "main.go:3:15: undefined: missing\n")
	assert.Error(t, Build(t.Context(), "go", []string{"run", "-C"}, &cli.Terminal{Stderr: &stderr}))
}

// Each of these would fail if it were built, or would start the program.
func TestBuild_LeavesOtherCommandsAlone(t *testing.T) {
	t.Parallel()
	folder := newModule(t, broken)
	for _, command := range [][]string{
		{"go", "run", "-C", folder, "-exec", "env", "."}, {"go", "run"}, {"go", "vet", folder}, {"go"},
		{"gopher", "run", "."}, {filepath.Join(folder, "server"), "run", "."},
	} {
		assert.NoError(t, Build(t.Context(), command[0], command[1:], &cli.Terminal{Stderr: &strings.Builder{}}), command)
	}
	assert.True(t, IsGo("go.exe"))
	assert.True(t, IsGo("/usr/local/go/bin/go"))
}

func TestBuild_EndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Error(t, Build(ctx, "go", []string{"run", "-C", newModule(t, runs), "."}, &cli.Terminal{Stderr: &strings.Builder{}}))
}

func TestReach_LimitsTheAnswerAndNotTheBuild(t *testing.T) {
	t.Parallel()
	var steps []string
	server := Target{Timeout: time.Hour, build: func(ctx context.Context) error {
		_, limited := ctx.Deadline()
		assert.False(t, limited)
		steps = append(steps, "build")
		return nil
	}}
	on := &cli.Terminal{Stderr: &strings.Builder{}}
	try := func(ctx context.Context) error {
		_, limited := ctx.Deadline()
		assert.True(t, limited)
		steps = append(steps, "answer")
		return nil
	}
	require.NoError(t, server.reach(t.Context(), on, try))
	assert.Equal(t, []string{"build", "answer"}, steps)

	gone := errors.New("gone")
	server.build = func(context.Context) error { return gone }
	assert.ErrorIs(t, server.reach(t.Context(), on, try), gone)
	assert.Len(t, steps, 2, "the server is not started")
}

package main

import (
	"encoding/json"
	"flag"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/databasetest"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/internal/redistest"
)

// TestMain turns the test binary into the program if a test has started it, or
// if the program has started itself in a role.
func TestMain(m *testing.M) {
	if _, ok := parseRole(os.Args[1:]); ok {
		os.Exit(run())
	}
	exampletest.Main(m, run)
}

// needsRedis skips the test if redis-server is not installed, and with -short.
func needsRedis(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short starts no server")
	}
	if _, err := exec.LookPath(redisServer); err != nil {
		t.Skip("redis-server is not installed")
	}
}

func TestRun_PlacesEveryOrderOnce(t *testing.T) {
	t.Parallel()
	needsRedis(t)
	tests := []struct {
		name  string
		sdk   string
		calls int
	}{
		{"the fewest calls", "mcp-go", minCalls},
		{"calls that are not a multiple of the orders", "mcp-go", 307},
		{"the same on the official SDK", "official", 307},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd := exampletest.Command(t, "-json", "-sdk", tt.sdk, "-calls", strconv.Itoa(tt.calls))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			require.NoError(t, err)
			var a map[string]int
			require.NoError(t, json.Unmarshal(out, &a), "one object of numbers")
			assert.Equal(t, []string{"calls", "executions", "inProgress", "keys", "maxExecutionsPerKey", "refused", "replays", "unknown"},
				slices.Sorted(maps.Keys(a)))
			assert.Equal(t, tt.calls, a["calls"])
			assert.Equal(t, tt.calls/callsPerOrder, a["keys"])
			assert.Equal(t, a["keys"], a["executions"])
			assert.Equal(t, 1, a["maxExecutionsPerKey"])
			assert.Positive(t, a["replays"])
			assert.Positive(t, a["unknown"], "the warehouse could not tell at first")
			assert.Positive(t, a["refused"], "the conflicting call")
			assert.Equal(t, a["calls"], a["executions"]+a["replays"]+a["inProgress"]+a["unknown"]+a["refused"])
		})
	}
}

// update writes the recorded story again:
//
//	go test ./examples/replicas -run TellsTheRecordedStory -update
var update = flag.Bool("update", false, "write the recorded story again")

// storyFile has the lines of a run that are the same every time: those above
// the counts.
const storyFile = "testdata/story.txt"

func TestRun_TellsTheRecordedStory(t *testing.T) {
	t.Parallel()
	needsRedis(t)
	for _, sdk := range exampletest.SDKs() {
		cmd := exampletest.Command(t, "-sdk", sdk)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		require.NoError(t, err)
		story, _, found := strings.Cut(string(out), "\n\n")
		require.True(t, found)
		if *update {
			require.NoError(t, os.WriteFile(storyFile, []byte(story+"\n"), 0o644))
		}
		recorded, err := os.ReadFile(storyFile)
		require.NoError(t, err)
		assert.Equal(t, string(recorded), story+"\n", sdk)
	}
}

// The runs find the records of each other in the store.
func TestRuns_ShareAStoreWithoutSharingOrders(t *testing.T) {
	t.Parallel()
	store := redistest.Start(t)
	for _, run := range []string{"first", "second"} {
		t.Run(run, func(t *testing.T) {
			t.Parallel()
			cmd := exampletest.Command(t, "-store", store, "-calls", strconv.Itoa(minCalls))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			require.NoError(t, err)
			for line := range strings.Lines(string(out)) {
				assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
			}
		})
	}
}

func TestRun_ReturnsAnExitCode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		code int
	}{
		{"help", []string{"-h"}, 0},
		{"an unknown flag", []string{"-call", "3"}, exitNotStarted},
		{"an argument without a flag", []string{"serve"}, exitNotStarted},
		{"a number of calls that is a word", []string{"-calls", "many"}, exitNotStarted},
		{"too few calls", []string{"-calls", strconv.Itoa(minCalls - 1)}, exitNotStarted},
		{"an unknown SDK", []string{"-sdk", "other"}, exitNotStarted},
		{"an invalid store", []string{"-store", "nowhere"}, exitNotStarted},
		{"a database that does not answer", []string{"-store", "postgres:///none?host=/nowhere"}, exitNotStarted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd := exampletest.Command(t, tt.args...)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, _ := cmd.Output()
			assert.Equal(t, tt.code, cmd.ProcessState.ExitCode())
			assert.Empty(t, out)
			assert.NotEmpty(t, stderr.String())
		})
	}
}

func TestRun_WithoutRedisExplainsHowToInstallIt(t *testing.T) {
	t.Parallel()
	cmd := exampletest.Command(t)
	cmd.Env = append(cmd.Env, "PATH="+t.TempDir())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, _ := cmd.Output()
	assert.Equal(t, exitNotStarted, cmd.ProcessState.ExitCode())
	assert.Empty(t, out)
	assert.Contains(t, stderr.String(), errNoRedis.Error())
}

func TestRun_PlacesEveryOrderOnceOverPostgreSQL(t *testing.T) {
	t.Parallel()
	cmd := exampletest.Command(t, "-json", "-store", databasetest.Postgres(t), "-calls", strconv.Itoa(minCalls))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var a map[string]int
	require.NoError(t, json.Unmarshal(out, &a))
	assert.Equal(t, minCalls, a["calls"])
	assert.Equal(t, a["keys"], a["executions"])
	assert.Equal(t, 1, a["maxExecutionsPerKey"])
	assert.Positive(t, a["unknown"], "the warehouse could not tell at first")
}

// All processes of a run share its stderr, which ends when all of them have
// ended.
func TestRun_EndsEveryProcessThatItStarted(t *testing.T) {
	t.Parallel()
	needsRedis(t)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, os.Kill} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			folder, err := os.MkdirTemp("", "r") //nolint:usetesting // a socket's path must be short
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, os.RemoveAll(folder)) })
			cmd := exampletest.Command(t, "-calls", "1000000")
			cmd.Env = append(cmd.Env, "TMPDIR="+folder)
			stderr, err := cmd.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			require.Eventually(t, func() bool {
				sockets, err := filepath.Glob(filepath.Join(folder, "*", "*.sock"))
				return err == nil && len(sockets) == 1
			}, time.Minute, time.Millisecond)
			require.NoError(t, cmd.Process.Signal(signal))
			_, err = io.Copy(io.Discard, stderr)
			require.NoError(t, err)
			require.Error(t, cmd.Wait())
			left, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// figuresOf runs the command on a folder.
func figuresOf(t *testing.T, folder string) Figures {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Zero(t, replayed([]string{"-data", folder, "-json"}, &stdout, &stderr), stderr.String())
	var f Figures
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &f))
	return f
}

// The desk and its runs are made up: an uncovered certificate, a cancellation
// that the policy allows, a change in basic economy and a doubled call, a trip
// that has begun, and a compensation that comes too early but is wanted.
func TestReplay_CountsTheRunsOfAMadeUpDesk(t *testing.T) {
	t.Parallel()
	assert.Equal(t, Figures{
		Runs: 5, FailedRuns: 3, Executed: 7, Right: 2, Wrong: 5,
		Stopped: 4, StoppedBy: map[string]int{"precheck": 2, "authorize": 1, "idempotency": 1},
		RightRefused: 1, RightRefusedTasks: []int{104}, RunsWithWrong: 3, RunsSaved: 2,
		TypedFailures: 2, SchemaRefused: 1, Questions: 2, WrongAfterYes: 3,
	}, figuresOf(t, filepath.Join("..", "testdata")))
}

// The recorded runs are not part of this repository. These figures follow from
// their definitions alone, whatever the contracts are.
func TestReplay_AgreesWithTheRecordingsOnWhatTookPlace(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("TOOLCONTRACT_AIRLINE")
	if folder == "" {
		t.Skip("the recorded runs are left out: TOOLCONTRACT_AIRLINE names no folder")
	}
	f := figuresOf(t, folder)
	if f.Runs != 100 {
		t.Skip("these are other runs than those of tasks 0 to 24")
	}
	assert.Equal(t, [...]int{86, 37, 48, 1, 38}, [...]int{f.Executed, f.Right, f.Wrong, f.WrongOfRewarded, f.RunsWithWrong})
}

func TestReplay_SaysWhereTheDataIs(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"-data", t.TempDir()}} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 1, replayed(args, &stdout, &stderr))
		assert.Contains(t, stderr.String(), "github.com/sierra-research/tau-bench")
		assert.Empty(t, stdout.String())
	}
}

func TestReplay_PrintsEachRefusedWrite(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	require.Zero(t, replayed([]string{"-data", filepath.Join("..", "testdata"), "-each"}, &stdout, &stderr))
	assert.Equal(t, 5, bytes.Count(stderr.Bytes(), []byte("\n")))
	assert.Contains(t, stdout.String(), "of these stopped")
}

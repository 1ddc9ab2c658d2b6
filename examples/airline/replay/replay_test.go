package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// update writes the recorded figures again:
//
//	TOOLCONTRACT_AIRLINE=DIR go test ./examples/airline/replay -update
var update = flag.Bool("update", false, "write the recorded figures again")

// figuresOf runs the command on a folder.
func figuresOf(t *testing.T, folder string, more ...string) Figures {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Zero(t, replayed(append([]string{"-data", folder, "-json"}, more...), &stdout, &stderr), stderr.String())
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
		StoppedAfterYes: 3, RewardedRefused: 1, Passed: map[string]int{"tool": 1}, Refused: []Refused{
			{Code: "basic_economy", Writes: 1, Tasks: []int{102}},
			{Code: "no_compensation", Right: true, Writes: 1, Tasks: []int{104}},
			{Code: "permission_denied", Writes: 1, Tasks: []int{103}},
			{Code: "replayed", Writes: 1, Tasks: []int{102}},
			{Code: "too_many_payments", Writes: 1, Tasks: []int{100}},
		},
	}, figuresOf(t, filepath.Join("..", "testdata")))
}

// The recorded runs are not part of this repository. These figures follow from
// their definitions alone, whatever the contracts are.
func TestReplay_AgreesWithTheRecordingsOnWhatTookPlace(t *testing.T) {
	t.Parallel()
	f := figuresOf(t, recordedRuns(t), "-tasks", "0-24")
	if f.Runs == 0 {
		t.Skip("the folder has other runs than those of tasks 0 to 24")
	}
	assert.Equal(t, [...]int{100, 86, 37, 48, 1, 38},
		[...]int{f.Runs, f.Executed, f.Right, f.Wrong, f.WrongOfRewarded, f.RunsWithWrong})
}

func recordedRuns(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("TOOLCONTRACT_AIRLINE")
	if folder == "" {
		t.Skip("the recorded runs are left out: TOOLCONTRACT_AIRLINE names no folder")
	}
	return folder
}

// docs/measured.md takes its figures from these files. A half that nobody has
// measured has no file; -update writes a file for each half that the folder has.
func TestReplay_GivesTheRecordedFigures(t *testing.T) {
	t.Parallel()
	folder := recordedRuns(t)
	for tasks, name := range map[string]string{"0-24": "recorded.json", "25-49": "held-out.json"} {
		f, file := figuresOf(t, folder, "-tasks", tasks), filepath.Join("testdata", name)
		if f.Runs == 0 {
			t.Logf("tasks %s: the folder has none of their runs", tasks)
			continue
		}
		text, err := json.MarshalIndent(f, "", "  ")
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(file, append(text, '\n'), 0o600))
			continue
		}
		want, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			t.Logf("tasks %s are not recorded; run go test ./examples/airline/replay -update", tasks)
			continue
		}
		require.NoError(t, err)
		assert.JSONEq(t, string(want), string(text),
			"run go test ./examples/airline/replay -update, and go test ./docs -update for the page")
	}
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

func TestReplay_TakesTheRunsOfSomeTasks(t *testing.T) {
	t.Parallel()
	f := figuresOf(t, filepath.Join("..", "testdata"), "-tasks", "101-102")
	assert.Equal(t, 2, f.Runs)
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 2, replayed([]string{"-tasks", "all"}, &stdout, &stderr))
}

func TestReplay_PrintsEachWrongOrRefusedWrite(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	require.Zero(t, replayed([]string{"-data", filepath.Join("..", "testdata"), "-each"}, &stdout, &stderr))
	assert.Equal(t, 6, bytes.Count(stderr.Bytes(), []byte("\n")))
	assert.Contains(t, stdout.String(), "of these stopped")
}

func TestDifference_NamesWhatANearWantedCallHasOtherwise(t *testing.T) {
	t.Parallel()
	wanted := []action{
		{"book", map[string]any{"to": "SEA", "flights": "AA1", "payment_id": "card", "nonfree_baggages": 0.0, "insurance": "no"}},
		{"book", map[string]any{"to": "LAX", "flights": "AA2", "payment_id": "gift", "nonfree_baggages": 0.0, "insurance": "yes"}},
	}
	for given, want := range map[string]string{
		`{"to": "SEA", "flights": "AA1", "payment_id": "card", "nonfree_baggages": 0, "insurance": "no"}`:  "twice",
		`{"to": "SEA", "flights": "AA3", "payment_id": "gift", "nonfree_baggages": 0, "insurance": "no"}`:  "flights",
		`{"to": "SEA", "flights": "AA1", "payment_id": "gift", "nonfree_baggages": 0, "insurance": "no"}`:  "payment",
		`{"to": "LAX", "flights": "AA2", "payment_id": "gift", "nonfree_baggages": 1, "insurance": "yes"}`: "bags",
		`{"to": "SEA", "flights": "AA1", "payment_id": "gift", "nonfree_baggages": 1, "insurance": "no"}`:  "more",
		`{"to": "SEA", "flights": "AA1", "payment_id": "card", "nonfree_baggages": 0}`:                     "more",
	} {
		assert.Equal(t, want, difference(wanted, "book", []byte(given)), given)
		assert.Equal(t, "tool", difference(wanted, "cancel", []byte(given)))
	}
}

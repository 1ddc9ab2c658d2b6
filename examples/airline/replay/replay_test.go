package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

// refused returns what the command says about arguments or data that it
// refuses.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 2, replayed(args, &stdout, &stderr), args)
	assert.Empty(t, stdout.String(), args)
	return stderr.String()
}

func TestReplay_SaysWhereTheDataIs(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"-data", t.TempDir()}} {
		assert.Contains(t, refused(t, args...), "github.com/sierra-research/tau-bench")
	}
}

// copied returns a copy of the made-up desk, in which one text of a file is
// replaced.
func copied(t *testing.T, file, old, replacement string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"flights.json", "reservations.json", "users.json", "trajectories.json"} {
		text, err := os.ReadFile(filepath.Join("..", "testdata", name))
		require.NoError(t, err)
		if name == file {
			require.True(t, bytes.Contains(text, []byte(old)), old)
			text = bytes.ReplaceAll(text, []byte(old), []byte(replacement))
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	return folder
}

func TestReplay_NamesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, text, member string }{
		"null":                {"users.json", `null`, "null"},
		"an empty object":     {"flights.json", `{}`, "no flights"},
		"a user that is null": {"users.json", `{"ann_lee_1": null}`, "null"},
		"no payment methods":  {"users.json", `{"ann_lee_1": {"payment_methods": null}}`, "null"},
		"a null in a list":    {"reservations.json", `{"R1": {"flights": [null]}}`, "null"},
		"another type":        {"users.json", `{"ann_lee_1": {"payment_methods": 7}}`, "payment_methods"},
		"more than one value": {"users.json", `{"ann_lee_1": {"email": "a"}} {}`, "after top-level value"},
		"no runs":             {"trajectories.json", `null`, "no runs"},
		"an empty list":       {"trajectories.json", `[]`, "no runs"},
		"a run that is null":  {"trajectories.json", `[null]`, "0"},
		"a run without actions": {
			"trajectories.json", `[{"task_id": 7, "trial": 3, "traj": [{"role": "user"}]}]`, "task 7, trial 3",
		},
		"a run without messages": {"trajectories.json", `[{"task_id": 7, "info": {"task": {"actions": []}}}]`, "task 7, trial 0"},
		"a message that is null": {
			"trajectories.json", `[{"task_id": 7, "info": {"task": {"actions": []}}, "traj": [null]}]`, "task 7, trial 0",
		},
		"a call without a name": {
			"trajectories.json",
			`[{"task_id": 7, "info": {"task": {"actions": []}}, "traj": [{"role": "assistant", "tool_calls": [{}]}]}]`, "task 7, trial 0",
		},
	} {
		folder := copied(t, "", "", "")
		require.NoError(t, os.WriteFile(filepath.Join(folder, test.file), []byte(test.text), 0o600))
		said := refused(t, "-data", folder, "-json")
		assert.Contains(t, said, test.file, name)
		assert.Contains(t, said, test.member, name)
	}
	folder := copied(t, "", "", "")
	require.NoError(t, os.Remove(filepath.Join(folder, "trajectories.json")))
	assert.Contains(t, refused(t, "-data", folder), "trajectories.json.gz")
}

// A user without payment methods can get a certificate all the same.
func TestReplay_AUserMayLackPaymentMethods(t *testing.T) {
	t.Parallel()
	figuresOf(t, copied(t, "users.json", `"payment_methods"`, `"no_methods"`))
}

// Recorded calls that no server could take are counted, and the others are
// replayed.
func TestReplay_ABrokenCallCountsAsRefusedByASchema(t *testing.T) {
	t.Parallel()
	const cancelled = `{\"reservation_id\": \"R00006\"}`
	whole := figuresOf(t, filepath.Join("..", "testdata"))
	for name, arguments := range map[string]string{
		"a number beyond all bounds": `{\"reservation_id\": 1e400}`, "no JSON": `{`, "no arguments": ``, "a list": `[]`, "null": `null`,
		"a member twice": `{\"reservation_id\": \"R00006\", \"reservation_id\": \"R00006\"}`,
		"deep arguments": strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000),
	} {
		f := figuresOf(t, copied(t, "trajectories.json", cancelled, arguments))
		assert.Equal(t, whole.SchemaRefused+1, f.SchemaRefused, name)
		assert.Equal(t, whole.Runs, f.Runs, name)
	}
	f := figuresOf(t, copied(t, "trajectories.json", `"name": "get_user_details",
       "arguments"`, `"name": "get_users",
       "arguments"`))
	assert.Greater(t, f.SchemaRefused, whole.SchemaRefused, "no such tool")
}

func TestReplay_TakesTheRunsOfSomeTasks(t *testing.T) {
	t.Parallel()
	f := figuresOf(t, filepath.Join("..", "testdata"), "-tasks", "101-102")
	assert.Equal(t, 2, f.Runs)
	for _, tasks := range []string{"all", "", "5", "0-24x", "x0-24", "5-2", "-1-2", "0-+4", "0-24-30", "0 -24"} {
		refused(t, "-data", filepath.Join("..", "testdata"), "-tasks", tasks)
	}
	refused(t, "-data", filepath.Join("..", "testdata"), "0-24")
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

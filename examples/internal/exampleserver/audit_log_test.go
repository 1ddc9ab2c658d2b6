package exampleserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestMain(m *testing.M) {
	exampletest.Main(m, func() int { return jobs().Main(os.Args[1:], os.Stdout, os.Stderr) })
}

// jobs returns a server with two tools: jobs.note ends at once, and jobs.hold,
// a high-risk write, never ends.
func jobs() exampleserver.Server {
	return exampleserver.Server{Name: "jobs", Version: "1.0.0", Tools: func() ([]*contract.Tool, error) {
		base := contract.Base{Version: "1.0.0", Trust: trust.Trusted}
		note, err := contract.New("jobs.note", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }).
			From(base).Description("Notes something.").Effect(risk.ReadOnly).Build()
		hold, more := contract.New("jobs.hold", func(context.Context, struct{}) (struct{}, error) {
			fmt.Fprintln(os.Stderr, "holding")
			select {}
		}).From(base).Description("Holds the line.").Effect(risk.HighRiskWrite).Permissions("jobs:hold").
			ConfirmNever("It is a test.").Build()
		return []*contract.Tool{note, hold}, errors.Join(err, more)
	}}
}

// verify runs the server with flags that check a log.
func verify(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = jobs().Main(args, &out, &errs)
	return code, out.String(), errs.String()
}

type event struct {
	Event, Tool, Status, Principal string
}

func events(t *testing.T, path string) []event {
	t.Helper()
	log, err := os.ReadFile(path)
	require.NoError(t, err)
	var all []event
	for line := range strings.Lines(string(log)) {
		var e event
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		all = append(all, e)
	}
	return all
}

// unfinished returns the ids of calls with an intent in the log and no end.
func unfinished(t *testing.T, path string) []string {
	t.Helper()
	log, err := os.ReadFile(path)
	require.NoError(t, err)
	var calls []string
	for line := range strings.Lines(string(log)) {
		var e struct{ Event, CallID string }
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		switch e.Event {
		case "intent":
			calls = append(calls, e.CallID)
		case "terminal":
			calls = slices.DeleteFunc(calls, func(id string) bool { return id == e.CallID })
		}
	}
	return calls
}

// headOf returns the head of the log that a server printed when it ended.
func headOf(t *testing.T, stderr string) string {
	t.Helper()
	_, head, found := strings.Cut(stderr, "head of the audit log: ")
	require.True(t, found, stderr)
	return strings.TrimSpace(head)
}

func TestAuditLog_HasEveryCallOverHTTP(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	heads := []string{}
	for range 2 { // the second server continues the log of the first
		p := exampletest.Start(t, "-audit", path)
		var calls sync.WaitGroup
		for range 4 {
			c := exampletest.As(t, p.URL, "bob", exampletest.Modern)
			calls.Go(func() {
				for range 5 {
					_, outcome := exampletest.Call(t, c, "jobs_note", `{}`)
					assert.Equal(t, contract.StatusOK, outcome.Status)
				}
			})
		}
		calls.Wait()
		heads = append(heads, headOf(t, p.Terminate(t)))
	}
	want := make([]event, 40)
	for i := range want {
		want[i] = event{"terminal", "jobs.note", "ok", "bob"}
	}
	assert.Equal(t, want, events(t, path))
	for _, head := range heads {
		code, stdout, stderr := verify(t, "-verify-audit", path, "-head", head)
		assert.Equal(t, 0, code)
		assert.Contains(t, stdout, "40 records")
		assert.Empty(t, stderr)
	}
}

func TestAuditLog_HasEveryCallOverStdio(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	cmd := exampletest.Command(t, "-audit", path)
	cmd.Stdin = strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"jobs_note","arguments":{}}}
`)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	require.NoError(t, err)
	for line := range bytes.Lines(stdout) {
		assert.True(t, json.Valid(line), "stdout carries only the protocol")
	}
	all := events(t, path)
	require.Len(t, all, 1)
	assert.Equal(t, "jobs.note", all[0].Tool)
	code, _, _ := verify(t, "-verify-audit", path, "-head", headOf(t, stderr.String()))
	assert.Equal(t, 0, code)
}

func TestAuditLog_ShowsTheCallDuringWhichTheServerWasKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	p := exampletest.Start(t, "-audit", path)
	alice := exampletest.As(t, p.URL, "alice", exampletest.Modern)
	exampletest.Call(t, alice, "jobs_note", `{}`)
	answered := make(chan error, 1)
	patient := exampletest.Patient(t)
	go func() {
		for { // the disk may be too slow for the intent: then try again
			_, err := alice.CallTool(patient, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "jobs_hold"}})
			if err != nil {
				answered <- err
				return
			}
		}
	}()
	line, err := p.Stderr.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "holding\n", line)
	p.Kill(t)
	require.Error(t, <-answered)

	all := events(t, path)
	assert.Contains(t, all, event{"intent", "jobs.hold", "", "alice"})
	assert.NotEmpty(t, unfinished(t, path), "the end of the call is unknown")
	code, stdout, stderr := verify(t, "-verify-audit", path)
	assert.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, fmt.Sprintf("%d records", len(all)))

	again := exampletest.Start(t, "-audit", path)
	exampletest.Call(t, exampletest.As(t, again.URL, "alice", exampletest.Modern), "jobs_note", `{}`)
	code, stdout, _ = verify(t, "-verify-audit", path, "-head", headOf(t, again.Terminate(t)))
	assert.Equal(t, 0, code)
	assert.Contains(t, stdout, fmt.Sprintf("%d records", len(all)+1))
}

func TestAuditLog_OfASecondServerIsBesideThatOfTheFirst(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "audit.jsonl")
	first := exampletest.Start(t, "-audit", path)
	second := exampletest.Start(t, "-audit", path)
	warning, err := second.Stderr.ReadString('\n')
	require.NoError(t, err)
	for _, p := range []*exampletest.Process{first, second} {
		exampletest.Call(t, exampletest.As(t, p.URL, "bob", exampletest.Modern), "jobs_note", `{}`)
	}
	heads := []string{headOf(t, first.Terminate(t)), headOf(t, second.Terminate(t))}
	own, err := filepath.Glob(filepath.Join(folder, "audit-*.jsonl"))
	require.NoError(t, err)
	require.Len(t, own, 1)
	assert.Contains(t, warning, strconv.Quote(own[0]))
	for i, log := range []string{path, own[0]} {
		code, stdout, stderr := verify(t, "-verify-audit", log, "-head", heads[i])
		assert.Equal(t, 0, code, stderr)
		assert.Contains(t, stdout, "1 record ")
	}
	code, _, stderr := verify(t, "-verify-audit", folder)
	assert.Equal(t, 0, code, stderr)
}

func TestAuditLog_WaitsForTheEndOfAServerThatIsStartedAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.OpenFile(path)
	require.NoError(t, err)
	var ended sync.WaitGroup
	var stdout, stderr bytes.Buffer
	ended.Go(func() { assert.Equal(t, 0, jobs().Main([]string{"-audit", path}, &stdout, &stderr)) })
	for range 50 { // Main waits meanwhile
		require.NoError(t, log.Write(t.Context(), audit.Event{Time: time.Now(), Kind: audit.Intent, Tool: "jobs.hold"}))
	}
	require.NoError(t, log.Close())
	ended.Wait()
	assert.Equal(t, log.Head(), headOf(t, stderr.String()), "it continues the log")
}

// records returns the events of all logs in a folder.
func records(t *testing.T, folder string) []event {
	t.Helper()
	logs, err := filepath.Glob(folder + "*.jsonl")
	require.NoError(t, err)
	var all []event
	for _, log := range logs {
		all = append(all, events(t, log)...)
	}
	return all
}

func TestVerifyAudit_NamesTheFirstBadLine(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "audit.jsonl")
	p := exampletest.Start(t, "-audit", path)
	bob := exampletest.As(t, p.URL, "bob", exampletest.Legacy)
	for range 4 {
		exampletest.Call(t, bob, "jobs_note", `{}`)
	}
	head := headOf(t, p.Terminate(t))
	log, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.SplitAfter(strings.TrimSuffix(string(log), "\n"), "\n")
	require.Len(t, lines, 4)
	lines[3] += "\n"

	tests := []struct {
		name  string
		lines []string
		head  string
		line  int
	}{
		{"another principal", []string{lines[0], strings.Replace(lines[1], `"bob"`, `"eve"`, 1), lines[2], lines[3]}, "", 2},
		{"a record removed", []string{lines[0], lines[1], lines[3]}, "", 3},
		{"a record twice", []string{lines[0], lines[0], lines[1]}, "", 2},
		{"two records exchanged", []string{lines[1], lines[0]}, "", 1},
		{"a line that is not a record", []string{lines[0], lines[1], "bob was here\n"}, "", 3},
		{"the end cut off, with the head", lines[:3], head, 3},
		{"everything cut off, with the head", nil, head, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "audit.jsonl")
			require.NoError(t, os.WriteFile(file, []byte(strings.Join(tt.lines, "")), 0o600))
			args := []string{"-verify-audit", file}
			if tt.head != "" {
				args = append(args, "-head", tt.head)
			}
			code, stdout, stderr := verify(t, args...)
			assert.Equal(t, 1, code)
			assert.Contains(t, stdout, fmt.Sprintf("line %d", tt.line))
			assert.Contains(t, stderr, fmt.Sprintf("line %d", tt.line))
		})
	}
	code, _, stderr := verify(t, "-verify-audit", path, "-head", "0123")
	assert.Equal(t, 2, code, "an invalid head")
	assert.NotEmpty(t, stderr)
}

package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// serve runs the example. With the flag -slow it has one more tool, which runs
// until a file of that name exists.
func serve() int {
	s := server()
	flags, tools, open := s.Flags, s.Tools, s.OpenBackend
	var until string
	s.Flags = func(set *flag.FlagSet) {
		flags(set)
		set.StringVar(&until, "slow", "", "add a tool that runs until `FILE` exists")
	}
	s.Tools = func() ([]*contract.Tool, error) {
		all, err := tools()
		if until != "" {
			all = append(all, archive(until))
		}
		return all, err
	}
	s.OpenBackend = func() (exampleserver.Backend, error) {
		b, err := open()
		if until != "" {
			b.Options = append(b.Options, guard.WithTimes(guard.Times{StoreTimeout: lease / 4, Lease: lease}))
		}
		return b, err
	}
	return s.Main(os.Args[1:], os.Stdout, os.Stderr)
}

// lease is short, so that a running call renews it in a test, and a killed one
// can soon be taken over.
const lease = 4 * time.Second

type folder struct {
	Name string `json:"name"`
}

type archived struct {
	Process int `json:"process"`
}

func archive(until string) *contract.Tool {
	return contract.New("emails.archive", func(context.Context, folder) (archived, error) {
		fmt.Fprintln(os.Stderr, "archiving")
		for {
			if _, err := os.Stat(until); err == nil {
				return archived{os.Getpid()}, nil
			}
			time.Sleep(10 * time.Millisecond)
		}
	}).Description("Archives a folder.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("emails:draft").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"name"}, OnUnknown: idempotency.Rerun}).
		MustBuild()
}

const inbox = `{"name":"inbox"}`

// A session is a process whose call runs.
type session struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	answer <-chan string // the lines of its answer; it ends with the process
}

// begin starts a session and waits until its call runs. The client is lines of
// text, because the process may be killed.
func begin(t *testing.T, flags ...string) session {
	t.Helper()
	cmd := exampletest.Command(t, flags...)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"emails.archive","arguments":`+inbox+"}}\n")
	require.NoError(t, err)
	answer := make(chan string, 1)
	go func() {
		defer close(answer)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if strings.Contains(lines.Text(), `"id":2`) {
				answer <- lines.Text()
			}
		}
	}()
	printed := bufio.NewScanner(stderr)
	for printed.Text() != "archiving" {
		require.True(t, printed.Scan(), "the server ended")
	}
	go io.Copy(io.Discard, stderr)
	return session{cmd, stdin, answer}
}

// again repeats a call as its answer demands, as an agent does.
func again(t *testing.T, c *client.Client, while func() bool) (result *mcp.CallToolResult, outcome contract.Outcome) {
	t.Helper()
	require.Eventually(t, func() bool {
		result, outcome = exampletest.Call(t, c, "emails.archive", inbox)
		if outcome.Code != contract.CodeKeyInProgress {
			return true
		}
		assert.Equal(t, contract.ClassRetryable, outcome.Class)
		assert.Positive(t, outcome.RetryAfterMs)
		return !while()
	}, time.Minute, 50*time.Millisecond)
	return result, outcome
}

// Two sessions of a host call at once: the second waits, and gets the result of
// the first.
func TestState_TheSecondOfTwoSessionsWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	done := filepath.Join(place, "done")
	flags := []string{"-state", filepath.Join(place, "state.db"), "-slow", done}
	first := begin(t, flags...)
	second := exampletest.Stdio(t, exampletest.Modern, flags...)
	over := time.Now().Add(lease + lease/2) // beyond one lease, which the first renews
	_, outcome := again(t, second, func() bool { return time.Now().Before(over) })
	require.Equal(t, contract.CodeKeyInProgress, outcome.Code)

	require.NoError(t, os.WriteFile(done, nil, 0o600))
	answer := <-first.answer
	require.Contains(t, answer, fmt.Sprintf(`"structuredContent":{"process":%d}`, first.cmd.Process.Pid))
	result, outcome := again(t, second, func() bool { return true })
	assert.Equal(t, contract.StatusReplayed, outcome.Status)
	assert.Equal(t, map[string]any{"process": float64(first.cmd.Process.Pid)}, result.StructuredContent)
	require.NoError(t, first.stdin.Close())
	require.NoError(t, first.cmd.Wait())
}

func TestState_TheSecondSessionTakesTheCallOfAKilledOneOver(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	done := filepath.Join(place, "done")
	flags := []string{"-state", filepath.Join(place, "state.db"), "-slow", done}
	first := begin(t, flags...)
	second := exampletest.Stdio(t, exampletest.Modern, flags...)
	_, outcome := exampletest.Call(t, second, "emails.archive", inbox)
	require.Equal(t, contract.CodeKeyInProgress, outcome.Code)

	require.NoError(t, first.cmd.Process.Kill())
	require.Empty(t, <-first.answer, "the first has no answer")
	require.Error(t, first.cmd.Wait())
	require.NoError(t, os.WriteFile(done, nil, 0o600))
	result, outcome := again(t, second, func() bool { return true })
	require.Equal(t, contract.StatusOK, outcome.Status, "it runs in the second")
	third, outcome := exampletest.Call(t, exampletest.Stdio(t, exampletest.Modern, flags...), "emails.archive", inbox)
	assert.Equal(t, contract.StatusReplayed, outcome.Status)
	assert.Equal(t, result.StructuredContent, third.StructuredContent)
}

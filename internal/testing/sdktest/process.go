package sdktest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
)

// Patience bounds the time that a test waits for a server. A longer wait means
// that the server hangs.
const Patience = 5 * time.Minute

// A Process is a running stdio server, with the test as its client.
type Process struct {
	In    io.WriteCloser
	Out   io.Closer
	Lines *bufio.Scanner // of the standard output
	Gate  io.Closer      // closing it lets the handlers end

	t       *testing.T
	cmd     *exec.Cmd
	reports chan string // standard error, without the audit log
	events  chan audit.Event
	exited  chan struct{}
}

// Start runs the test binary as a server, for at most [Patience]. Its TestMain
// must call [Serve]; see [IsServer].
func Start(t *testing.T, drain time.Duration, k Kind) *Process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	p := &Process{t: t, reports: make(chan string, 1000), events: make(chan audit.Event, 1000), exited: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, os.Args[0])
	p.cmd.Env = append(os.Environ(), Env(k, drain)...)
	gate, release, err := os.Pipe()
	require.NoError(t, err)
	p.Gate, p.cmd.ExtraFiles = release, []*os.File{gate}
	p.In, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, stdout, err := os.Pipe()
	require.NoError(t, err)
	p.Out, p.cmd.Stdout = out, stdout
	stderr, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	require.NoError(t, gate.Close())
	require.NoError(t, stdout.Close())
	p.Lines = bufio.NewScanner(out)
	p.Lines.Buffer(nil, 16<<20)
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			var e audit.Event
			if json.Unmarshal(lines.Bytes(), &e) == nil {
				p.events <- e
				continue
			}
			p.reports <- lines.Text()
		}
		close(p.reports)
		close(p.events)
		_ = p.cmd.Wait() // the exit code is read later
		close(p.exited)
	}()
	t.Cleanup(func() {
		cancel()
		_ = release.Close()
		_ = out.Close()
	})
	return p
}

// Send writes to the standard input.
func (p *Process) Send(messages ...string) {
	p.t.Helper()
	for _, m := range messages {
		_, err := io.WriteString(p.In, m)
		require.NoError(p.t, err)
	}
}

// Signal sends a signal to the server.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Answer reads the next line of standard output, which must be a message.
func (p *Process) Answer() Response {
	p.t.Helper()
	require.True(p.t, p.Lines.Scan(), "no further answer")
	return Parse(p.t, p.Lines.Text())
}

// Await waits until the server has written a line n times on standard error.
func (p *Process) Await(want string, n int) {
	p.t.Helper()
	for seen := 0; seen < n; {
		line, ok := <-p.reports
		require.True(p.t, ok, "the server ended before it wrote %s", want)
		if line == want {
			seen++
		}
	}
}

// Ends waits for the server's end and returns its exit code and terminal
// events.
func (p *Process) Ends() (code int, terminal []audit.Event) {
	p.t.Helper()
	for e := range p.events {
		if e.Kind == audit.Terminal {
			terminal = append(terminal, e)
		}
	}
	<-p.exited
	return p.cmd.ProcessState.ExitCode(), terminal
}

// AssertSilent asserts that standard output has nothing more.
func (p *Process) AssertSilent() {
	p.t.Helper()
	require.False(p.t, p.Lines.Scan(), "unexpected output: %s", p.Lines.Text())
}

// AssertGivesUp asserts that the server ends although its handlers do not. Each
// call is either answered or counted as lost; how many are answered depends on
// the machine.
func (p *Process) AssertGivesUp(calls int) {
	p.t.Helper()
	answered := map[any]bool{}
	for p.Lines.Scan() {
		a := Parse(p.t, p.Lines.Text())
		require.NotNil(p.t, a.Result)
		var o contract.Outcome
		require.NoError(p.t, json.Unmarshal(a.Result.Meta[contract.MetaKeyOutcome], &o))
		assert.Equal(p.t, contract.CodeUnavailable, o.Code, "a read can be retried, whether it ran or not")
		assert.False(p.t, answered[a.ID], "a call is answered once")
		answered[a.ID] = true
	}
	code, _ := p.Ends()
	assert.Equal(p.t, 3, code, "handlers were left behind")
	lost := 0
	for line := range p.reports {
		_, line, _ = strings.Cut(line, ": ") // the name of the package
		_, _ = fmt.Sscanf(line, "requests were left unanswered: %d", &lost)
	}
	assert.GreaterOrEqual(p.t, len(answered)+lost, calls)
}

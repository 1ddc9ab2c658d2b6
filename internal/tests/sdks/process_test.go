package sdks_test

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
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// patience limits how long a test waits for a server. A longer wait means that
// the server hangs.
const patience = 5 * time.Minute

// A process is a running stdio server, with the test as its client.
type process struct {
	in    io.WriteCloser
	out   io.Closer
	lines *bufio.Scanner // of the standard output
	gate  io.Closer      // closing it lets the handlers return

	t       *testing.T
	cmd     *exec.Cmd
	reports chan string // standard error, without the audit log
	events  chan audit.Event
	exited  chan struct{}
}

// start runs the test binary as a server, for at most [patience], and
// initializes the session for a client without capabilities; see [serve].
func start(t *testing.T, s sdk, drain time.Duration, k kind) *process {
	t.Helper()
	p := run(t, s, drain, k)
	p.initialize(`{}`)
	return p
}

// initialize begins the session of a client that declares capabilities.
func (p *process) initialize(capabilities string) {
	p.t.Helper()
	p.send(strings.Replace(sdktest.Opening(capabilities, "test"), `"id":1`, `"id":"open"`, 1)+"\n", initialized+"\n")
	require.NotNil(p.t, p.answer().Result)
}

// run is [start] without a session.
func run(t *testing.T, s sdk, drain time.Duration, k kind) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	p := &process{t: t, reports: make(chan string, 1000), events: make(chan audit.Event, 1000), exited: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, os.Args[0])
	p.cmd.Env = append(os.Environ(), serverEnv(s, k, drain)...)
	gate, release, err := os.Pipe()
	require.NoError(t, err)
	p.gate = release
	passGate(t, p.cmd, gate)
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, stdout, err := os.Pipe()
	require.NoError(t, err)
	p.out, p.cmd.Stdout = out, stdout
	stderr, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	require.NoError(t, gate.Close())
	require.NoError(t, stdout.Close())
	p.lines = bufio.NewScanner(out)
	p.lines.Buffer(nil, 16<<20)
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

// send writes to the standard input.
func (p *process) send(messages ...string) {
	p.t.Helper()
	for _, m := range messages {
		_, err := io.WriteString(p.in, m)
		require.NoError(p.t, err)
	}
}

// answer reads the next line of standard output, which must be a message.
func (p *process) answer() sdktest.Response {
	p.t.Helper()
	require.True(p.t, p.lines.Scan(), "no further answer")
	return sdktest.Parse(p.t, p.lines.Text())
}

// await waits until the server has written a line n times on standard error.
func (p *process) await(want string, n int) {
	p.t.Helper()
	for seen := 0; seen < n; {
		line, ok := <-p.reports
		require.True(p.t, ok, "the server ended before it wrote %s", want)
		if line == want {
			seen++
		}
	}
}

// ends waits for the server to exit and returns its exit code and terminal
// events.
func (p *process) ends() (code int, terminal []audit.Event) {
	p.t.Helper()
	for e := range p.events {
		if e.Kind == audit.Terminal {
			terminal = append(terminal, e)
		}
	}
	<-p.exited
	return p.cmd.ProcessState.ExitCode(), terminal
}

// assertSilent asserts that standard output has nothing more.
func (p *process) assertSilent() {
	p.t.Helper()
	require.False(p.t, p.lines.Scan(), "unexpected output: %s", p.lines.Text())
}

// assertGivesUp asserts that the server exits although its handlers don't. Each
// call is either answered or counted as lost; how many are answered depends on
// the machine.
func (p *process) assertGivesUp(calls int) {
	p.t.Helper()
	answered := map[any]bool{}
	for p.lines.Scan() {
		a := sdktest.Parse(p.t, p.lines.Text())
		require.NotNil(p.t, a.Result)
		var o contract.Outcome
		require.NoError(p.t, json.Unmarshal(a.Result.Meta[contract.MetaKeyOutcome], &o))
		assert.Equal(p.t, contract.CodeUnavailable, o.Code, "a read can be retried, whether it ran or not")
		assert.False(p.t, answered[a.ID], "a call is answered once")
		answered[a.ID] = true
	}
	code, _ := p.ends()
	assert.Equal(p.t, 3, code, "handlers were left behind")
	lost := 0
	for line := range p.reports {
		_, line, _ = strings.Cut(line, ": ") // the package's name
		_, _ = fmt.Sscanf(line, "requests were left unanswered: %d", &lost)
	}
	assert.GreaterOrEqual(p.t, len(answered)+lost, calls)
}

package exampletest

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveEnv makes the test binary the server that it tests.
const serveEnv = "TOOLCONTRACT_EXAMPLE_SERVES"

// patience bounds one test's waiting. It is for what hangs, not for what a busy
// machine takes its time for: some tests build a server first.
const patience = 5 * time.Minute

// Main runs the tests, or run, where the process was started by one of them to
// be the server.
func Main(m *testing.M, run func() int) {
	if os.Getenv(serveEnv) != "" {
		os.Exit(run())
	}
	os.Exit(m.Run())
}

// Patient returns a context that ends after the test's cleanups, or when the
// test has waited long enough.
func Patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	return ctx
}

// Command returns the server as a process that is not started yet.
func Command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(Patient(t), os.Args[0], args...)
	cmd.Env = environment()
	return cmd
}

func environment() []string { return append(os.Environ(), serveEnv+"=1") }

// A Process is a server over HTTP.
type Process struct {
	// URL is where it serves.
	URL string
	// Stderr is what it writes after the line that says so. Who reads it does so
	// before Terminate or Kill.
	Stderr *bufio.Reader

	cmd    *exec.Cmd
	stdout strings.Builder
}

// Start starts the server over HTTP. The test ends it, by Terminate or Kill.
func Start(t *testing.T, args ...string) *Process {
	t.Helper()
	p := &Process{cmd: Command(t, append([]string{"-http", "127.0.0.1:0"}, args...)...)}
	stderr, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	p.cmd.Stdout = &p.stdout
	require.NoError(t, p.cmd.Start())
	p.Stderr = bufio.NewReader(stderr)
	first, err := p.Stderr.ReadString('\n')
	require.NoError(t, err)
	url, found := strings.CutPrefix(strings.TrimSpace(first), "listening on ")
	require.True(t, found, first)
	p.URL = url
	return p
}

// Terminate ends the server by SIGTERM, after which it has to exit with 0, and
// returns what it still wrote to stderr.
func (p *Process) Terminate(t *testing.T) string {
	t.Helper()
	assert.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	rest, err := io.ReadAll(p.Stderr)
	assert.NoError(t, err)
	p.ended(t)
	return string(rest)
}

// Kill ends the server by SIGKILL.
func (p *Process) Kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Kill())
	_, err := io.Copy(io.Discard, p.Stderr)
	assert.NoError(t, err)
	assert.Error(t, p.cmd.Wait())
}

// Serve starts the server over HTTP, ends it with the test, and returns its
// address.
func Serve(t *testing.T, args ...string) string {
	t.Helper()
	p := Start(t, args...)
	drained := make(chan struct{})
	go func() { // a server with a full pipe would stand still
		defer close(drained)
		_, _ = io.Copy(io.Discard, p.Stderr)
	}()
	t.Cleanup(func() {
		assert.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
		<-drained
		p.ended(t)
	})
	return p.URL
}

// ended waits for a process that got SIGTERM.
func (p *Process) ended(t *testing.T) {
	t.Helper()
	assert.NoError(t, p.cmd.Wait(), "exits 0 on SIGTERM")
	assert.Empty(t, p.stdout.String())
}

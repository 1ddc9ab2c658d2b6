package exampletest

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveEnv is the environment variable that turns the test binary into the
// server under test.
const serveEnv = "TOOLCONTRACT_EXAMPLE_SERVES"

// flagsEnv is the environment variable with the flags of every server.
const flagsEnv = "TOOLCONTRACT_EXAMPLE_FLAGS"

// patience bounds a test that hangs. It leaves room for a busy machine, and for
// tests that build a server first.
const patience = 5 * time.Minute

// atOnce is the number of parallel tests. They wait for processes most of the
// time, so it does not depend on the number of processors.
const atOnce = 8

// Main runs the tests, more of them at once than go test does by default. In a
// process that one of them started as the server, it calls run instead.
//
// Servers start with the flags, before those of a test.
func Main(m *testing.M, run func() int, flags ...string) {
	prepare(run)
	os.Exit(runWith(m, flags...))
}

// MainOnSDKs is [Main] for an example with the flag -sdk. It runs the tests once
// on each SDK; [SDK] is the one of the run.
func MainOnSDKs(m *testing.M, run func() int, flags ...string) {
	prepare(run)
	worst := 0
	for _, sdk := range SDKs() {
		status := runWith(m, append(flags, sdkFlag, sdk)...)
		if status != 0 {
			fmt.Fprintln(os.Stderr, "failed with", sdkFlag, sdk)
		}
		worst = max(worst, status)
	}
	os.Exit(worst)
}

const sdkFlag = "-sdk"

// SDKs returns the values of the flag -sdk.
func SDKs() []string { return []string{"mcp-go", "official"} }

// SDK returns the SDK of a run of [MainOnSDKs].
func SDK() string {
	flags := strings.Fields(os.Getenv(flagsEnv))
	return flags[len(flags)-1]
}

// prepare becomes the server in a process that a test has started.
func prepare(run func() int) {
	if os.Getenv(serveEnv) != "" {
		os.Exit(run())
	}
	flag.Parse()
	if !isSet("test.parallel") {
		_ = flag.Set("test.parallel", strconv.Itoa(atOnce)) // a valid number
	}
}

func runWith(m *testing.M, flags ...string) (status int) {
	_ = os.Setenv(flagsEnv, strings.Join(flags, " ")) // a valid variable
	return m.Run()
}

func isSet(name string) bool {
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

// Patient returns a context that ends after the test's cleanups, or when the
// test hangs.
func Patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	return ctx
}

// Command returns a command that runs the server. It is not started yet.
func Command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(Patient(t), os.Args[0], append(strings.Fields(os.Getenv(flagsEnv)), args...)...)
	cmd.Env = environment()
	return cmd
}

// environment returns the environment of a server. It keeps the server from
// opening a browser for the person who runs the tests.
func environment() []string { return append(os.Environ(), serveEnv+"=1", "CI=1") }

// A Process is a server over HTTP.
type Process struct {
	// URL is the address of the MCP endpoint.
	URL string
	// Stderr has the server's output after the line with its address. It must
	// not be read during or after Terminate and Kill, nor after Until.
	Stderr *bufio.Reader

	cmd    *exec.Cmd
	stdout strings.Builder
	until  sync.WaitGroup // reads Stderr
}

// Start starts the server over HTTP. The test must end it with Terminate or
// Kill.
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

// Until reads Stderr on another goroutine, up to a line. The channel receives
// true when the server has written the line, and false if the server ends
// first. A test calls Until at most once.
func (p *Process) Until(line string) <-chan bool {
	written := make(chan bool, 1)
	p.until.Go(func() {
		for {
			next, err := p.Stderr.ReadString('\n')
			if err != nil || next == line+"\n" {
				written <- err == nil
				return
			}
		}
	})
	return written
}

// Terminate sends SIGTERM, on which the server must exit with 0. It returns the
// rest of the server's stderr.
func (p *Process) Terminate(t *testing.T) string {
	t.Helper()
	assert.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.until.Wait()
	rest, err := io.ReadAll(p.Stderr)
	assert.NoError(t, err)
	p.ended(t)
	return string(rest)
}

// Signal sends a signal on which the server does not end.
func (p *Process) Signal(t *testing.T, s os.Signal) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(s))
}

// Kill ends the server by SIGKILL.
func (p *Process) Kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Kill())
	p.until.Wait()
	_, err := io.Copy(io.Discard, p.Stderr)
	assert.NoError(t, err)
	assert.Error(t, p.cmd.Wait())
}

// Serve starts the server over HTTP and returns its address. The server ends
// with the test.
func Serve(t *testing.T, args ...string) string {
	t.Helper()
	p := Start(t, args...)
	drained := make(chan struct{})
	go func() { // a full pipe would block the server
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

// ended waits for the process after SIGTERM.
func (p *Process) ended(t *testing.T) {
	t.Helper()
	assert.NoError(t, p.cmd.Wait(), "exits 0 on SIGTERM")
	assert.Empty(t, p.stdout.String())
}

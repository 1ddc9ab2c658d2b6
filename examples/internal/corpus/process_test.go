package corpus_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A process is a running server.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser // over stdio
	out     *bufio.Reader  // over stdio
	address string         // over HTTP, such as http://127.0.0.1:8080
	stderr  bytes.Buffer
	drained chan struct{}
}

func startProcess(t *testing.T, transport string, args []string) *process {
	t.Helper()
	if transport == overHTTP {
		args = append([]string{args[0], "-http", "127.0.0.1:0"}, args[1:]...)
	}
	p := &process{cmd: exec.CommandContext(patient(t), binary(t, args[0]), args[1:]...), drained: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), "CI=1") // servers open no browser
	stderr, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	if transport == overStdio {
		p.in, err = p.cmd.StdinPipe()
		require.NoError(t, err)
		out, err := p.cmd.StdoutPipe()
		require.NoError(t, err)
		p.out = bufio.NewReader(out)
	}
	require.NoError(t, p.cmd.Start())
	lines := bufio.NewReader(stderr)
	if transport == overHTTP {
		first, err := lines.ReadString('\n')
		p.stderr.WriteString(first)
		require.NoError(t, err, first)
		url, ok := strings.CutPrefix(strings.TrimSpace(first), "listening on ")
		require.True(t, ok, first)
		p.address = strings.TrimSuffix(url, "/mcp")
	}
	go func() {
		defer close(p.drained)
		_, _ = io.Copy(&p.stderr, lines)
	}()
	return p
}

// stop ends the process and returns what it wrote to stderr.
func (p *process) stop(t *testing.T) string {
	t.Helper()
	if p.in != nil {
		assert.NoError(t, p.in.Close())
		rest, err := io.ReadAll(p.out)
		assert.NoError(t, err)
		assert.Empty(t, string(rest), "stdout after the last answer")
	} else {
		assert.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	}
	<-p.drained
	assert.NoError(t, p.cmd.Wait())
	return p.stderr.String()
}

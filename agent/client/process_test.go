package client_test

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
)

// serveProcess makes this test binary a server that ends in a way of its own.
const serveProcess = "TOOLCONTRACT_TEST_PROCESS"

func beProcess(kind string) {
	switch kind {
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
		_, _ = io.WriteString(os.Stdout, "the input has ended\n")
	case "terminate":
		terminated := make(chan os.Signal, 1)
		signal.Notify(terminated, syscall.SIGTERM)
		_, _ = io.WriteString(os.Stdout, "ready\n")
		<-terminated
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		_, _ = io.WriteString(os.Stdout, "ready\n")
		select {}
	case "leave": // a process that has the outputs
		left := exec.Command(os.Args[0], "-test.run", "^$")
		left.Env = append(os.Environ(), serveProcess+"=hold")
		left.Stdout, left.Stderr, left.ExtraFiles = os.Stdout, os.Stderr, []*os.File{os.NewFile(3, "held")}
		if left.Start() == nil {
			_, _ = io.WriteString(os.Stdout, "left\n")
		}
	case "hold":
		_, _ = io.Copy(io.Discard, os.NewFile(3, "held"))
	}
}

// process returns a command that runs this binary as a server.
func process(t *testing.T, kind string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	cmd.Env = append(os.Environ(), serveProcess+"="+kind)
	return cmd
}

func TestProcess_EndsTheInputFirst(t *testing.T) {
	t.Parallel()
	cmd := process(t, "echo")
	p, err := client.StartProcess(cmd, time.Minute)
	require.NoError(t, err)
	_, err = io.WriteString(p.In, "hello\n")
	require.NoError(t, err)
	lines := bufio.NewReader(p.Out)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "hello\n", line)
	p.End()
	p.End() // a second time does nothing
	assert.True(t, cmd.ProcessState.Success(), "the server ended by itself")
}

func TestProcess_EndsAServerThatDoesNot(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct {
		grace  time.Duration
		byKill bool
	}{
		"terminate": {2 * time.Second, false},
		"stubborn":  {50 * time.Millisecond, true},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			cmd := process(t, kind)
			p, err := client.StartProcess(cmd, c.grace)
			require.NoError(t, err)
			_, err = bufio.NewReader(p.Out).ReadString('\n')
			require.NoError(t, err)
			p.End()
			assert.Equal(t, c.byKill, !cmd.ProcessState.Exited())
		})
	}
}

// A server may leave a process that has its outputs and lives on.
func TestProcess_DoesNotWaitForWhatTheServerLeaves(t *testing.T) {
	t.Parallel()
	held, hold, err := os.Pipe()
	require.NoError(t, err)
	giveUp := time.AfterFunc(30*time.Second, func() { _ = hold.Close() })
	t.Cleanup(func() { _ = hold.Close() })
	cmd := process(t, "leave")
	cmd.Stderr, cmd.ExtraFiles = &bytes.Buffer{}, []*os.File{held}
	p, err := client.StartProcess(cmd, time.Second)
	require.NoError(t, err)
	require.NoError(t, held.Close())
	lines, read := bufio.NewReader(p.Out), make(chan error, 1)
	_, err = lines.ReadString('\n')
	require.NoError(t, err)
	go func() {
		_, err := lines.ReadString('\n')
		read <- err
	}()
	p.End()
	require.ErrorIs(t, <-read, os.ErrClosed)
	assert.True(t, giveUp.Stop(), "it waited")
}

func TestProcess_TheEndOfTheServerEndsItsInputAndOutput(t *testing.T) {
	t.Parallel()
	p, err := client.StartProcess(process(t, "exit"), time.Second)
	require.NoError(t, err)
	giveUp := time.AfterFunc(30*time.Second, p.End)
	_, err = io.Copy(io.Discard, p.Out)
	require.NoError(t, err)
	_, err = io.Copy(p.In, rand.Reader)
	require.ErrorIs(t, err, syscall.EPIPE)
	assert.True(t, giveUp.Stop(), "it waited")
	p.End()
}

func TestProcess_ReturnsTheErrorOfTheCommand(t *testing.T) {
	t.Parallel()
	_, err := client.StartProcess(exec.Command("/does/not/exist"), time.Second)
	require.ErrorIs(t, err, os.ErrNotExist)
}

package client_test

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
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
		signal.Notify(terminated, terminations()...)
		_, _ = io.WriteString(os.Stdout, "ready\n")
		<-terminated
	case "stubborn":
		signal.Ignore(terminations()...)
		_, _ = io.WriteString(os.Stdout, "ready\n")
		time.Sleep(time.Hour) // a process that blocks forever would be a deadlock
	case "shell": // waits for a server that won't end
		_ = behind("stubborn").Run()
	case "short shell": // ends before its server
		_ = behind("stubborn").Start()
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "leave": // a process in a session of its own that keeps the outputs open
		left := behind("hold")
		leave(left)
		if left.Start() == nil {
			_, _ = io.WriteString(os.Stdout, "left\n")
		}
	case "hold":
		_, _ = io.Copy(io.Discard, os.NewFile(3, "held"))
	}
}

// terminations are the signals that ask a process to terminate. On Windows,
// CTRL_BREAK is an interrupt.
func terminations() []os.Signal { return []os.Signal{syscall.SIGTERM, os.Interrupt} }

// behind returns a command that a shell runs, with the shell's outputs.
func behind(kind string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	cmd.Env = append(os.Environ(), serveProcess+"="+kind)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
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
			if isWine() && kind == "terminate" {
				return // wine sends no CTRL_BREAK to a process without a console
			}
			assert.Equal(t, c.byKill, wasKilled(cmd.ProcessState))
		})
	}
}

// A host that starts a server through a shell knows only the shell. The servers
// share its stderr, which closes when the last of them has ended.
func TestThreat188_EndsTheServerBehindAShell(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"shell", "short shell", "stubborn"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			stderr, theirs, err := os.Pipe()
			require.NoError(t, err)
			cmd := process(t, kind)
			cmd.Stderr = theirs
			p, err := client.StartProcess(cmd, 50*time.Millisecond)
			require.NoError(t, err)
			require.NoError(t, theirs.Close())
			line, err := bufio.NewReader(p.Out).ReadString('\n')
			require.NoError(t, err)
			assert.Equal(t, "ready\n", line)
			p.End()
			ended := make(chan error, 1)
			go func() {
				_, err := io.Copy(io.Discard, stderr)
				ended <- err
			}()
			select {
			case err := <-ended:
				require.NoError(t, err)
			case <-time.After(30 * time.Second):
				t.Error("a server survived")
			}
		})
	}
}

func TestProcess_TheEndOfTheServerEndsItsInputAndOutput(t *testing.T) {
	t.Parallel()
	p, err := client.StartProcess(process(t, "exit"), time.Second)
	require.NoError(t, err)
	giveUp := time.AfterFunc(30*time.Second, p.End)
	_, err = io.Copy(io.Discard, p.Out)
	require.NoError(t, err)
	_, err = io.Copy(p.In, rand.Reader)
	require.True(t, client.IsBroken(err), err)
	assert.True(t, giveUp.Stop(), "it waited")
	p.End()
}

func TestProcess_ReturnsTheErrorOfTheCommand(t *testing.T) {
	t.Parallel()
	_, err := client.StartProcess(exec.Command(filepath.Join(t.TempDir(), "none", "server")), time.Second)
	require.True(t, errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound), err)
}

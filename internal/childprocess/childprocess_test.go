package childprocess_test

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

	"github.com/toolcontract/toolcontract/internal/childprocess"
)

// TestMain lets the test binary be a server.
func TestMain(m *testing.M) {
	switch os.Getenv("CHILDPROCESS_SERVES") {
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
		left.Env = append(os.Environ(), "CHILDPROCESS_SERVES=hold")
		left.Stdout, left.Stderr, left.ExtraFiles = os.Stdout, os.Stderr, []*os.File{os.NewFile(3, "held")}
		if left.Start() == nil {
			_, _ = io.WriteString(os.Stdout, "left\n")
		}
	case "hold":
		_, _ = io.Copy(io.Discard, os.NewFile(3, "held"))
	case "exit":
	default:
		os.Exit(m.Run())
	}
}

// server returns a command that runs this binary as a server.
func server(t *testing.T, kind string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	cmd.Env = append(os.Environ(), "CHILDPROCESS_SERVES="+kind)
	return cmd
}

func TestClose_EndsTheInputFirst(t *testing.T) {
	t.Parallel()
	cmd := server(t, "echo")
	p, err := childprocess.Start(cmd, time.Minute)
	require.NoError(t, err)
	_, err = io.WriteString(p, "hello\n")
	require.NoError(t, err)
	lines := bufio.NewReader(p.Out)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "hello\n", line)
	require.NoError(t, p.Close())
	require.NoError(t, p.Close(), "a second Close does nothing")
	assert.True(t, cmd.ProcessState.Success(), "the server ended by itself")
}

func TestClose_EndsAServerThatDoesNot(t *testing.T) {
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
			cmd := server(t, kind)
			p, err := childprocess.Start(cmd, c.grace)
			require.NoError(t, err)
			_, err = bufio.NewReader(p.Out).ReadString('\n')
			require.NoError(t, err)
			require.NoError(t, p.Close())
			assert.Equal(t, c.byKill, !cmd.ProcessState.Exited())
		})
	}
}

// A server may leave a process that has its outputs and lives on.
func TestClose_DoesNotWaitForWhatTheServerLeaves(t *testing.T) {
	t.Parallel()
	held, hold, err := os.Pipe()
	require.NoError(t, err)
	giveUp := time.AfterFunc(30*time.Second, func() { _ = hold.Close() })
	t.Cleanup(func() { _ = hold.Close() })
	cmd := server(t, "leave")
	cmd.Stderr, cmd.ExtraFiles = &bytes.Buffer{}, []*os.File{held}
	p, err := childprocess.Start(cmd, time.Second)
	require.NoError(t, err)
	require.NoError(t, held.Close())
	lines, read := bufio.NewReader(p.Out), make(chan error, 1)
	_, err = lines.ReadString('\n')
	require.NoError(t, err)
	go func() {
		_, err := lines.ReadString('\n')
		read <- err
	}()
	require.NoError(t, p.Close())
	require.ErrorIs(t, <-read, os.ErrClosed)
	assert.True(t, giveUp.Stop(), "it waited")
}

func TestStart_TheEndOfTheServerEndsItsInputAndOutput(t *testing.T) {
	t.Parallel()
	p, err := childprocess.Start(server(t, "exit"), time.Second)
	require.NoError(t, err)
	giveUp := time.AfterFunc(30*time.Second, func() { _ = p.Close() })
	_, err = io.Copy(io.Discard, p.Out)
	require.NoError(t, err)
	_, err = io.Copy(p, rand.Reader)
	require.ErrorIs(t, err, syscall.EPIPE)
	assert.True(t, giveUp.Stop(), "it waited")
	require.NoError(t, p.Close())
}

func TestStart_ReturnsTheErrorOfTheCommand(t *testing.T) {
	t.Parallel()
	_, err := childprocess.Start(exec.Command("/does/not/exist"), time.Second)
	require.ErrorIs(t, err, os.ErrNotExist)
}

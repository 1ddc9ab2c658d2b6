package childprocess_test

import (
	"bufio"
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

func TestStart_ReturnsTheErrorOfTheCommand(t *testing.T) {
	t.Parallel()
	_, err := childprocess.Start(exec.Command("/does/not/exist"), time.Second)
	require.ErrorIs(t, err, os.ErrNotExist)
}

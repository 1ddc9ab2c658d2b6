//go:build unix

package client_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
)

// leave makes a process outlive its server.
func leave(cmd *exec.Cmd) {
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "held")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

func isWine() bool { return false }

func wasKilled(state *os.ProcessState) bool { return !state.Exited() }

// A server may leave a process behind that lives on in a session of its own and
// keeps the outputs open.
func TestProcess_DoesNotWaitForWhatTheServerLeavesBehind(t *testing.T) {
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

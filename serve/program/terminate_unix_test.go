//go:build unix

package program_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func ownGroup() *syscall.SysProcAttr { return nil }

// terminate asks a process to terminate.
func terminate(t *testing.T, p *os.Process) {
	t.Helper()
	require.NoError(t, p.Signal(syscall.SIGTERM))
}

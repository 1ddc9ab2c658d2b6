package program_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// ownGroup makes a process the only one that CTRL_BREAK reaches.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// terminate sends CTRL_BREAK, because Windows has no SIGTERM. Wine doesn't send
// it to a process without a console.
func terminate(t *testing.T, p *os.Process) {
	t.Helper()
	if windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil {
		t.Skip("wine sends no CTRL_BREAK to a process without a console")
	}
	require.NoError(t, windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.Pid)))
}

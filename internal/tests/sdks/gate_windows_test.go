package sdks_test

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

const envGate = "SDKS_GATE"

// passGate passes the gate as an inherited handle, because Windows has no file
// descriptors.
func passGate(t *testing.T, cmd *exec.Cmd, gate *os.File) {
	t.Helper()
	handle := windows.Handle(gate.Fd())
	require.NoError(t, windows.SetHandleInformation(handle, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT))
	cmd.Env = append(cmd.Env, envGate+"="+strconv.FormatUint(uint64(handle), 10))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(handle)},
		CreationFlags:              windows.CREATE_NEW_PROCESS_GROUP,
	}
}

// openGate returns this process's gate, or nil.
func openGate() *os.File {
	handle, err := strconv.ParseUint(os.Getenv(envGate), 10, 64)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(handle), "gate")
}

// ends are the ways, besides closing its input, in which a host asks a server
// to end. CTRL_BREAK stands in for SIGTERM and SIGINT, which Windows lacks.
// Wine doesn't send it to a process without a console.
func ends() map[string]func(*process) error {
	if windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil {
		return nil
	}
	return map[string]func(*process) error{
		"at CTRL_BREAK": func(p *process) error {
			return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.cmd.Process.Pid))
		},
	}
}

//go:build unix

package approval

import (
	"os/exec"
	"syscall"
)

// detach lets the browser outlive the server, whose process group a host may
// end.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

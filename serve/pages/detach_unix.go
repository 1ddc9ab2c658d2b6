//go:build unix

package pages

import (
	"os/exec"
	"syscall"
)

// detach starts the browser in a session of its own, so that it outlives the
// server. A host may end the whole process group of a server.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

//go:build unix

package pages

import (
	"os/exec"
	"syscall"
)

// detach starts the browser in its own session, so that it outlives the server.
// A host may end a server's whole process group.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

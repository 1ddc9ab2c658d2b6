//go:build unix

package sdks_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// passGate makes the gate file descriptor 3 of a server.
func passGate(_ *testing.T, cmd *exec.Cmd, gate *os.File) { cmd.ExtraFiles = []*os.File{gate} }

// openGate returns the gate of this process. Without one, it is a file that
// cannot be read.
func openGate() *os.File { return os.NewFile(3, "gate") }

// ends are the ways in which a host asks a server to end, besides the end of
// its input.
func ends() map[string]func(*process) error {
	return map[string]func(*process) error{
		"at SIGTERM": func(p *process) error { return p.cmd.Process.Signal(syscall.SIGTERM) },
		"at SIGINT":  func(p *process) error { return p.cmd.Process.Signal(syscall.SIGINT) },
	}
}

//go:build unix

package sdks_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// passGate passes the gate to a server as file descriptor 3.
func passGate(_ *testing.T, cmd *exec.Cmd, gate *os.File) { cmd.ExtraFiles = []*os.File{gate} }

// openGate returns this process's gate, or a file that cannot be read if there
// is none.
func openGate() *os.File { return os.NewFile(3, "gate") }

// ends are the ways, besides closing its input, in which a host asks a server
// to end.
func ends() map[string]func(*process) error {
	return map[string]func(*process) error{
		"at SIGTERM": func(p *process) error { return p.cmd.Process.Signal(syscall.SIGTERM) },
		"at SIGINT":  func(p *process) error { return p.cmd.Process.Signal(syscall.SIGINT) },
	}
}

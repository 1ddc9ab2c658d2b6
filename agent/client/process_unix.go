//go:build unix

package client

import (
	"errors"
	"os/exec"
	"syscall"
)

// A tree is a process and what it started: its process group, named by the ID
// of its leader. A process that has to outlive it can start a session of its
// own.
type tree int

func startTree(cmd *exec.Cmd) (tree, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	return tree(cmd.Process.Pid), nil
}

func (t tree) terminate() { _ = syscall.Kill(-int(t), syscall.SIGTERM) } // it may have ended

func (t tree) kill() { _ = syscall.Kill(-int(t), syscall.SIGKILL) }

func (t tree) isEmpty() bool { return syscall.Kill(-int(t), 0) != nil }

func (tree) close() {}

// isBroken reports whether the reader of a pipe is gone.
func isBroken(err error) bool { return errors.Is(err, syscall.EPIPE) }

//go:build unix

package main

import (
	"os"
	"syscall"
)

// ownGroup starts a process as the leader of its group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a process with all that it started.
func killGroup(leader *os.Process) { _ = syscall.Kill(-leader.Pid, syscall.SIGKILL) } // it may have ended

//go:build unix

package main

import (
	"os"
	"syscall"
)

// ownGroup makes a process the leader of its own process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process and everything it started.
func killGroup(leader *os.Process) { _ = syscall.Kill(-leader.Pid, syscall.SIGKILL) } // it may have ended

//go:build !unix

package main

import (
	"os"
	"syscall"
)

// ownGroup returns nil: a rehearsal needs a POSIX shell anyway.
func ownGroup() *syscall.SysProcAttr { return nil }

func killGroup(leader *os.Process) { _ = leader.Kill() } // it may have ended

//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package stdout

import "syscall"

// replace makes the descriptor to a copy of from.
func replace(from, to int) error { return syscall.Dup2(from, to) }

//go:build unix

package program

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyRotation sends the signals that rotate the audit log. It is not SIGHUP,
// which also comes when a terminal closes.
func notifyRotation(to chan<- os.Signal) { signal.Notify(to, syscall.SIGUSR1) }

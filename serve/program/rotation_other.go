//go:build !unix

package program

import "os"

// notifyRotation does nothing, because the system has no signal for it.
func notifyRotation(chan<- os.Signal) {}

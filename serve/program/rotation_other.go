//go:build !unix

package program

import "os"

// notifyRotation does nothing, because no signal of the system is for it.
func notifyRotation(chan<- os.Signal) {}

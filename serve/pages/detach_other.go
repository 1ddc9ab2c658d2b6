//go:build !unix

package pages

import "os/exec"

// detach does nothing: on these systems, the end of a process doesn't end its
// children.
func detach(*exec.Cmd) {}

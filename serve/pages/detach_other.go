//go:build !unix

package pages

import "os/exec"

// detach does nothing, because on these systems the end of a process does not
// end its children.
func detach(*exec.Cmd) {}

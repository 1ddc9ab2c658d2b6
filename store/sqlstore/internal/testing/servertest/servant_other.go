//go:build !unix

package servertest

import "os/exec"

// give does nothing, because no server is started on this system.
func give(string) error { return nil }

func as(cmd *exec.Cmd) *exec.Cmd { return cmd }

//go:build !unix && !windows

package client

import "os/exec"

// A tree is just the process: this system doesn't show what it started.
type tree struct{ cmd *exec.Cmd }

func startTree(cmd *exec.Cmd) (tree, error) { return tree{cmd}, cmd.Start() }

func (t tree) terminate() {}

func (t tree) kill() { _ = t.cmd.Process.Kill() } // it may have ended

func (tree) isEmpty() bool { return true }

func (tree) close() {}

// isBroken returns false, because this system doesn't show whether the reader
// of a pipe is gone.
func isBroken(error) bool { return false }

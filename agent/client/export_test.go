package client

import (
	"os"
	"os/exec"
	"time"
)

// A Process is the process of a [Command].
type Process struct {
	In, Out *os.File
	End     func()
}

// StartProcess starts the process of a command with a grace of the test.
func StartProcess(cmd *exec.Cmd, grace time.Duration) (Process, error) {
	p, err := startProcess(cmd, grace)
	if err != nil {
		return Process{}, err
	}
	return Process{In: p.in, Out: p.out, End: func() { _ = p.end() }}, nil
}

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

// IsBroken reports whether the reader of a pipe is gone.
func IsBroken(err error) bool { return isBroken(err) }

// StartProcess starts the process of a command with a grace of the test.
func StartProcess(cmd *exec.Cmd, grace time.Duration) (Process, error) {
	p, err := startProcess(cmd, grace)
	if err != nil {
		return Process{}, err
	}
	return Process{In: p.in, Out: p.out, End: func() { _ = p.end() }}, nil
}

// Package childprocess runs a server as a process that serves over its standard
// input and output.
package childprocess

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A Process is a running server. Its methods are safe for concurrent use.
type Process struct {
	// In writes to the input of the process, and Out reads its output. Close
	// closes both.
	In, Out *os.File

	end func()
}

// Start starts a command whose Stdin and Stdout are not set. The context of the
// command, if it has one, must outlive the process. The grace is how long the
// process may take to end after its input has ended, and again after it was
// asked to terminate.
func Start(cmd *exec.Cmd, grace time.Duration) (*Process, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	cmd.Stdin, cmd.Stdout, cmd.WaitDelay = childIn, childOut, grace
	err = cmd.Start()
	_ = childIn.Close() // the process has its own
	_ = childOut.Close()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return &Process{In: in, Out: out, end: sync.OnceFunc(func() {
		_ = in.Close()
		exited := make(chan struct{})
		go stop(cmd.Process, exited, grace)
		_ = cmd.Wait() // its status is no answer
		close(exited)
		_ = out.Close()
	})}, nil
}

// stop ends a process that does not end by itself.
func stop(p *os.Process, exited <-chan struct{}, grace time.Duration) {
	for _, end := range []func() error{func() error { return p.Signal(syscall.SIGTERM) }, p.Kill} {
		select {
		case <-exited:
			return
		case <-time.After(grace):
			_ = end() // it may have ended
		}
	}
}

// Write writes to the input of the process.
func (p *Process) Write(b []byte) (int, error) { return p.In.Write(b) }

// Close closes the input of the process, as MCP demands, and returns when the
// process has ended. A process that does not end is asked to terminate, and
// then killed.
func (p *Process) Close() error {
	p.end()
	return nil
}

package client

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A process is a running server that serves over its input and output.
type process struct {
	in, out *os.File
	// end closes the input of the process, as MCP demands, and returns when the
	// process has ended. A process that does not end is asked to terminate, and
	// then killed. The error is the exit status of a process that failed.
	end func() error
}

// startProcess starts a command whose Stdin and Stdout are not set. The grace
// is how long the process may take to end after its input has ended, and again
// after it was asked to terminate.
func startProcess(cmd *exec.Cmd, grace time.Duration) (*process, error) {
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
	return &process{in: in, out: out, end: sync.OnceValue(func() error {
		_ = in.Close()
		exited := make(chan struct{})
		go stop(cmd.Process, exited, grace)
		err := cmd.Wait()
		close(exited)
		_ = out.Close()
		return err
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

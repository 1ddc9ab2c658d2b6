package client

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"time"
)

// A process is a running server that serves over its input and output.
type process struct {
	in, out *os.File
	// end closes the input of the process, as MCP demands, and returns when the
	// process has ended, with everything it started. A process that does not end
	// is asked to terminate, and then killed. The error is the exit status of a
	// process that failed.
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
	started, err := startTree(cmd)
	_ = childIn.Close() // the process has its own
	_ = childOut.Close()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return &process{in: in, out: out, end: sync.OnceValue(func() error {
		_ = in.Close()
		exited := make(chan struct{})
		go started.stop(exited, grace)
		err := cmd.Wait()
		close(exited)
		started.finish(grace)
		_ = out.Close()
		return err
	})}, nil
}

// stop ends a process that does not end by itself, and what it started, such as
// the server behind a shell.
func (t tree) stop(exited <-chan struct{}, grace time.Duration) {
	for _, end := range []func(){t.terminate, t.kill} {
		select {
		case <-exited:
			return
		case <-time.After(grace):
			end()
		}
	}
}

// pollTime is how often finish checks whether the rest has ended.
const pollTime = 10 * time.Millisecond

// finish ends what a process left behind when it ended, such as the server
// behind a shell.
func (t tree) finish(grace time.Duration) {
	defer t.close()
	if t.isEmpty() {
		return
	}
	t.terminate()
	for end := time.Now().Add(grace); !t.isEmpty() && time.Now().Before(end); {
		time.Sleep(pollTime)
	}
	t.kill()
}

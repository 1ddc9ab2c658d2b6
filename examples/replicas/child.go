package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience bounds the time from the end of a child's stdin to its exit.
const patience = 10 * time.Second

// A child is a process that runs this program in one of its roles.
type child struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	url    string // the address that the child printed
	killed bool
}

// start starts a child and waits until it is ready. The child ends with ctx.
func start(ctx context.Context, r role, env ...string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, program, string(r))}
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.Stderr = os.Stderr
	c.cmd.Cancel = stdin.Close
	c.cmd.WaitDelay = patience
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = c.end() // the child has printed the error to stderr
		return nil, fmt.Errorf("%s did not start", r)
	}
	c.url = strings.TrimSpace(line)
	return c, nil
}

// end ends the child, unless it was killed, and waits for it.
func (c *child) end() error {
	if c.killed {
		return nil
	}
	_ = c.stdin.Close() // may be closed already
	killer := time.AfterFunc(patience, func() { _ = c.cmd.Process.Kill() })
	defer killer.Stop()
	return c.cmd.Wait()
}

// kill ends the child with SIGKILL.
func (c *child) kill() error {
	if err := c.cmd.Process.Kill(); err != nil {
		return err
	}
	_ = c.cmd.Wait() // always an error, because the child was killed
	c.killed = true
	return nil
}

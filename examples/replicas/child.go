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

// patience is how long a child has to end once its stdin has.
const patience = 10 * time.Second

// A child is a process of this program in one of its roles.
type child struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	url    string // where it said that it can be reached
	killed bool
}

// start starts a child and waits until it can be reached. The end of ctx ends
// it.
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
		_ = c.end() // it has said on stderr what was wrong
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
	_ = c.stdin.Close() // it may be closed already
	killer := time.AfterFunc(patience, func() { _ = c.cmd.Process.Kill() })
	defer killer.Stop()
	return c.cmd.Wait()
}

// kill ends the child where it stands, by SIGKILL.
func (c *child) kill() error {
	if err := c.cmd.Process.Kill(); err != nil {
		return err
	}
	_ = c.cmd.Wait() // it was killed, and says so
	c.killed = true
	return nil
}

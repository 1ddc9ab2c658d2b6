package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// A role is what a process is that this program started of itself. It runs
// until its stdin ends, which the end of its parent, however it came, brings
// about, and says on stdout where it can be reached.
type role string

const (
	serverRole role = "serve-as-replica"
	redisRole  role = "keep-redis"
)

// roleOf returns the role that a command line gives.
func roleOf(args []string) (role, bool) {
	if len(args) != 1 {
		return "", false
	}
	r := role(args[0])
	return r, r == serverRole || r == redisRole
}

// play plays the role and returns the exit code.
func (r role) play() int {
	// The parent gets an interrupt too, and ends this process; and what it no
	// longer reads must not end it before it has cleaned up.
	signal.Ignore(os.Interrupt, syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	run := keepRedis
	if r == serverRole {
		run = serve
	}
	if err := run(ctx, func(url string) { fmt.Println(url) }); err != nil {
		fmt.Fprintf(os.Stderr, "replicas: %s: %v\n", r, err)
		return exitBroken
	}
	return 0
}

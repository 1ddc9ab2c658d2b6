package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// A role is the task of a child process. A child prints its address to stdout
// and runs until its stdin ends. Its stdin ends with the parent, even if that
// is killed.
type role string

const (
	serverRole role = "serve-as-replica"
	redisRole  role = "keep-redis"
)

// parseRole returns the role in a command line.
func parseRole(args []string) (role, bool) {
	if len(args) != 1 {
		return "", false
	}
	r := role(args[0])
	return r, r == serverRole || r == redisRole
}

// run runs the process in its role and returns the exit code.
func (r role) run() int {
	// The parent handles an interrupt and then ends this process. A write to a
	// parent that is gone must not end it before it has cleaned up.
	signal.Ignore(os.Interrupt, syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	task := runRedis
	if r == serverRole {
		task = serveOrders
	}
	if err := task(ctx, func(url string) { fmt.Println(url) }); err != nil {
		fmt.Fprintf(os.Stderr, "replicas: %s: %v\n", r, err)
		return exitBroken
	}
	return 0
}

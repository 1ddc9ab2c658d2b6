package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// redisServer is the name of the program.
const redisServer = "redis-server"

var errNoRedis = errors.New("redis-server is not installed: install it (apt-get install redis-server, brew install redis), " +
	"or set -store to the URL of a running Redis")

// startRedis starts a redis-server that ends with this process.
func startRedis(ctx context.Context) (*child, error) {
	if _, err := exec.LookPath(redisServer); err != nil {
		return nil, errNoRedis
	}
	return start(ctx, redisRole)
}

// runRedis runs a redis-server on a socket in a temporary folder, until ctx
// ends. It runs in a child of its own, because redis-server would outlive a
// killed parent.
func runRedis(ctx context.Context, ready func(url string)) (err error) {
	folder, err := os.MkdirTemp("", "replicas-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	socket := filepath.Join(folder, "redis.sock")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, redisServer, "--port", "0", "--unixsocket", socket, "--dir", folder,
		"--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction")
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	if answers(ctx, socket, ended) {
		ready((&url.URL{Scheme: "unix", Path: socket}).String())
	}
	<-ended
	if ctx.Err() == nil {
		return fmt.Errorf("redis-server ended by itself:\n%s", log.Bytes())
	}
	return nil
}

// answers reports whether the server listens on its socket before ctx or the
// server ends.
func answers(ctx context.Context, socket string, ended <-chan struct{}) bool {
	retry := time.NewTicker(10 * time.Millisecond)
	defer retry.Stop()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
		if err == nil {
			return conn.Close() == nil
		}
		select {
		case <-retry.C:
		case <-ended:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

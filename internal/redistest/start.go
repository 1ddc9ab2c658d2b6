package redistest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// supervise runs its arguments until standard input ends: the pipe to it closes however the test's
// process ends, by SIGKILL too, so that no server is left behind.
const supervise = `"$@" & server=$!
cat >/dev/null
kill -9 $server
wait $server 2>/dev/null`

// startTimeout is how long a server may take until it answers.
const startTimeout = 30 * time.Second

// Start runs an empty redis-server on a Unix socket of its own and returns its URL, unix://…, which
// [redis.ParseURL] reads. The server keeps nothing on disk, listens to no port and ends with the test. The
// arguments follow its own on the command line, so that they win over them, as in Start(t, "--maxmemory", "2mb").
//
// Where redis-server is not installed the test is skipped, with a line that says so.
func Start(t testing.TB, args ...string) string {
	t.Helper()
	server, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not installed: what needs a real Redis is not tested")
	}
	// Not t.TempDir: a socket's path has about a hundred bytes, and the name of a test is part of that one.
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	log := filepath.Join(dir, "log")
	run := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", append([]string{"-c", supervise, "sh", server, //nolint:gosec // the test's own
		"--port", "0", "--bind", "127.0.0.1", "--unixsocket", socket, "--unixsocketperm", "700",
		"--save", "", "--appendonly", "no", "--dir", dir, "--logfile", log, "--daemonize", "no"}, args...)...)
	alive, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = alive.Close()
		_ = run.Wait()
	})
	if !answers(t, socket) {
		said, _ := os.ReadFile(log) //nolint:gosec // the server's own log
		t.Fatalf("redis-server did not start: %s", said)
	}
	return "unix://" + socket
}

// answers reports whether the server answered in time. One that asks for a password answers too.
func answers(t testing.TB, socket string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	for ctx.Err() == nil {
		if conn, err := new(net.Dialer).DialContext(ctx, "unix", socket); err == nil {
			_ = conn.Close()
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: socket, ContextTimeoutEnabled: true})
	defer func() { _ = client.Close() }()
	err := client.Ping(ctx).Err()
	return err == nil || redis.IsAuthError(err)
}

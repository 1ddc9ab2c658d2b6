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

// supervise runs its arguments until standard input ends. The test's process
// holds the other end of that pipe, so no server outlives it, even after
// SIGKILL.
const supervise = `"$@" & server=$!
cat >/dev/null
kill -9 $server
wait $server 2>/dev/null`

// startTimeout bounds the time until a server answers.
const startTimeout = 30 * time.Second

// Start runs an empty redis-server on a Unix socket of its own. It returns the
// server's URL, unix://…, which [redis.ParseURL] reads. The server writes
// nothing to disk, listens on no port and ends with the test.
//
// The arguments come last on the server's command line and override the
// defaults, as in Start(t, "--maxmemory", "2mb").
//
// Start skips the test if redis-server is not installed, and with -short.
func Start(t testing.TB, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short starts no server")
	}
	server, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not installed")
	}
	// Not t.TempDir: a socket's path is limited to about a hundred bytes, and
	// the name of the test would be part of it.
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	log := filepath.Join(dir, "log")
	command := append([]string{"-c", supervise, "sh", server,
		"--port", "0", "--bind", "127.0.0.1", "--unixsocket", socket, "--unixsocketperm", "700",
		"--save", "", "--appendonly", "no", "--dir", dir, "--logfile", log, "--daemonize", "no"}, args...)
	run := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", command...) //nolint:gosec // the test's own
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
		content, _ := os.ReadFile(log) //nolint:gosec // the server's own log
		t.Fatalf("redis-server did not start: %s", content)
	}
	return "unix://" + socket
}

// answers reports whether the server answered in time. A request for a password
// is an answer too.
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

package databasetest

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/stretchr/testify/require"
)

// supervise runs its arguments until standard input ends. The test's process
// holds the other end of that pipe, so no server outlives it, even after
// SIGKILL.
const supervise = `"$@" & server=$!
cat >/dev/null
kill -9 $server
wait $server 2>/dev/null`

// startTimeout bounds the time until a server answers.
const startTimeout = time.Minute

// Postgres runs an empty PostgreSQL server on a Unix socket of its own, and
// returns the URL of its database. The server ends with the test. Postgres
// skips the test if it is not installed, and with -short.
func Postgres(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short starts no server")
	}
	if runtime.GOOS == "windows" || find("postgres") == "" {
		t.Skip("postgres is not installed, or there is no shell to start it")
	}
	// Not t.TempDir: a socket's path is limited to about a hundred bytes.
	folder, err := os.MkdirTemp("", "db") //nolint:usetesting // see above
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	data := filepath.Join(folder, "data")
	account := account(t, folder)
	initialize := exec.CommandContext(context.WithoutCancel(t.Context()), find("initdb"), //nolint:gosec // the test's own
		"-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
	initialize.SysProcAttr = account
	output, err := initialize.CombinedOutput()
	require.NoError(t, err, "initdb: %s", output)

	server := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c", supervise, "sh", //nolint:gosec // the test's own
		find("postgres"), "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off")
	server.SysProcAttr = account
	alive, err := server.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = alive.Close()
		_ = server.Wait()
	})
	query := url.Values{"host": {folder}, "user": {"test"}}.Encode()
	address := (&url.URL{Scheme: "postgres", Path: "/postgres", RawQuery: query}).String()
	await(t, address)
	return address
}

// find returns the path of a program, or an empty text. Debian keeps those of
// PostgreSQL outside the PATH.
func find(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program); len(found) > 0 {
		return found[len(found)-1]
	}
	return ""
}

// await waits until the server answers.
func await(t testing.TB, address string) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // the ping has its error
	for end := time.Now().Add(startTimeout); ; time.Sleep(20 * time.Millisecond) {
		if err = db.PingContext(t.Context()); err == nil {
			return
		}
		require.True(t, time.Now().Before(end), "the server did not start: %v", err)
	}
}

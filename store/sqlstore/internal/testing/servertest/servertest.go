// Package servertest starts a PostgreSQL server for tests.
package servertest

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// supervise runs its other arguments until standard input ends, and removes the
// folder that is the first one. The test's process holds the other end of that
// pipe, so no server outlives it, even after SIGKILL.
const supervise = `dir=$1; shift
"$@" & server=$!
cat >/dev/null
kill -9 $server
wait $server 2>/dev/null
rm -rf "$dir"`

// startTimeout bounds the time until a server answers.
const startTimeout = 60 * time.Second

// server is the one that the tests of a process share.
var server struct {
	once      sync.Once
	folder    string
	stdin     any // held open as long as the process lives
	err       error
	databases atomic.Int64
}

// start starts the server in a new folder.
func start() (err error) {
	// Not t.TempDir: the server outlives the test, and a socket's path is
	// limited to about a hundred bytes.
	if server.folder, err = os.MkdirTemp("", "db"); err != nil {
		return err
	}
	if err := give(server.folder); err != nil {
		return err
	}
	data := filepath.Join(server.folder, "data")
	init := as(exec.Command(find("initdb"), //nolint:gosec,noctx // the test's own
		"-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"))
	if output, err := init.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, output)
	}
	run := as(exec.Command("sh", "-c", supervise, "sh", server.folder, //nolint:gosec,noctx // it ends with the process
		find("postgres"), "-D", data, "-k", server.folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=300"))
	if server.stdin, err = run.StdinPipe(); err != nil {
		return err
	}
	return run.Start()
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

// Postgres returns an empty database of a PostgreSQL server, by the driver
// "pgx". It skips the test if the server is not installed, and with -short.
func Postgres(t testing.TB) *sql.DB {
	t.Helper()
	return opened(t, PostgresURL(t))
}

// PostgresURL is Postgres for several processes, which open the database
// themselves.
func PostgresURL(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short starts no server")
	}
	if runtime.GOOS == "windows" || find("postgres") == "" {
		t.Skip("postgres is not installed, or there is no shell to start it")
	}
	server.once.Do(func() { server.err = start() })
	if server.err != nil {
		t.Fatal(server.err)
	}
	name := fmt.Sprintf("test%d", server.databases.Add(1))
	create(t, name)
	return url(name)
}

func url(database string) string { return "host=" + server.folder + " user=test dbname=" + database }

// create makes an empty database when the server answers.
func create(t testing.TB, name string) {
	t.Helper()
	admin := opened(t, url("postgres"))
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	for {
		_, err := admin.ExecContext(ctx, "CREATE DATABASE "+name)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the server did not start: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func opened(t testing.TB, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Package servertest starts a PostgreSQL server for tests.
package servertest

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
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
	if uid, gid, ok := servant(); ok {
		if err := os.Chown(server.folder, uid, gid); err != nil {
			return err
		}
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

// servant is the account of the server, which refuses to run as root. ok is
// false if the tests do not run as root.
func servant() (uid, gid int, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	account, err := user.Lookup("nobody")
	if err != nil {
		return 0, 0, false
	}
	uid, _ = strconv.Atoi(account.Uid)
	gid, _ = strconv.Atoi(account.Gid)
	return uid, gid, true
}

func as(cmd *exec.Cmd) *exec.Cmd {
	if uid, gid, ok := servant(); ok {
		account := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} //nolint:gosec // ids of accounts
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account}
	}
	return cmd
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
	if find("postgres") == "" {
		t.Skip("postgres is not installed")
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

package postgrestest

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
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

// Start runs an empty PostgreSQL server on a Unix socket of its own, and
// returns the URL of its database. The server ends with the test. Start
// skips the test if it is not installed, and with -short.
func Start(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short starts no server")
	}
	initdb, server := find("initdb"), find("postgres")
	if initdb == "" || server == "" {
		t.Skip("postgres is not installed")
	}
	// Not t.TempDir: a socket's path is limited to about a hundred bytes.
	dir, err := os.MkdirTemp("", "pg") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	as := account(t, dir)
	data := filepath.Join(dir, "data")
	ctx := context.WithoutCancel(t.Context())
	create := exec.CommandContext(ctx, initdb, //nolint:gosec // the test's own
		"-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
	create.SysProcAttr = as
	if output, err := create.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, output)
	}
	run := exec.CommandContext(ctx, "sh", "-c", supervise, "sh", server, //nolint:gosec // the test's own
		"-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off")
	run.SysProcAttr = as
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
	query := url.Values{"host": {dir}, "user": {"test"}}.Encode()
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
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// account gives the folder to another account if the test runs as root, because
// the server refuses to run as root.
func account(t testing.TB, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("postgres does not run as root, and no account without rights was found")
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	as := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} //nolint:gosec // ids of accounts
	return &syscall.SysProcAttr{Credential: as}
}

// await waits until the server answers.
func await(t testing.TB, address string) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it was only read
	for end := time.Now().Add(startTimeout); ; time.Sleep(20 * time.Millisecond) {
		if err = db.PingContext(t.Context()); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the server did not start: %v", err)
		}
	}
}

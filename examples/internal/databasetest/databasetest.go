package databasetest

import (
	"context"
	"database/sql"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver "mysql"
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
	folder := folderFor(t, "postgres")
	data := filepath.Join(folder, "data")
	initialize(t, folder, "initdb", "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
	run(t, folder, "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off")
	query := url.Values{"host": {folder}, "user": {"test"}}.Encode()
	address := (&url.URL{Scheme: "postgres", Path: "/postgres", RawQuery: query}).String()
	await(t, folder, "pgx", address, "SELECT 1")
	return address
}

// MariaDB runs an empty MariaDB server on a port of loopback, and returns the
// address of its database, and the same for the driver. The server ends with
// the test. MariaDB skips the test if it is not installed, and with -short.
func MariaDB(t testing.TB) (address, dsn string) {
	t.Helper()
	folder := folderFor(t, "mariadbd")
	data := filepath.Join(folder, "data")
	initialize(t, folder, "mariadb-install-db", "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal",
		"--skip-test-db")
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	host := free.Addr().String()
	_, port, err := net.SplitHostPort(host)
	require.NoError(t, err)
	require.NoError(t, free.Close())
	run(t, folder, "mariadbd", "--no-defaults", "--datadir="+data, "--socket="+filepath.Join(folder, "s"),
		"--bind-address=127.0.0.1", "--port="+port, "--innodb-flush-log-at-trx-commit=0", "--log-error="+filepath.Join(folder, "log"))
	await(t, folder, "mysql", "root@tcp("+host+")/mysql", "CREATE DATABASE state")
	return "mysql://root@" + host + "/state", "root@tcp(" + host + ")/state"
}

// folderFor returns a folder for a server that is installed.
func folderFor(t testing.TB, server string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short starts no server")
	}
	if find(server) == "" {
		t.Skip(server + " is not installed")
	}
	// Not t.TempDir: a socket's path is limited to about a hundred bytes.
	folder, err := os.MkdirTemp("", "db") //nolint:usetesting // see above
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

func initialize(t testing.TB, folder, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), find(program), args...) //nolint:gosec // the test's own
	cmd.SysProcAttr = account(t, folder)
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", program, output)
}

// run runs a server until the test ends.
func run(t testing.TB, folder, server string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", //nolint:gosec // the test's own
		append([]string{"-c", supervise, "sh", find(server)}, args...)...)
	cmd.SysProcAttr = account(t, folder)
	alive, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = alive.Close()
		_ = cmd.Wait()
	})
}

// find returns the path of a program, or an empty text. Debian keeps those of
// servers outside the PATH.
func find(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	for _, folder := range []string{"/usr/lib/postgresql/*/bin/", "/usr/sbin/"} {
		if found, _ := filepath.Glob(folder + program); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

// account gives the folder to another account if the test runs as root, because
// the servers refuse to run as root.
func account(t testing.TB, folder string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("the server does not run as root, and no account without rights was found")
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	require.NoError(t, os.Chown(folder, uid, gid))
	as := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} //nolint:gosec // ids of accounts
	return &syscall.SysProcAttr{Credential: as}
}

// await waits until the server has answered a statement.
func await(t testing.TB, folder, driver, address, statement string) {
	t.Helper()
	db, err := sql.Open(driver, address)
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // the statement has its error
	for end := time.Now().Add(startTimeout); ; time.Sleep(20 * time.Millisecond) {
		if _, err = db.ExecContext(t.Context(), statement); err == nil {
			return
		}
		if time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(folder, "log")) //nolint:gosec // the server's own log
			t.Fatalf("the server did not start: %v\n%s", err, log)
		}
	}
}

// Package servertest starts database servers for tests.
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

// A server is one that the tests of a process share.
type server struct {
	once   sync.Once
	folder string
	stdin  any // held open as long as the process lives
	err    error
	count  atomic.Int64
}

// start starts the command that args returns for a new folder.
func (s *server) start(t testing.TB, program string, args func(folder string) ([]string, error)) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short starts no server")
	}
	if find(program) == "" {
		t.Skip(program + " is not installed")
	}
	s.once.Do(func() {
		// Not t.TempDir: the server outlives the test, and a socket's path is
		// limited to about a hundred bytes.
		if s.folder, s.err = os.MkdirTemp("", "db"); s.err != nil { //nolint:usetesting // see above
			return
		}
		if uid, gid, ok := servant(); ok {
			if s.err = os.Chown(s.folder, uid, gid); s.err != nil {
				return
			}
		}
		var command []string
		if command, s.err = args(s.folder); s.err != nil {
			return
		}
		command = append([]string{"-c", supervise, "sh", s.folder}, command...)
		run := as(exec.Command("sh", command...)) //nolint:gosec,noctx // it ends with the process
		s.stdin, s.err = run.StdinPipe()
		if s.err == nil {
			s.err = run.Start()
		}
	})
	if s.err != nil {
		t.Fatal(s.err)
	}
}

// find returns the path of a program, or an empty text. Debian keeps those of
// PostgreSQL outside the PATH.
func find(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	for _, pattern := range []string{"/usr/sbin/", "/usr/lib/postgresql/*/bin/"} {
		if found, _ := filepath.Glob(pattern + program); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

// servant is the account of servers that refuse to run as root. ok is false if
// the tests do not run as root.
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

// database makes an empty database on a server and returns its URL. url is that
// of a database by its name.
func (s *server) database(t testing.TB, driver, admin string, url func(name string) string) string {
	t.Helper()
	name := fmt.Sprintf("test%d", s.count.Add(1))
	root := opened(t, driver, url(admin))
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	for {
		_, err := root.ExecContext(ctx, "CREATE DATABASE "+name)
		if err == nil {
			break
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(s.folder, "log")) //nolint:gosec // the server's own log
			t.Fatalf("the server did not start: %v\n%s", err, log)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return url(name)
}

func opened(t testing.TB, driver, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

var postgres, mariadb server

// Postgres returns an empty database of a PostgreSQL server, by the driver
// "pgx". It skips the test if the server is not installed, and with -short.
func Postgres(t testing.TB) *sql.DB {
	t.Helper()
	return opened(t, "pgx", PostgresURL(t))
}

// PostgresURL is Postgres for several processes, which open the database
// themselves.
func PostgresURL(t testing.TB) string {
	t.Helper()
	postgres.start(t, "postgres", func(folder string) ([]string, error) {
		data := filepath.Join(folder, "data")
		init := as(exec.Command(find("initdb"), //nolint:gosec,noctx // the test's own
			"-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"))
		if output, err := init.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("initdb: %w: %s", err, output)
		}
		return []string{find("postgres"), "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off",
			"-c", "max_connections=300"}, nil
	})
	return postgres.database(t, "pgx", "postgres", func(name string) string {
		return "host=" + postgres.folder + " user=test dbname=" + name
	})
}

// MariaDB returns an empty database of a MariaDB server, by the driver "mysql".
// It skips the test if the server is not installed, and with -short.
func MariaDB(t testing.TB) *sql.DB {
	t.Helper()
	return opened(t, "mysql", MariaDBURL(t))
}

// MariaDBURL is MariaDB for several processes, which open the database
// themselves.
func MariaDBURL(t testing.TB) string {
	t.Helper()
	mariadb.start(t, "mariadbd", func(folder string) ([]string, error) {
		data := filepath.Join(folder, "data")
		init := as(exec.Command(find("mariadb-install-db"), //nolint:gosec,noctx // the test's own
			"--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db"))
		if output, err := init.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("mariadb-install-db: %w: %s", err, output)
		}
		return []string{
			find("mariadbd"), "--no-defaults", "--datadir=" + data, "--socket=" + filepath.Join(folder, "s"), "--skip-networking",
			"--innodb-flush-log-at-trx-commit=0", "--log-error=" + filepath.Join(folder, "log"), "--max-connections=300",
		}, nil
	})
	return mariadb.database(t, "mysql", "mysql", func(name string) string {
		return "root@unix(" + filepath.Join(mariadb.folder, "s") + ")/" + name
	})
}

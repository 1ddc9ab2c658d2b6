//go:build unix

package outcomes_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
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

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/toolcontract/toolcontract/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// A place is where processes keep their records.
type place struct {
	Kind kind
	URL  string
}

// A kind is a kind of store.
type kind string

const (
	memory   kind = "memory" // of one process
	sqlite   kind = "SQLite"
	redis    kind = "Redis"
	postgres kind = "PostgreSQL"
	file     kind = "a state file" // SQLite, with its sealing keys beside it
)

// shared are the stores that outlive a process.
var shared = []kind{sqlite, redis, postgres}

// sample returns the kinds of stores that a test tries in this run, some of
// which it names.
func sample(more ...kind) []kind {
	if isLong() || longtest.Enabled() {
		return append(more, shared...)
	}
	return append(more, sqlite)
}

// open opens the store of a process.
func (p place) open() (s store.Store, closeStore func() error, err error) {
	switch p.Kind {
	case memory:
		s, err = store.NewMemory()
		return s, func() error { return nil }, err
	case redis:
		r, err := redisstore.Open(p.URL)
		if err != nil {
			return nil, nil, err
		}
		return r, r.Close, nil
	case sqlite:
		return openSQL("sqlite", p.URL, sqlstore.SQLite)
	case postgres:
		return openSQL("pgx", p.URL, sqlstore.Postgres)
	case file:
	}
	return nil, nil, errors.New("the store is unknown")
}

func openSQL(driver, url string, d sqlstore.Dialect) (store.Store, func() error, error) {
	db, err := sql.Open(driver, url)
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(4) // there are many processes
	s, err := sqlstore.Open(db, d, sqlstore.WithMigration())
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return s, db.Close, nil
}

// newPlace returns an empty store of a kind. It skips the test if the server of
// the store is not installed, and with -short.
func newPlace(t *testing.T, k kind) place {
	t.Helper()
	p := place{Kind: k}
	switch k {
	case memory:
		return p
	case file:
		p.URL = filepath.Join(t.TempDir(), "state.db")
		return p
	case sqlite:
		p.URL = sqliteURL(filepath.Join(t.TempDir(), "state.db"))
	case redis:
		p.URL, _ = startRedis(t)
	case postgres:
		p.URL = newDatabase(t)
	}
	s, closeStore, err := p.open() // makes the tables
	require.NoError(t, err)
	require.NotNil(t, s)
	require.NoError(t, closeStore())
	return p
}

func sqliteURL(path string) string {
	return "file:" + path + "?_pragma=busy_timeout(300)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"
}

// supervise runs its arguments until standard input ends. The process of the
// test holds the other end of that pipe, so no server outlives it.
const supervise = `"$@" & server=$!
cat >/dev/null
kill -9 $server
wait $server 2>/dev/null`

// startRedis starts an empty Redis that ends with the test. It returns its URL,
// and a function that ends it as a loss of power does.
func startRedis(t *testing.T, args ...string) (url string, end func()) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short starts no server")
	}
	server, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not installed")
	}
	// Not t.TempDir: a socket's path is limited to about a hundred bytes.
	folder, err := os.MkdirTemp("", "redis") //nolint:usetesting // see above
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return redisIn(t, server, folder, args...)
}

// redisIn starts a Redis in a folder.
func redisIn(t *testing.T, server, folder string, args ...string) (url string, end func()) {
	t.Helper()
	socket := filepath.Join(folder, "s")
	_ = os.Remove(socket)
	end = run(t, nil, append([]string{
		server, "--port", "0", "--unixsocket", socket, "--unixsocketperm", "700",
		"--save", "", "--appendonly", "no", "--dir", folder, "--logfile", filepath.Join(folder, "log"), "--daemonize", "no",
	}, args...)...)
	require.Eventually(t, func() bool {
		conn, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
		return err == nil && conn.Close() == nil
	}, patience, 10*time.Millisecond)
	return "unix://" + socket, end
}

// run starts a server that ends with the test, or when end is called.
func run(t testing.TB, as *syscall.SysProcAttr, command ...string) (end func()) {
	t.Helper()
	args := append([]string{"-c", supervise, "sh"}, command...)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", args...) //nolint:gosec // the test's own
	cmd.SysProcAttr = as
	alive, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	end = sync.OnceFunc(func() {
		_ = alive.Close()
		_ = cmd.Wait()
	})
	t.Cleanup(end)
	return end
}

// database is the PostgreSQL server that the tests share. It ends with the
// process of the tests.
var database struct {
	once   sync.Once
	folder string
	alive  any // held open
	err    error
	count  atomic.Int64
}

func startPostgres() error {
	folder, err := os.MkdirTemp("", "db")
	if err != nil {
		return err
	}
	database.folder = folder
	as, err := servant(folder)
	if err != nil {
		return err
	}
	data := filepath.Join(folder, "data")
	initialize := exec.Command(find("initdb"), "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
	initialize.SysProcAttr = as
	if output, err := initialize.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, output)
	}
	const superviseAndRemove = `dir=$1; shift
` + supervise + `
rm -rf "$dir"`
	cmd := exec.Command("sh", "-c", superviseAndRemove, "sh", folder,
		find("postgres"), "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=600")
	cmd.SysProcAttr = as
	if database.alive, err = cmd.StdinPipe(); err != nil {
		return err
	}
	return cmd.Start()
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

// servant gives a folder to the account of a server that refuses to run as
// root, if the tests run as root.
func servant(folder string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil //nolint:nilnil // the account is that of the tests
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	as := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} //nolint:gosec // ids of accounts
	return &syscall.SysProcAttr{Credential: as}, os.Chown(folder, uid, gid)
}

// newDatabase returns an empty database.
func newDatabase(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short starts no server")
	}
	if find("postgres") == "" {
		t.Skip("postgres is not installed")
	}
	database.once.Do(func() { database.err = startPostgres() })
	require.NoError(t, database.err)
	url := func(name string) string { return "host=" + database.folder + " user=test dbname=" + name }
	name := fmt.Sprintf("test%d", database.count.Add(1))
	admin, err := sql.Open("pgx", url("postgres"))
	require.NoError(t, err)
	defer admin.Close()
	require.Eventually(t, func() bool {
		_, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name)
		return err == nil
	}, patience, 50*time.Millisecond)
	return url(name)
}

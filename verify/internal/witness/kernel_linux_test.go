//go:build amd64 || arm64

package witness_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite" // the driver

	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// A run is what a case needs: its folder and what was set up there.
type run struct {
	*testing.T
	dir string
}

// path returns a path below the run's folder.
func (r run) path(name string) string { return filepath.Join(r.dir, name) }

// newRun prepares a folder with a file, a folder and a link.
func newRun(t *testing.T) run {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := run{t, dir}
	require.NoError(t, os.WriteFile(r.path("old"), []byte("content"), 0o600))
	require.NoError(t, os.Mkdir(r.path("sub"), 0o700))
	return r
}

// needKernel skips a test where the kernel is not a witness.
func needKernel(t *testing.T) {
	t.Helper()
	if why := witness.Supported(); why != "" {
		t.Skip(why)
	}
}

// observe runs a handler in one window and returns its events as lines, without
// the names of folders and ports that vary from run to run.
func observe(t *testing.T, name string, options witness.Options, prepare func(r run) (handler func())) (lines []string,
	ran bool) {
	t.Helper()
	witness.Run(t, name, options, func(t *testing.T, rec *witness.Recorder) []byte {
		r := newRun(t)
		handler := prepare(r)
		seen := rec.Window(handler)
		report, err := json.Marshal(normal(r, seen.Events))
		require.NoError(t, err)
		return report
	}, func(t *testing.T, result witness.Result, err error) {
		require.NoError(t, err)
		require.Empty(t, result.Why)
		require.NoError(t, json.Unmarshal(result.Report, &lines))
		ran = true
	})
	return lines, ran
}

// normal returns events as lines, with the run's folder as ".".
func normal(r run, events []witness.Event) []string {
	lines := []string{}
	for _, e := range events {
		e.Detail, _, _ = strings.Cut(e.Detail, ":")
		if host, _, err := net.SplitHostPort(e.Address); err == nil && e.Network != "unix" {
			e.Address = net.JoinHostPort(host, "PORT")
		}
		if self, err := os.Executable(); err == nil && e.Path == self {
			e.Path = "witness.test"
		}
		e.Address = strings.Replace(e.Address, abstractName(), "@NAME", 1)
		lines = append(lines, strings.ReplaceAll(e.String(), r.dir, "."))
	}
	return lines
}

// abstractName returns a socket name that no other process uses.
func abstractName() string { return "@toolcontract-witness-" + strconv.Itoa(os.Getpid()) }

func TestKernel_Handlers(t *testing.T) {
	needKernel(t)
	tests := []struct {
		name    string
		prepare func(r run) func()
		want    []string
	}{
		{"nothing", func(run) func() { return func() {} }, nil},
		{"reads", func(r run) func() {
			return func() {
				content, err := os.ReadFile(r.path("old"))
				assert.NoError(r, err)
				assert.Equal(r, "content", string(content))
				_, err = os.ReadDir(r.dir)
				assert.NoError(r, err)
				_, err = os.Stat(r.path("missing"))
				assert.ErrorIs(r, err, os.ErrNotExist)
			}
		}, nil},
		{"os.WriteFile", func(r run) func() {
			return func() { assert.NoError(r, os.WriteFile(r.path("new"), []byte("x"), 0o600)) }
		}, []string{"write ./new (openat)"}},
		{"a write whose error is ignored", func(r run) func() {
			return func() { _ = os.WriteFile(r.path("missing/new"), nil, 0o600) }
		}, []string{"write ./missing/new (openat)"}},
		{"an append", func(r run) func() {
			return func() {
				f, err := os.OpenFile(r.path("old"), os.O_APPEND|os.O_WRONLY, 0)
				assert.NoError(r, err)
				assert.NoError(r, f.Close())
			}
		}, []string{"write ./old (openat)"}},
		{"opened to read and write, and read", func(r run) func() {
			return func() {
				f, err := os.OpenFile(r.path("old"), os.O_RDWR|os.O_CREATE, 0o600)
				assert.NoError(r, err)
				_, err = io.ReadAll(f)
				assert.NoError(r, err)
				assert.NoError(r, f.Close())
			}
		}, nil},
		{"a file that was already open", func(r run) func() {
			f, err := os.OpenFile(r.path("old"), os.O_RDWR, 0)
			require.NoError(r, err)
			r.Cleanup(func() { assert.NoError(r, f.Close()) })
			return func() {
				_, err := f.WriteAt([]byte("C"), 0)
				assert.NoError(r, err)
			}
		}, []string{"write ./old (pwrite64)"}},
		{"a file that was already removed", func(r run) func() {
			f, err := os.OpenFile(r.path("old"), os.O_RDWR, 0)
			require.NoError(r, err)
			require.NoError(r, os.Remove(f.Name()))
			r.Cleanup(func() { assert.NoError(r, f.Close()) })
			return func() {
				_, err := f.WriteString("C")
				assert.NoError(r, err)
			}
		}, nil},
		{"a truncated file", func(r run) func() {
			return func() { assert.NoError(r, os.Truncate(r.path("old"), 0)) }
		}, []string{"write ./old (truncate)"}},
		{"os.Root", func(r run) func() {
			root, err := os.OpenRoot(r.dir)
			require.NoError(r, err)
			r.Cleanup(func() { assert.NoError(r, root.Close()) })
			return func() {
				assert.NoError(r, root.WriteFile("sub/new", nil, 0o600))
				assert.NoError(r, root.Rename("sub/new", "moved"))
				assert.NoError(r, root.Remove("moved"))
			}
		}, []string{"write ./sub/new (openat)", "rename ./sub/new → ./moved (renameat)", "remove ./moved (unlinkat)"}},
		{"a relative path", func(r run) func() {
			r.Chdir(r.path("sub"))
			return func() { assert.NoError(r, os.WriteFile("../new", nil, 0o600)) }
		}, []string{"write ./new (openat)"}},
		{"through a symbolic link to its folder", func(r run) func() {
			require.NoError(r, os.Symlink("sub", r.path("link")))
			return func() { assert.NoError(r, os.WriteFile(r.path("link/new"), nil, 0o600)) }
		}, []string{"write ./sub/new (openat)"}},
		{"os.CreateTemp", func(r run) func() {
			r.Setenv("TMPDIR", r.path("sub"))
			return func() {
				f, err := os.CreateTemp("", "*-x") //nolint:usetesting // the folder is the tested one
				assert.NoError(r, err)
				assert.NoError(r, os.Rename(f.Name(), r.path("old")))
				assert.NoError(r, f.Close())
			}
		}, nil /* checked below */},
		{"folders and links", func(r run) func() {
			return func() {
				assert.NoError(r, os.Mkdir(r.path("new"), 0o700))
				assert.NoError(r, os.Symlink("old", r.path("soft")))
				assert.NoError(r, os.Link(r.path("old"), r.path("hard")))
				assert.NoError(r, os.Chmod(r.path("old"), 0o640))
				assert.NoError(r, os.Chtimes(r.path("old"), time.Time{}, time.Now()))
				assert.NoError(r, os.Chown(r.path("old"), -1, -1))
				assert.NoError(r, os.RemoveAll(r.path("sub")))
			}
		}, []string{
			"write ./new (mkdirat)", "write ./soft (symlinkat)", "write ./hard (linkat)",
			"mode ./old (fchmodat)", "remove ./sub (unlinkat)",
		}},
		{"a program", func(r run) func() {
			return func() {
				cmd := exec.CommandContext(r.Context(), "/proc/self/exe", "-test.run=^TestHelper_Writes$")
				cmd.Env = append(os.Environ(), "TOOLCONTRACT_WITNESS_WRITE="+r.path("new"))
				assert.NoError(r, cmd.Run())
			}
		}, []string{"exec witness.test (execve)", "write ./new (openat)"}},
		{"memory", func(r run) func() {
			return func() {
				fd, err := unix.MemfdCreate("x", 0)
				assert.NoError(r, err)
				f := os.NewFile(uintptr(fd), "x")
				_, err = f.WriteString("x")
				assert.NoError(r, err)
				assert.NoError(r, f.Close())
				read, write, err := os.Pipe()
				assert.NoError(r, err)
				_, err = write.WriteString("x")
				assert.NoError(r, err)
				assert.NoError(r, write.Close())
				assert.NoError(r, read.Close())
				null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
				assert.NoError(r, err)
				_, err = null.WriteString("x")
				assert.NoError(r, err)
				assert.NoError(r, null.Close())
			}
		}, nil},
		{"a pair of sockets", func(r run) func() {
			return func() {
				pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
				assert.NoError(r, err)
				_, err = unix.Write(pair[0], []byte("x"))
				assert.NoError(r, err)
				assert.NoError(r, unix.Close(pair[0]))
				assert.NoError(r, unix.Close(pair[1]))
			}
		}, nil},
		{"the interfaces of the machine", func(r run) func() {
			return func() {
				_, err := net.Interfaces()
				assert.NoError(r, err)
			}
		}, nil},
		{"HTTP", func(r run) func() {
			server := httptest.NewServer(http.NotFoundHandler())
			r.Cleanup(server.Close)
			return func() {
				response, err := server.Client().Get(server.URL)
				assert.NoError(r, err)
				assert.NoError(r, response.Body.Close())
			}
		}, []string{"connect tcp 127.0.0.1:PORT (connect)"}},
		{"HTTP over a connection that was open", func(r run) func() {
			server := httptest.NewServer(http.NotFoundHandler())
			r.Cleanup(server.Close)
			get := func() {
				response, err := server.Client().Get(server.URL)
				assert.NoError(r, err)
				_, err = io.Copy(io.Discard, response.Body)
				assert.NoError(r, err)
				assert.NoError(r, response.Body.Close())
			}
			get()
			return get
		}, []string{"send tcp 127.0.0.1:PORT (write)"}},
		{"UDP", func(r run) func() {
			return func() {
				conn, err := net.Dial("udp", "127.0.0.1:9")
				assert.NoError(r, err)
				_, err = conn.Write([]byte("x"))
				assert.NoError(r, err)
				assert.NoError(r, conn.Close())
			}
		}, []string{"send udp 127.0.0.1:PORT (write)"}},
		{"UDP without a connection", func(r run) func() {
			return func() {
				conn, err := net.ListenPacket("udp", "127.0.0.1:0")
				assert.NoError(r, err)
				_, err = conn.WriteTo([]byte("x"), &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9})
				assert.NoError(r, err)
				assert.NoError(r, conn.Close())
			}
		}, []string{"listen udp 127.0.0.1:PORT (bind)", "send udp 127.0.0.1:PORT (sendto)"}},
		{"an address of another machine", func(r run) func() {
			return func() {
				fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
				assert.NoError(r, err)
				assert.Error(r, unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{192, 0, 2, 1}, Port: 443}))
				assert.NoError(r, unix.Close(fd))
			}
		}, []string{"connect tcp 192.0.2.1:PORT (connect)"}},
		{"opened to read and write, and emptied", func(r run) func() {
			return func() {
				f, err := os.OpenFile(r.path("old"), os.O_RDWR|os.O_TRUNC, 0)
				assert.NoError(r, err)
				assert.NoError(r, f.Close())
			}
		}, []string{"write ./old (openat)"}},
		{"a unix socket", func(r run) func() {
			listener, err := net.Listen("unix", r.path("socket"))
			require.NoError(r, err)
			r.Cleanup(func() { assert.NoError(r, listener.Close()) })
			return func() {
				conn, err := net.Dial("unix", r.path("socket"))
				assert.NoError(r, err)
				_, err = conn.Write([]byte("x"))
				assert.NoError(r, err)
				assert.NoError(r, conn.Close())
			}
		}, []string{"connect unix unix:./socket (connect)"}},
		{"a unix socket that was open", func(r run) func() {
			listener, err := net.Listen("unix", r.path("socket"))
			require.NoError(r, err)
			r.Cleanup(func() { assert.NoError(r, listener.Close()) })
			conn, err := net.Dial("unix", r.path("socket"))
			require.NoError(r, err)
			r.Cleanup(func() { assert.NoError(r, conn.Close()) })
			return func() {
				_, err = conn.Write([]byte("x"))
				assert.NoError(r, err)
			}
		}, []string{"send unix unix:./socket (write)"}},
		{"an abstract unix socket", func(r run) func() {
			name := abstractName()
			listener, err := net.Listen("unix", name)
			require.NoError(r, err)
			r.Cleanup(func() { assert.NoError(r, listener.Close()) })
			return func() {
				conn, err := net.Dial("unix", name)
				assert.NoError(r, err)
				assert.NoError(r, conn.Close())
			}
		}, []string{"connect unix unix:@NAME (connect)"}},
		{"a listener", func(r run) func() {
			return func() {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				assert.NoError(r, err)
				assert.NoError(r, listener.Close())
			}
		}, []string{"listen tcp 127.0.0.1:PORT (bind)"}},
		{"a shared mapping", func(r run) func() {
			return func() {
				f, err := os.OpenFile(r.path("old"), os.O_RDWR, 0)
				assert.NoError(r, err)
				memory, err := unix.Mmap(int(f.Fd()), 0, 4, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
				assert.NoError(r, err)
				assert.NoError(r, unix.Munmap(memory))
				assert.NoError(r, f.Close())
			}
		}, []string{"unknown ./old (mmap)"}},
		{"a query of a database that is open", func(r run) func() {
			db := newDatabase(r, "journal_mode(delete)")
			return func() {
				var n int
				assert.NoError(r, db.QueryRowContext(r.Context(), "SELECT count(*) FROM things").Scan(&n))
				assert.Equal(r, 1, n)
			}
		}, nil},
		{"a query that opens a connection", func(r run) func() {
			db := newDatabase(r, "journal_mode(delete)")
			db.SetMaxIdleConns(0) // closes all
			return func() {
				var n int
				assert.NoError(r, db.QueryRowContext(r.Context(), "SELECT count(*) FROM things").Scan(&n))
				assert.Equal(r, 1, n)
			}
		}, nil},
		{"a statement over an open connection", func(r run) func() {
			db := newDatabase(r, "journal_mode(memory)")
			return func() {
				_, err := db.ExecContext(r.Context(), "INSERT INTO things VALUES ('b')")
				assert.NoError(r, err)
			}
		}, []string{"write ./things.db (pwrite64)"}},
		{"a statement over an open connection with a write-ahead log", func(r run) func() {
			db := newDatabase(r, "journal_mode(wal)")
			return func() {
				_, err := db.ExecContext(r.Context(), "INSERT INTO things VALUES ('b')")
				assert.NoError(r, err)
			}
		}, []string{"write ./things.db-wal (pwrite64)"}},
		{"a goroutine that outlives the call", func(r run) func() {
			return func() {
				go func() {
					time.Sleep(10 * time.Millisecond)
					_ = os.WriteFile(r.path("new"), nil, 0o600)
				}()
			}
		}, []string{"write ./new (openat)"}},
		{"a goroutine with its own thread", func(r run) func() {
			return func() {
				done := make(chan struct{})
				go func() {
					defer close(done)
					runtime.LockOSThread() // the thread ends with the goroutine
					_ = os.WriteFile(r.path("new"), nil, 0o600)
				}()
				<-done
			}
		}, []string{"write ./new (openat)"}},
		{"a goroutine of the set-up", func(r run) func() {
			stop := make(chan struct{})
			done := make(chan struct{})
			go func() {
				defer close(done)
				<-stop
				_ = os.WriteFile(r.path("new"), nil, 0o600)
			}()
			r.Cleanup(func() { close(stop); <-done })
			return func() {}
		}, nil},
	}
	for _, tt := range tests {
		lines, ran := observe(t, tt.name, witness.Options{}, tt.prepare)
		if !ran {
			continue
		}
		switch tt.name {
		case "os.CreateTemp":
			require.Len(t, lines, 2, "%q", lines)
			assert.Regexp(t, `^write \./sub/\d+-x \(openat\)$`, lines[0])
			assert.Regexp(t, `^rename \./sub/\d+-x → \./old \(renameat\)$`, lines[1])
		default:
			assert.Equal(t, tt.want, nilIfEmpty(lines), tt.name)
		}
	}
}

// TestHelper_Writes is a program that a handler starts.
func TestHelper_Writes(t *testing.T) {
	file := os.Getenv("TOOLCONTRACT_WITNESS_WRITE")
	if file == "" {
		t.Skip("a helper of other tests")
	}
	require.NoError(t, os.WriteFile(file, nil, 0o600))
}

// newDatabase returns an open SQLite database with one row.
func newDatabase(r run, pragma string) *sql.DB {
	r.Helper()
	db, err := sql.Open("sqlite", "file:"+r.path("things.db")+"?_pragma="+pragma)
	require.NoError(r, err)
	r.Cleanup(func() { assert.NoError(r, db.Close()) })
	_, err = db.ExecContext(r.Context(), "CREATE TABLE things (name TEXT); INSERT INTO things VALUES ('a')")
	require.NoError(r, err)
	return db
}

func nilIfEmpty(lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	return lines
}

// The kernel does not notify of connections made during setup, so its tables
// must name the peers.
func TestKernel_ConnectionsOfTheSetUp(t *testing.T) {
	needKernel(t)
	r := newRun(t)
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	named, err := net.Listen("unix", r.path("socket"))
	require.NoError(t, err)
	dial := func(network, address string) net.Conn {
		conn, err := net.Dial(network, address)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, conn.Close()) })
		return conn
	}
	conns := []net.Conn{
		dial("tcp", server.Addr().String()), dial("unix", r.path("socket")), dial("udp", "127.0.0.1:9"),
	}
	accepted, err := named.Accept() // the kernel does not name a socket that waits for it
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, accepted.Close()) })
	conns = append(conns, dial("unix", r.path("socket")))
	t.Cleanup(func() { assert.NoError(t, errors.Join(server.Close(), named.Close())) })
	witness.Run(t, "send", witness.Options{}, func(t *testing.T, rec *witness.Recorder) []byte {
		seen := rec.Window(func() {
			for _, conn := range conns {
				_, err := conn.Write([]byte("x"))
				assert.NoError(t, err)
			}
		})
		assert.Equal(t, []string{
			"send tcp 127.0.0.1:PORT (write)", "send unix unix:./socket (write)", "send udp 127.0.0.1:PORT (write)",
			"send unix unix: (write)",
		}, normal(r, seen.Events))
		assert.Equal(t, server.Addr().String(), seen.Events[0].Address)
		return nil
	}, noError)
}

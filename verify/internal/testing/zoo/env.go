package zoo

import (
	"database/sql"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Parts are the parts of an [Env] that a test supplies. Zero fields have
// defaults.
type Parts struct {
	// DB is the database, with package zoodb's table. Nil: entries that need it
	// cannot be used.
	DB *sql.DB
	// Transport records or refuses requests. Nil: a transport of its own.
	Transport http.RoundTripper
	// Log is the handlers' log. Nil discards it.
	Log *slog.Logger
}

// An Env is the environment of the tools. Make one with [NewEnv] for each
// subject.
type Env struct {
	// Root is the folder that the tools work in. It has one file, and one
	// folder that no file can be written to, because it is really a file.
	Root string
	// Temp is the folder for temporary files. It is outside Root.
	Temp string
	// HTTP sends the tools' requests.
	HTTP *http.Client
	// Service is the URL of a service on the loopback interface.
	Service string
	// Metrics is the address of a UDP listener on the loopback interface.
	Metrics string
	// Outside is a host and port beyond the machine. It never answers.
	Outside string
	// Program is a program that does nothing and exits.
	Program []string
	// DB is the DB of [Parts].
	DB *sql.DB
	// Log is the tools' log.
	Log *slog.Logger

	traces *traces
}

// outside is a multicast address. TCP has no multicast, so systems refuse the
// connection before they send a packet.
const outside = "224.0.0.1:9"

// NewEnv starts an Env's services. They end with the test.
func NewEnv(t testing.TB, p Parts) Env {
	t.Helper()
	dir := t.TempDir()
	e := Env{
		Root: filepath.Join(dir, "root"), Temp: filepath.Join(dir, "temp"),
		Outside: outside, Program: program(t), DB: p.DB, Log: p.Log, traces: &traces{},
	}
	must(t, makeFolders(e))
	if e.Log == nil {
		e.Log = slog.New(slog.DiscardHandler)
	}
	service := httptest.NewServer(e.traces)
	t.Cleanup(service.Close)
	e.Service = service.URL
	transport := p.Transport
	if transport == nil {
		own := &http.Transport{DisableKeepAlives: true}
		t.Cleanup(own.CloseIdleConnections)
		transport = own
	}
	e.HTTP = &http.Client{Transport: transport, Timeout: 5 * time.Second}
	metrics, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp4", "127.0.0.1:0")
	must(t, err)
	e.Metrics = metrics.LocalAddr().String()
	var done sync.WaitGroup
	done.Go(func() { e.traces.listen(metrics) })
	t.Cleanup(func() {
		_ = metrics.Close()
		done.Wait()
	})
	return e
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("zoo: %v", err)
	}
}

// program finds a program without effects. If there is none, it is the test's
// own, with no test to run.
func program(t testing.TB) []string {
	t.Helper()
	if path, err := exec.LookPath("true"); err == nil {
		return []string{path}
	}
	return []string{testBinary(), "-test.run=^$"}
}

// Requests returns the method and path of every request that the service of e
// received.
func (e Env) Requests() []string { return e.traces.seen() }

// Datagrams returns how many datagrams the listener of e received.
func (e Env) Datagrams() int { return int(e.traces.datagrams.Load()) }

// traces records what reached an Env's services.
type traces struct {
	mu        sync.Mutex
	requests  []string
	datagrams atomic.Int64
}

// ServeHTTP answers every request with 204.
func (t *traces) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	t.requests = append(t.requests, r.Method+" "+r.URL.Path)
	t.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

func (t *traces) seen() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.requests)
}

func (t *traces) listen(c net.PacketConn) {
	buffer := make([]byte, 1500)
	for {
		if _, _, err := c.ReadFrom(buffer); err != nil {
			return
		}
		t.datagrams.Add(1)
	}
}

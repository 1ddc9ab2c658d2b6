package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway"
	"github.com/toolcontract/toolcontract/guard"
)

// The environment of a test binary that is an upstream server: "stdio" or an
// address to listen on, and the file with its tools.
const (
	envServe = "GATEWAY_TEST_SERVE"
	envTools = "GATEWAY_TEST_TOOLS"
)

func TestMain(m *testing.M) {
	switch serve := os.Getenv(envServe); serve {
	case "":
		os.Exit(m.Run())
	case "asker":
		newAsker(false).serveStdio()
	case "stdio":
		_, _ = io.Copy(newStub(os.Stdout), os.Stdin)
	default:
		l, err := net.Listen("tcp", serve)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintln(os.Stderr, "listening", l.Addr())
		_ = http.Serve(l, http.HandlerFunc(serveHTTP)) //nolint:gosec // the process ends with its test
	}
}

// A stub is an MCP server without an SDK. Whatever it lists, it has these
// tools: pid; hold and look, which report on stderr that they have begun and
// never answer; and change, which reports that the list has changed.
type stub struct {
	out  io.Writer
	mu   sync.Mutex
	rest []byte
}

func newStub(out io.Writer) *stub { return &stub{out: out} }

// Write takes lines of requests.
func (s *stub) Write(p []byte) (int, error) {
	s.rest = append(s.rest, p...)
	for {
		line, rest, found := strings.Cut(string(s.rest), "\n")
		if !found {
			return len(p), nil
		}
		s.rest = []byte(rest)
		go s.answer([]byte(line))
	}
}

func (s *stub) write(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.out, message+"\n")
}

func (s *stub) answer(line []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name string }
	}
	if json.Unmarshal(line, &m) != nil || m.ID == nil {
		return
	}
	text := func(s string) string { return `"result":{"content":[{"type":"text","text":"` + s + `"}]}` }
	result := `"error":{"code":-32601,"message":"unknown"}`
	switch m.Method + " " + m.Params.Name {
	case "initialize ":
		result = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"stub",` +
			`"version":"1"}}`
	case "tools/list ":
		tools, err := os.ReadFile(os.Getenv(envTools))
		if err == nil {
			result = `"result":{"tools":` + string(tools) + `}`
		}
	case "tools/call pid", "tools/call alive":
		result = text(strconv.Itoa(os.Getpid()))
	case "tools/call hold", "tools/call look":
		fmt.Fprintln(os.Stderr, "holding", os.Getpid())
		select {}
	case "tools/call change":
		result = text("changed")
		s.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	}
	s.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + result + `}`)
}

// serveHTTP answers one request at a time.
func serveHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	newStub(w).answer(body)
}

// The tools of a stub, as it lists them.
const (
	toolPid = `{"name":"pid","description":"Returns the process.","inputSchema":{"type":"object"},` +
		`"annotations":{"risk_level":"read-only","content_trust_risk":"trusted","version":"1.0.0"}}`
	toolLook = `{"name":"look","description":"Never ends.","inputSchema":{"type":"object"},` +
		`"annotations":{"risk_level":"read-only",` +
		`"content_trust_risk":"trusted","version":"1.0.0"}}`
	toolHold = `{"name":"hold","description":"Never ends.","inputSchema":{"type":"object"},` +
		`"annotations":{"risk_level":"low-risk-write","content_trust_risk":"trusted","version":"1.0.0"}}`
	toolChange = `{"name":"change","description":"Changes the list.","inputSchema":{"type":"object"},` +
		`"annotations":{"risk_level":"low-risk-write","content_trust_risk":"trusted","version":"1.0.0"}}`
	toolWeak = `{"name":"hold","description":"Never ends.","inputSchema":{"type":"object"},` +
		`"annotations":{"risk_level":"read-only",` +
		`"content_trust_risk":"trusted","version":"1.0.0"}}`
)

// A server is an upstream server that tests start as a process.
type server struct {
	tools  string // the path of the file
	client *client.Client
	holds  chan int // the process IDs of calls that have begun
	path   string
}

// lists sets the tools of the server.
func (s *server) lists(t *testing.T, tools ...string) {
	t.Helper()
	require.NoError(t, os.WriteFile(s.tools, []byte("["+strings.Join(tools, ",")+"]"), 0o600))
}

func newServer(t *testing.T, tools ...string) *server {
	t.Helper()
	s := &server{tools: filepath.Join(t.TempDir(), "tools.json"), holds: make(chan int, 16)}
	s.lists(t, tools...)
	return s
}

// overStdio returns a server that its client starts.
func overStdio(t *testing.T, tools ...string) *server {
	t.Helper()
	s := newServer(t, tools...)
	s.client = client.New(client.Command{Path: os.Args[0], Env: append(os.Environ(), envServe+"=stdio", envTools+"="+s.tools),
		Stderr: s.stderr()})
	return s
}

// overHTTP returns a running server. Its port is not one that the system hands
// out, so that it is still free when the server is restarted.
func overHTTP(t *testing.T, tools ...string) *server {
	t.Helper()
	s := newServer(t, tools...)
	for s.path == "" {
		address := fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(10000))
		if s.start(t, address) {
			s.path = address
		}
	}
	s.client = client.New(client.HTTP{URL: "http://" + s.path + "/mcp"})
	return s
}

// start starts a process over HTTP and reports whether it listens.
func (s *server) start(t *testing.T, address string) bool {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0])
	cmd.Env = append(os.Environ(), envServe+"="+address, envTools+"="+s.tools)
	first, once := make(chan string, 1), sync.Once{}
	out := s.stderr()
	cmd.Stderr = lineFunc(func(line string) {
		once.Do(func() { first <- line })
		_, _ = io.WriteString(out, line+"\n")
	}).writer()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return strings.HasPrefix(<-first, "listening ")
}

func (s *server) stderr() io.Writer {
	return lineFunc(func(line string) {
		if text, ok := strings.CutPrefix(line, "holding "); ok {
			if pid, err := strconv.Atoi(text); err == nil {
				s.holds <- pid
			}
		}
	}).writer()
}

// A lineFunc is called with each line.
type lineFunc func(line string)

func (f lineFunc) writer() io.Writer {
	r, w := io.Pipe()
	go func() {
		for lines := bufio.NewScanner(r); lines.Scan(); {
			f(lines.Text())
		}
	}()
	return w
}

// A kit is a gateway, with a table as its endpoint.
type kit struct {
	t     *testing.T
	guard *guard.Guard
	log   *audit.Recorder
	table atomic.Pointer[adapter.Table]
	gw    *gateway.Gateway
	times chan struct{} // receives a value each time that tools are published
}

// newKit returns a gateway for servers. The named ones are the operator's own.
func newKit(t *testing.T, servers map[string]*server, opts gateway.Options, own ...string) *kit {
	t.Helper()
	k := &kit{t: t, log: &audit.Recorder{}, times: make(chan struct{}, 100)}
	var err error
	k.guard, err = guard.New(guard.WithAudit(k.log), guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal,
		error) {
		return guard.Principal{Issuer: "test", Subject: "alice"}, nil
	})))
	require.NoError(t, err)
	t.Cleanup(func() { _ = k.guard.Close(context.WithoutCancel(t.Context())) })
	var upstreams []gateway.Upstream
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		upstreams = append(upstreams, gateway.Upstream{Name: name, Client: servers[name].client, Own: slices.Contains(own, name)})
	}
	opts.Base = contract.Base{NoPermissions: "It is a test."}
	k.gw, err = gateway.New(upstreams, k.publish, opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, k.gw.Close()) })
	return k
}

func (k *kit) publish(tools []*contract.Tool) error {
	table, err := adapter.NewTable(k.guard, adapter.Config{Tools: tools, Server: "gateway"})
	if err == nil {
		k.table.Store(table)
		k.times <- struct{}{}
	}
	return err
}

// names returns the names that the endpoint lists.
func (k *kit) names() []string {
	all := []string{}
	for _, e := range k.table.Load().Entries() {
		all = append(all, e.Name())
	}
	return all
}

func (k *kit) call(name string) *adapter.CallResult {
	table := k.table.Load()
	require.NotNil(k.t, table.Entry(name), name)
	answer, err := table.Call(context.WithoutCancel(k.t.Context()), table.Entry(name),
		adapter.Request{Arguments: json.RawMessage(`{}`)})
	require.NoError(k.t, err)
	return answer
}

// pid returns the ID of the process that answers a call of a tool.
func (k *kit) pid(tool string) int {
	k.t.Helper()
	a := k.call(tool)
	require.Equal(k.t, contract.StatusOK, a.Outcome.Status, "%+v", a.Outcome)
	raw, err := adapter.MarshalContent(a.Content[0])
	require.NoError(k.t, err)
	var block struct{ Text string }
	require.NoError(k.t, json.Unmarshal(raw, &block))
	pid, err := strconv.Atoi(block.Text)
	require.NoError(k.t, err, "%s", raw)
	return pid
}

func (k *kit) refresh() {
	k.t.Helper()
	_, err := k.gw.Refresh(k.t.Context())
	require.NoError(k.t, err)
}

func kill(t *testing.T, pid int) {
	t.Helper()
	process, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, process.Kill())
}

package mcpgo_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/internal/idletest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The environment variables that make this test binary a stdio server.
const (
	envServe = "MCPGO_TEST_SERVE"
	envDrain = "MCPGO_TEST_DRAIN"
)

func TestMain(m *testing.M) {
	if os.Getenv(envServe) != "" {
		os.Exit(stdioServer())
	}
	os.Exit(idletest.Main(m))
}

// numbered makes calls differ, so that none repeats another.
type numbered struct {
	N int `json:"n"`
}

// stdioServer runs in the process that the tests below start. On standard
// error, it reports each note that has begun and the first signal, and writes
// the audit log. Notes wait until file descriptor 3 is at its end.
func stdioServer() int {
	report := func(line string) { fmt.Fprintln(os.Stderr, line) }
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		report("signalled")
	}()
	gate := os.NewFile(3, "gate")
	opened := sync.OnceFunc(func() { _, _ = io.Copy(io.Discard, gate) })
	n := &tools{}
	note := n.note(func(ctx context.Context, _ string) error {
		report("begun")
		opened()
		return ctx.Err()
	}).MustBuild()
	proc := contract.Base().Description("Misbehaves.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
	exit := contract.New("proc.exit", func(context.Context, numbered) (string, error) { runtime.Goexit(); return "", nil }).From(proc).MustBuild()
	stuck := contract.New("proc.stuck", func(context.Context, numbered) (string, error) { report("begun"); select {} }).From(proc).MustBuild()

	drain, err := time.ParseDuration(os.Getenv(envDrain))
	if err != nil {
		report(err.Error())
		return 4
	}
	g, err := guard.New(
		guard.WithPrincipal(mcpgo.LocalUser("notes:write")), guard.WithDrain(drain),
		guard.WithAudit(audit.Slog(slog.New(slog.NewJSONHandler(os.Stderr, nil)))))
	if err == nil && os.Getenv(envServe) == "existing" {
		s := orders()
		s.AddTool(plain("wait"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			report("begun")
			opened()
			return mcp.NewToolResultText("waited"), nil
		})
		_, wrong := mcpgo.WrapAll(s, g, mcpgo.WrapRules{Base: versioned(), Tools: map[string]mcpgo.WrapRule{"wait": {Uncontracted: true}}},
			mcpgo.WithTools(note), mcpgo.WithNames(mcpgo.Dotted))
		err = errors.Join(wrong, mcpgo.ServeStdioServer(s))
	} else if err == nil {
		err = mcpgo.ServeStdio("stdio", "1.0.0", g, asWritten(mcpgo.WithTools(n.add().MustBuild(), note, n.send(), exit, stuck))...)
	}
	if err != nil {
		report(err.Error())
		return 3
	}
	return 0
}

// A process is a running stdio server, with the test as its client.
type process struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	lines   *bufio.Scanner
	gate    io.Closer
	reports chan string // standard error, without the audit log
	events  chan audit.Event
	exited  chan error
}

// patience bounds the time that a test waits for a server. A longer wait means
// that the server hangs.
const patience = 5 * time.Minute

// start runs the server, at most for the time of patience.
func start(t *testing.T, drain time.Duration) *process {
	t.Helper()
	return startServing(t, drain, "new")
}

// startServing runs a "new" server, or an "existing" one with contracts.
func startServing(t *testing.T, drain time.Duration, which string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	p := &process{t: t, reports: make(chan string, 1000), events: make(chan audit.Event, 1000), exited: make(chan error, 1)}
	p.cmd = exec.CommandContext(ctx, os.Args[0])
	p.cmd.Env = append(os.Environ(), envServe+"="+which, envDrain+"="+drain.String())
	gate, release, err := os.Pipe()
	require.NoError(t, err)
	p.gate, p.cmd.ExtraFiles = release, []*os.File{gate}
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, stdout, err := os.Pipe()
	require.NoError(t, err)
	p.out, p.cmd.Stdout = out, stdout
	stderr, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	require.NoError(t, gate.Close())
	require.NoError(t, stdout.Close())
	p.lines = bufio.NewScanner(out)
	p.lines.Buffer(nil, 16<<20)
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			var e audit.Event
			if json.Unmarshal(lines.Bytes(), &e) == nil {
				p.events <- e
				continue
			}
			p.reports <- lines.Text()
		}
		close(p.reports)
		close(p.events)
		p.exited <- p.cmd.Wait()
	}()
	t.Cleanup(func() {
		cancel()
		_ = release.Close()
		_ = out.Close()
	})
	return p
}

func (p *process) send(messages ...string) {
	p.t.Helper()
	for _, m := range messages {
		_, err := io.WriteString(p.in, m)
		require.NoError(p.t, err)
	}
}

// answer reads the next line of standard output, which must be a message.
func (p *process) answer() answer {
	p.t.Helper()
	require.True(p.t, p.lines.Scan(), "no further answer")
	return parse(p.t, p.lines.Text())
}

// await waits until the server has written a line n times on standard error.
func (p *process) await(want string, n int) {
	p.t.Helper()
	for seen := 0; seen < n; {
		line, ok := <-p.reports
		require.True(p.t, ok, "the server ended before it wrote %s", want)
		if line == want {
			seen++
		}
	}
}

// ends waits for the server's end and returns its exit code and terminal
// events.
func (p *process) ends() (code int, terminal []audit.Event) {
	p.t.Helper()
	for e := range p.events {
		if e.Kind == audit.Terminal {
			terminal = append(terminal, e)
		}
	}
	<-p.exited
	return p.cmd.ProcessState.ExitCode(), terminal
}

// assertSilent asserts that standard output has nothing more.
func (p *process) assertSilent() {
	p.t.Helper()
	require.False(p.t, p.lines.Scan(), "unexpected output: %s", p.lines.Text())
}

// assertGivesUp asserts that the server ends although its handlers do not. Each
// call is either answered or counted as lost; how many are answered depends on
// the machine.
func (p *process) assertGivesUp(calls int) {
	p.t.Helper()
	answered := map[any]bool{}
	for p.lines.Scan() {
		a := parse(p.t, p.lines.Text())
		require.NotNil(p.t, a.Result)
		var o contract.Outcome
		require.NoError(p.t, json.Unmarshal(a.Result.Meta[contract.MetaKeyOutcome], &o))
		assert.Equal(p.t, contract.CodeUnavailable, o.Code, "a read can be retried, whether it ran or not")
		assert.False(p.t, answered[a.ID], "a call is answered once")
		answered[a.ID] = true
	}
	code, _ := p.ends()
	assert.Equal(p.t, 3, code, "handlers were left behind")
	lost := 0
	for line := range p.reports {
		_, _ = fmt.Sscanf(line, "mcpgo: requests were left unanswered: %d", &lost)
	}
	assert.GreaterOrEqual(p.t, len(answered)+lost, calls)
}

func request(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// The client writes its requests and closes the stream, like printf '…' |
// server. mcp-go alone would drop queued calls, and a last line without an end.
func TestStdio_AnswersEverythingBeforeItEnds(t *testing.T) {
	t.Parallel()
	p := start(t, patience)
	var want []int
	var all strings.Builder
	for id := 1; id <= 12; id++ { // mcp-go has fewer workers
		want = append(want, id)
		tool, arguments := "notes.write", `{"text":"x"}`
		if id > 8 {
			tool, arguments = "calc.add", `{"a":1}`
		}
		all.WriteString("\n" + request(id, tool, arguments))
	}
	p.send(all.String()[1:]) // no line end after the last
	require.NoError(t, p.in.Close())
	p.await("begun", 5)
	require.NoError(t, p.gate.Close())
	var got []int
	for range want {
		a := p.answer()
		require.NotNil(t, a.Result)
		assert.False(t, a.Result.IsError)
		id, _ := a.ID.(float64)
		got = append(got, int(id))
	}
	p.assertSilent()
	slices.Sort(got)
	assert.Equal(t, want, got)
	code, terminal := p.ends()
	assert.Zero(t, code)
	assert.Len(t, terminal, 12)
}

// An existing server gets the drain too, also for its tools without a contract.
func TestStdio_AnExistingServerAnswersEverythingBeforeItEnds(t *testing.T) {
	t.Parallel()
	p := startServing(t, patience, "existing")
	p.send(request(1, "wait", `{}`)+"\n", request(2, "notes.write", `{"text":"x"}`)+"\n", request(3, "find_order", `{"id":"1"}`))
	require.NoError(t, p.in.Close())
	p.await("begun", 2)
	require.NoError(t, p.gate.Close())
	got := map[any]bool{}
	for range 3 {
		a := p.answer()
		require.NotNil(t, a.Result)
		assert.False(t, a.Result.IsError)
		got[a.ID] = true
	}
	p.assertSilent()
	assert.Equal(t, map[any]bool{1.0: true, 2.0: true, 3.0: true}, got)
	code, terminal := p.ends()
	assert.Zero(t, code)
	assert.Len(t, terminal, 2)
}

func TestServeStdioServer_RefusesWhatItCannotServe(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"serve.server"}, rules(mcpgo.ServeStdioServer(nil)))
	assert.Equal(t, []string{"serve.server"}, rules(mcpgo.ServeStdioServer(orders())))
	assert.Equal(t, []string{"serve.option"}, rules(mcpgo.ServeStdioServer(later(t, readable()), nil)))
}

func TestStdio_EndsCleanly(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*process) error{
		"at the end of input": func(p *process) error { return p.in.Close() },
		"at SIGTERM":          func(p *process) error { return p.cmd.Process.Signal(syscall.SIGTERM) },
		"at SIGINT":           func(p *process) error { return p.cmd.Process.Signal(syscall.SIGINT) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, patience)
			p.send(request(1, "calc.add", `{"a":9007199254740993}`) + "\n")
			assert.Equal(t, `{"sum":9007199254740993}`, string(p.answer().Result.StructuredContent))
			require.NoError(t, end(p))
			p.assertSilent()
			code, _ := p.ends()
			assert.Zero(t, code)
		})
	}
}

func TestStdio_FinishesRunningCallsAfterASignal(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := start(t, patience)
		p.send(request(1, "notes.write", `{"text":"four"}`) + "\n")
		p.await("begun", 1)
		require.NoError(t, p.cmd.Process.Signal(sig))
		p.await("signalled", 1)
		require.NoError(t, p.gate.Close())
		assert.JSONEq(t, `{"sum":4}`, string(p.answer().Result.StructuredContent))
		p.assertSilent()
		code, terminal := p.ends()
		assert.Zero(t, code)
		require.Len(t, terminal, 1)
		assert.Equal(t, "ok", terminal[0].Status)
	}
}

// When a client is killed, both of its pipes close.
func TestStdio_FinishesRunningCallsIfTheClientIsKilled(t *testing.T) {
	t.Parallel()
	p := start(t, patience)
	p.send(request(1, "notes.write", `{"text":"x"}`)+"\n", request(2, "notes.write", `{"text":"x"}`)+"\n")
	p.await("begun", 2)
	require.NoError(t, p.in.Close())
	require.NoError(t, p.out.Close())
	require.NoError(t, p.gate.Close())
	code, terminal := p.ends()
	assert.Zero(t, code, "a broken pipe does not kill the server")
	require.Len(t, terminal, 2)
	for _, e := range terminal {
		assert.Equal(t, "ok", e.Status)
	}
}

// mcp-go alone would lose one of its five workers to each of these handlers.
func TestStdio_SurvivesHandlersThatEndTheirGoroutine(t *testing.T) {
	t.Parallel()
	p := start(t, patience)
	for id := range 6 {
		p.send(request(id, "proc.exit", fmt.Sprintf(`{"n":%d}`, id)) + "\n")
		a := p.answer()
		require.NotNil(t, a.Result)
		assert.True(t, a.Result.IsError)
	}
	p.send(request(7, "calc.add", `{"a":1}`) + "\n")
	assert.JSONEq(t, `{"sum":1}`, string(p.answer().Result.StructuredContent))
	require.NoError(t, p.in.Close())
	code, terminal := p.ends()
	assert.Zero(t, code)
	require.Len(t, terminal, 7)
	for _, e := range terminal[:6] {
		assert.Equal(t, contract.CodeInternalError, e.Code)
	}
}

func TestStdio_RefusesALineThatIsTooLong(t *testing.T) {
	t.Parallel()
	const limit = contract.DefaultMaxArgumentBytes + 64<<10
	p := start(t, patience)
	envelope := len(request(1, "notes.write", `{"text":""}`)) + len("\n")
	text := func(n int) string { return `{"text":"` + strings.Repeat("x", n) + `"}` }

	p.send(request(1, "notes.write", text(limit-envelope+1)) + "\n")
	a := p.answer()
	require.NotNil(t, a.Error)
	assert.Equal(t, mcp.PARSE_ERROR, a.Error.Code)
	assert.Nil(t, a.ID)

	p.send(request(2, "notes.write", text(limit-envelope)) + "\n")
	a = p.answer()
	require.NotNil(t, a.Result)
	assert.True(t, a.Result.IsError, "the arguments alone are too large")

	p.send(strings.Repeat("y", 2*limit) + "\n" + request(3, "calc.add", `{"a":1}`) + "\n" + strings.Repeat("z", 2*limit))
	assert.Equal(t, mcp.PARSE_ERROR, p.answer().Error.Code)
	require.NoError(t, p.in.Close())
	var rest []answer
	for p.lines.Scan() {
		rest = append(rest, parse(t, p.lines.Text()))
	}
	require.Len(t, rest, 2, "a sum and a parse error, in any order")
	code, _ := p.ends()
	assert.Zero(t, code)
}

// A handler that does not end is given up after the drain time. Its caller gets
// an answer, and ServeStdio returns an error.
func TestStdio_GivesUpHandlersThatDoNotEnd(t *testing.T) {
	t.Parallel()
	p := start(t, 50*time.Millisecond)
	for id := range 9 {
		p.send(request(id, "proc.stuck", fmt.Sprintf(`{"n":%d}`, id)) + "\n")
	}
	p.await("begun", 5)
	require.NoError(t, p.in.Close())
	p.assertGivesUp(9)
}

// mcp-go has five workers and a queue of a hundred calls. It runs further calls
// on the goroutine that reads, which then no longer notices the end of the
// input.
func TestStdio_EndsWhenMCPGoAcceptsNoFurtherCall(t *testing.T) {
	t.Parallel()
	const calls = 250
	p := start(t, 50*time.Millisecond)
	for id := range calls {
		p.send(request(id, "proc.stuck", fmt.Sprintf(`{"n":%d}`, id)) + "\n")
	}
	p.await("begun", 6)
	require.NoError(t, p.in.Close())
	p.assertGivesUp(calls)
}

func TestStdio_AnswersAnIDOfAnyType(t *testing.T) {
	t.Parallel()
	p := start(t, patience)
	for _, id := range []string{`[1]`, `{}`, `true`} {
		p.send(strings.Replace(request(7, "notes.write", `{"text":"x"}`), `"id":7`, `"id":`+id, 1) + "\n")
	}
	p.await("begun", 3)
	require.NoError(t, p.in.Close())
	require.NoError(t, p.gate.Close())
	var ids []any
	for range 3 {
		ids = append(ids, p.answer().ID)
	}
	assert.ElementsMatch(t, []any{[]any{1.0}, map[string]any{}, true}, ids)
	p.assertSilent()
	code, _ := p.ends()
	assert.Zero(t, code)
}

// A subscription lasts as long as the session, so the server does not wait for
// it at its end.
func TestStdio_DoesNotWaitForSubscriptions(t *testing.T) {
	t.Parallel()
	p := start(t, 10*time.Minute)
	p.send(string(message(t, modern, 1, "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`))+"\n", request(2, "calc.add", `{"a":1}`)+"\n")
	require.NoError(t, p.in.Close())
	code, terminal := p.ends()
	assert.Zero(t, code)
	assert.Len(t, terminal, 1)
}

func TestStdio_ServesMCPGosClient(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, e era) {
		over := transport.NewStdio(os.Args[0], append(os.Environ(), envServe+"=1", envDrain+"=1s"))
		c := connect(t, over, e)
		assert.Equal(t, []string{"calc.add", "notes.send", "notes.write", "proc.exit", "proc.stuck"}, listedNames(t, c))
		result, err := callTool(t.Context(), c, "notes.write", map[string]any{"text": "x"}) // without file descriptor 3, notes do not wait
		require.NoError(t, err)
		assert.False(t, result.IsError)
		_, err = callTool(t.Context(), c, "no.such", nil)
		require.ErrorContains(t, err, "tool 'no.such' not found")
	})
}

func TestStdio_RunsAsTheLocalUser(t *testing.T) {
	t.Parallel()
	p := start(t, patience)
	require.NoError(t, p.gate.Close())
	p.send(request(1, "notes.write", `{"text":"x"}`)+"\n", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"no.such"}}`)
	require.NoError(t, p.in.Close())
	code, terminal := p.ends()
	assert.Zero(t, code)
	require.Len(t, terminal, 2)
	u, err := user.Current()
	require.NoError(t, err)
	for _, e := range terminal {
		assert.Equal(t, mcpgo.LocalIssuer, e.Issuer)
		assert.Equal(t, u.Username, e.Principal)
		assert.True(t, e.Agent)
	}
}

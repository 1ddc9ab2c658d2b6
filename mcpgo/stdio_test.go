package mcpgo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/idletest"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func TestMain(m *testing.M) {
	if sdktest.IsServer() {
		os.Exit(sdktest.Serve(mcpgo.LocalUser("notes:write"), serveStdio))
	}
	os.Exit(idletest.Main(m))
}

// serveStdio runs in the process that the tests below start.
func serveStdio(served sdktest.Served) error {
	if served.Kind == sdktest.KindNew {
		return mcpgo.ServeStdio("stdio", "1.0.0", served.Guard, asWritten(mcpgo.WithTools(served.Tools...))...)
	}
	s := orders()
	s.AddTool(plain("wait"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		served.Wait()
		return mcp.NewToolResultText("waited"), nil
	})
	_, wrong := mcpgo.WrapAll(s, served.Guard, wrap.Rules{Base: versioned(),
		Tools: map[string]wrap.Rule{"wait": {Uncontracted: true}}},
		mcpgo.WithTools(served.Note), mcpgo.WithNames(contract.Dotted))
	return errors.Join(wrong, mcpgo.ServeStdioServer(s))
}

// The client writes its requests and closes the stream, like printf '…' |
// server. mcp-go alone would drop queued calls, and a last line without an end.
func TestStdio_AnswersEverythingBeforeItEnds(t *testing.T) {
	t.Parallel()
	p := sdktest.Start(t, sdktest.Patience, sdktest.KindNew)
	var want []int
	var all strings.Builder
	for id := 1; id <= 12; id++ { // mcp-go has fewer workers
		want = append(want, id)
		tool, arguments := "notes.write", `{"text":"x"}`
		if id > 8 {
			tool, arguments = "calc.add", `{"a":1}`
		}
		all.WriteString("\n" + sdktest.Call(id, tool, arguments))
	}
	p.Send(all.String()[1:]) // no line end after the last
	require.NoError(t, p.In.Close())
	p.Await("begun", 5)
	require.NoError(t, p.Gate.Close())
	var got []int
	for range want {
		a := p.Answer()
		require.NotNil(t, a.Result)
		assert.False(t, a.Result.IsError)
		id, _ := a.ID.(float64)
		got = append(got, int(id))
	}
	p.AssertSilent()
	slices.Sort(got)
	assert.Equal(t, want, got)
	code, terminal := p.Ends()
	assert.Zero(t, code)
	assert.Len(t, terminal, 12)
}

// An existing server gets the drain too, also for its tools without a contract.
func TestStdio_AnExistingServerAnswersEverythingBeforeItEnds(t *testing.T) {
	t.Parallel()
	p := sdktest.Start(t, sdktest.Patience, sdktest.KindExisting)
	p.Send(sdktest.Call(1, "wait", `{}`)+"\n", sdktest.Call(2, "notes.write", `{"text":"x"}`)+"\n", sdktest.Call(3, "find_order",
		`{"id":"1"}`))
	require.NoError(t, p.In.Close())
	p.Await("begun", 2)
	require.NoError(t, p.Gate.Close())
	got := map[any]bool{}
	for range 3 {
		a := p.Answer()
		require.NotNil(t, a.Result)
		assert.False(t, a.Result.IsError)
		got[a.ID] = true
	}
	p.AssertSilent()
	assert.Equal(t, map[any]bool{1.0: true, 2.0: true, 3.0: true}, got)
	code, terminal := p.Ends()
	assert.Zero(t, code)
	assert.Len(t, terminal, 2)
}

func TestServeStdioServer_RefusesWhatItCannotServe(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"serve.server"}, sdktest.Rules(mcpgo.ServeStdioServer(nil)))
	assert.Equal(t, []string{"serve.server"}, sdktest.Rules(mcpgo.ServeStdioServer(orders())))
	assert.Equal(t, []string{"serve.option"}, sdktest.Rules(mcpgo.ServeStdioServer(later(t, readable()), nil)))
}

func TestStdio_EndsCleanly(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*sdktest.Process) error{
		"at the end of input": func(p *sdktest.Process) error { return p.In.Close() },
		"at SIGTERM":          func(p *sdktest.Process) error { return p.Signal(syscall.SIGTERM) },
		"at SIGINT":           func(p *sdktest.Process) error { return p.Signal(syscall.SIGINT) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := sdktest.Start(t, sdktest.Patience, sdktest.KindNew)
			p.Send(sdktest.Call(1, "calc.add", `{"a":9007199254740993}`) + "\n")
			assert.Equal(t, `{"sum":9007199254740993}`, string(p.Answer().Result.StructuredContent))
			require.NoError(t, end(p))
			p.AssertSilent()
			code, _ := p.Ends()
			assert.Zero(t, code)
		})
	}
}

func TestStdio_FinishesRunningCallsAfterASignal(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := sdktest.Start(t, sdktest.Patience, sdktest.KindNew)
		p.Send(sdktest.Call(1, "notes.write", `{"text":"four"}`) + "\n")
		p.Await("begun", 1)
		require.NoError(t, p.Signal(sig))
		p.Await("signalled", 1)
		require.NoError(t, p.Gate.Close())
		assert.JSONEq(t, `{"sum":4}`, string(p.Answer().Result.StructuredContent))
		p.AssertSilent()
		code, terminal := p.Ends()
		assert.Zero(t, code)
		require.Len(t, terminal, 1)
		assert.Equal(t, "ok", terminal[0].Status)
	}
}

// When a client is killed, both of its pipes close.
func TestStdio_FinishesRunningCallsIfTheClientIsKilled(t *testing.T) {
	t.Parallel()
	p := sdktest.Start(t, sdktest.Patience, sdktest.KindNew)
	p.Send(sdktest.Call(1, "notes.write", `{"text":"x"}`)+"\n", sdktest.Call(2, "notes.write", `{"text":"x"}`)+"\n")
	p.Await("begun", 2)
	require.NoError(t, p.In.Close())
	require.NoError(t, p.Out.Close())
	require.NoError(t, p.Gate.Close())
	code, terminal := p.Ends()
	assert.Zero(t, code, "a broken pipe does not kill the server")
	require.Len(t, terminal, 2)
	for _, e := range terminal {
		assert.Equal(t, "ok", e.Status)
	}
}

// mcp-go alone would lose one of its five workers to each of these handlers.
func TestStdio_SurvivesHandlersThatEndTheirGoroutine(t *testing.T) {
	t.Parallel()
	p := sdktest.Start(t, sdktest.Patience, sdktest.KindNew)
	for id := range 6 {
		p.Send(sdktest.Call(id, "proc.exit", fmt.Sprintf(`{"n":%d}`, id)) + "\n")
		a := p.Answer()
		require.NotNil(t, a.Result)
		assert.True(t, a.Result.IsError)
	}
	p.Send(sdktest.Call(7, "calc.add", `{"a":1}`) + "\n")
	assert.JSONEq(t, `{"sum":1}`, string(p.Answer().Result.StructuredContent))
	require.NoError(t, p.In.Close())
	code, terminal := p.Ends()
	assert.Zero(t, code)
	require.Len(t, terminal, 7)
	for _, e := range terminal[:6] {
		assert.Equal(t, contract.CodeInternalError, e.Code)
	}
}

func TestStdio_RefusesALineThatIsTooLong(t *testing.T) {
	t.Parallel()
	const limit = 4<<20 + 64<<10
	p := sdktest.Start(t, sdktest.Patience, sdktest.KindNew)
	envelope := len(sdktest.Call(1, "notes.write", `{"text":""}`)) + len("\n")
	text := func(n int) string { return `{"text":"` + strings.Repeat("x", n) + `"}` }

	p.Send(sdktest.Call(1, "notes.write", text(limit-envelope+1)) + "\n")
	a := p.Answer()
	require.NotNil(t, a.Error)
	assert.Equal(t, mcp.PARSE_ERROR, a.Error.Code)
	assert.Nil(t, a.ID)

	p.Send(sdktest.Call(2, "notes.write", text(limit-envelope)) + "\n")
	a = p.Answer()
	require.NotNil(t, a.Result)
	assert.True(t, a.Result.IsError, "the arguments alone are too large")

	p.Send(strings.Repeat("y", 2*limit) + "\n" + sdktest.Call(3, "calc.add", `{"a":1}`) + "\n" + strings.Repeat("z", 2*limit))
	assert.Equal(t, mcp.PARSE_ERROR, p.Answer().Error.Code)
	require.NoError(t, p.In.Close())
	var rest []sdktest.Response
	for p.Lines.Scan() {
		rest = append(rest, sdktest.Parse(t, p.Lines.Text()))
	}
	require.Len(t, rest, 2, "a sum and a parse error, in any order")
	code, _ := p.Ends()
	assert.Zero(t, code)
}

// A handler that does not end is given up after the drain time. Its caller gets
// an answer, and ServeStdio returns an error.
func TestStdio_GivesUpHandlersThatDoNotEnd(t *testing.T) {
	t.Parallel()
	p := sdktest.Start(t, 50*time.Millisecond, sdktest.KindNew)
	for id := range 9 {
		p.Send(sdktest.Call(id, "proc.stuck", fmt.Sprintf(`{"n":%d}`, id)) + "\n")
	}
	p.Await("begun", 5)
	require.NoError(t, p.In.Close())
	p.AssertGivesUp(9)
}

// mcp-go has five workers and a queue of a hundred calls. It runs further calls
// on the goroutine that reads, which then no longer notices the end of the
// input.
func TestStdio_EndsWhenMCPGoAcceptsNoFurtherCall(t *testing.T) {
	t.Parallel()
	const calls = 250
	p := sdktest.Start(t, 50*time.Millisecond, sdktest.KindNew)
	for id := range calls {
		p.Send(sdktest.Call(id, "proc.stuck", fmt.Sprintf(`{"n":%d}`, id)) + "\n")
	}
	p.Await("begun", 6)
	require.NoError(t, p.In.Close())
	p.AssertGivesUp(calls)
}

func TestStdio_AnswersAnIDOfAnyType(t *testing.T) {
	t.Parallel()
	p := sdktest.Start(t, sdktest.Patience, sdktest.KindNew)
	for _, id := range []string{`[1]`, `{}`, `true`} {
		p.Send(strings.Replace(sdktest.Call(7, "notes.write", `{"text":"x"}`), `"id":7`, `"id":`+id, 1) + "\n")
	}
	p.Await("begun", 3)
	require.NoError(t, p.In.Close())
	require.NoError(t, p.Gate.Close())
	var ids []any
	for range 3 {
		ids = append(ids, p.Answer().ID)
	}
	assert.ElementsMatch(t, []any{[]any{1.0}, map[string]any{}, true}, ids)
	p.AssertSilent()
	code, _ := p.Ends()
	assert.Zero(t, code)
}

// A subscription lasts as long as the session, so the server does not wait for
// it at its end.
func TestStdio_DoesNotWaitForSubscriptions(t *testing.T) {
	t.Parallel()
	p := sdktest.Start(t, 10*time.Minute, sdktest.KindNew)
	p.Send(string(sdktest.Message(t, modern, 1, "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`))+"\n",
		sdktest.Call(2, "calc.add", `{"a":1}`)+"\n")
	require.NoError(t, p.In.Close())
	code, terminal := p.Ends()
	assert.Zero(t, code)
	assert.Len(t, terminal, 1)
}

func TestStdio_ServesMCPGosClient(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		over := transport.NewStdio(os.Args[0], append(os.Environ(), sdktest.Env(sdktest.KindNew, time.Second)...))
		c := connect(t, over, e)
		assert.Equal(t, []string{"calc.add", "notes.send", "notes.write", "proc.exit", "proc.stuck"}, listedNames(t, c))
		// without file descriptor 3, notes do not wait
		result, err := callTool(t.Context(), c, "notes.write", map[string]any{"text": "x"})
		require.NoError(t, err)
		assert.False(t, result.IsError)
		_, err = callTool(t.Context(), c, "no.such", nil)
		require.ErrorContains(t, err, "tool 'no.such' not found")
	})
}

func TestStdio_RunsAsTheLocalUser(t *testing.T) {
	t.Parallel()
	p := sdktest.Start(t, sdktest.Patience, sdktest.KindNew)
	require.NoError(t, p.Gate.Close())
	p.Send(sdktest.Call(1, "notes.write", `{"text":"x"}`)+"\n", `{"jsonrpc":"2.0","id":2,"method":"tools/call",`+
		`"params":{"name":"no.such"}}`)
	require.NoError(t, p.In.Close())
	code, terminal := p.Ends()
	assert.Zero(t, code)
	require.Len(t, terminal, 2)
	u, err := user.Current()
	require.NoError(t, err)
	for _, e := range terminal {
		assert.Equal(t, contract.LocalIssuer, e.Issuer)
		assert.Equal(t, u.Username, e.Principal)
		assert.True(t, e.Agent)
	}
}

package sdks_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	agent "github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// parseError is the code for a message that isn't JSON.
const parseError = -32700

// The client writes its requests and closes the stream, like printf '…' |
// server. The SDKs alone would cancel the calls, or drop queued ones and a last
// line without a line break.
func TestStdio_AnswersEverythingBeforeItEnds(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := start(t, s, patience, kindNew)
		var want []int
		var all strings.Builder
		for id := 1; id <= 12; id++ {
			want = append(want, id)
			tool, arguments := "notes.write", `{"text":"x"}`
			if id > 8 {
				tool, arguments = "calc.add", `{"a":1}`
			}
			all.WriteString("\n" + sdktest.Call(id, tool, arguments))
		}
		p.send(all.String()[1:]) // no line break after the last
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
	})
}

// An existing server gets the drain too, even for its tools without a contract.
func TestStdio_AnExistingServerAnswersEverythingBeforeItEnds(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := start(t, s, patience, kindExisting)
		p.send(sdktest.Call(1, "wait", `{}`)+"\n", sdktest.Call(2, "notes.write", `{"text":"x"}`)+"\n", sdktest.Call(3, "find_order",
			`{"id":"1"}`))
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
	})
}

func TestServeStdioServer_RefusesWhatItCannotServe(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		assert.Equal(t, []string{"serve.server"}, sdktest.Rules(s.Nil().ServeStdioServer()))
		assert.Equal(t, []string{"serve.server"}, sdktest.Rules(orders(s).ServeStdioServer()))
	})
}

func TestStdio_EndsCleanly(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		all := map[string]func(*process) error{"at the end of input": func(p *process) error { return p.in.Close() }}
		maps.Copy(all, ends())
		for name, end := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := start(t, s, patience, kindNew)
				p.send(sdktest.Call(1, "calc.add", `{"a":9007199254740993}`) + "\n")
				assert.Equal(t, `{"sum":9007199254740993}`, string(p.answer().Result.StructuredContent))
				require.NoError(t, end(p))
				p.assertSilent()
				code, _ := p.ends()
				assert.Zero(t, code)
			})
		}
	})
}

func TestStdio_FinishesRunningCallsAfterASignal(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		for _, end := range ends() {
			p := start(t, s, patience, kindNew)
			p.send(sdktest.Call(1, "notes.write", `{"text":"four"}`) + "\n")
			p.await("begun", 1)
			require.NoError(t, end(p))
			p.await("signalled", 1)
			require.NoError(t, p.gate.Close())
			assert.JSONEq(t, `{"sum":4}`, string(p.answer().Result.StructuredContent))
			p.assertSilent()
			code, terminal := p.ends()
			assert.Zero(t, code)
			require.Len(t, terminal, 1)
			assert.Equal(t, "ok", terminal[0].Status)
		}
	})
}

// When a client is killed, both of its pipes close.
func TestStdio_FinishesRunningCallsIfTheClientIsKilled(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := start(t, s, patience, kindNew)
		p.send(sdktest.Call(1, "notes.write", `{"text":"x"}`)+"\n", sdktest.Call(2, "notes.write", `{"text":"x"}`)+"\n")
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
	})
}

// The SDKs alone would answer none of these calls, and hang at the end or lose
// a worker to each.
func TestStdio_SurvivesHandlersThatEndTheirGoroutine(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := start(t, s, patience, kindNew)
		for id := range 6 {
			p.send(sdktest.Call(id, "proc.exit", fmt.Sprintf(`{"n":%d}`, id)) + "\n")
			a := p.answer()
			require.NotNil(t, a.Result)
			assert.True(t, a.Result.IsError)
		}
		p.send(sdktest.Call(7, "calc.add", `{"a":1}`) + "\n")
		assert.JSONEq(t, `{"sum":1}`, string(p.answer().Result.StructuredContent))
		require.NoError(t, p.in.Close())
		code, terminal := p.ends()
		assert.Zero(t, code)
		require.Len(t, terminal, 7)
		for _, e := range terminal[:6] {
			assert.Equal(t, contract.CodeInternalError, e.Code)
		}
	})
}

func TestStdio_RefusesALineThatIsTooLong(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		const limit = 4<<20 + 64<<10
		p := start(t, s, patience, kindNew)
		envelope := len(sdktest.Call(1, "notes.write", `{"text":""}`)) + len("\n")
		text := func(n int) string { return `{"text":"` + strings.Repeat("x", n) + `"}` }

		p.send(sdktest.Call(1, "notes.write", text(limit-envelope+1)) + "\n")
		a := p.answer()
		require.NotNil(t, a.Error)
		assert.Equal(t, parseError, a.Error.Code)
		assert.Nil(t, a.ID)

		p.send(sdktest.Call(2, "notes.write", text(limit-envelope)) + "\n")
		a = p.answer()
		require.NotNil(t, a.Result)
		assert.True(t, a.Result.IsError, "the arguments alone are too large")

		p.send(strings.Repeat("y", 2*limit) + "\n" + sdktest.Call(3, "calc.add", `{"a":1}`) + "\n" + strings.Repeat("z", 2*limit))
		assert.Equal(t, parseError, p.answer().Error.Code)
		require.NoError(t, p.in.Close())
		var rest []sdktest.Response
		for p.lines.Scan() {
			rest = append(rest, sdktest.Parse(t, p.lines.Text()))
		}
		require.Len(t, rest, 2, "a sum and a parse error, in any order")
		code, _ := p.ends()
		assert.Zero(t, code)
	})
}

// A handler that doesn't return is abandoned after the drain time. Its caller
// gets an answer, and ServeStdio returns an error.
func TestStdio_GivesUpHandlersThatDoNotEnd(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := start(t, s, 50*time.Millisecond, kindNew)
		for id := range 9 {
			p.send(sdktest.Call(id, "proc.stuck", fmt.Sprintf(`{"n":%d}`, id)) + "\n")
		}
		p.await("begun", 5)
		require.NoError(t, p.in.Close())
		p.assertGivesUp(9)
	})
}

// Calls that the SDK can't run at once wait, here or in its queue, and are
// answered when the server gives up. mcp-go has five workers; beyond its queue
// of a hundred it runs calls on the reading goroutine, which then no longer
// notices the end of input.
func TestStdio_EndsWhenNoFurtherCallCanRun(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		const calls = 250
		p := start(t, s, 50*time.Millisecond, kindNew)
		for id := 1; id <= calls; id++ {
			p.send(sdktest.Call(id, "proc.stuck", fmt.Sprintf(`{"n":%d}`, id)) + "\n")
		}
		p.await("begun", 6)
		require.NoError(t, p.in.Close())
		p.assertGivesUp(calls)
	})
}

// A subscription lasts as long as the session, so the server doesn't wait for
// it when shutting down.
func TestStdio_DoesNotWaitForSubscriptions(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := start(t, s, 10*time.Minute, kindNew)
		p.send(string(sdktest.Message(t, modern, 1, "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`))+"\n",
			sdktest.Call(2, "calc.add", `{"a":1}`)+"\n")
		require.NoError(t, p.in.Close())
		code, terminal := p.ends()
		assert.Zero(t, code)
		assert.Len(t, terminal, 1)
	})
}

func TestStdio_ServesTheClientOfItsSDK(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		c := s.Client(t, endpoint{env: serverEnv(s, kindNew, time.Second)}, e, nil)
		assert.Equal(t, []string{"calc.add", "notes.send", "notes.write", "proc.exit", "proc.stuck"}, c.Names(t))
		// without a gate, notes do not wait
		result, err := c.Call(t.Context(), "notes.write", map[string]any{"text": "x"})
		require.NoError(t, err)
		assert.False(t, sdktest.Parse(t, result).Result.IsError)
		_, err = c.Call(t.Context(), "no.such", nil)
		require.ErrorContains(t, err, s.Unknown("no.such"))
	})
}

// A gateway reads and calls a server over stdio just as it does over HTTP.
func TestStdio_ServesTheClientOfAGateway(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		upstream := agent.New(agent.Command{Path: os.Args[0], Env: append(os.Environ(), serverEnv(s, kindNew, time.Second)...)})
		t.Cleanup(func() { assert.NoError(t, upstream.Close()) })
		listed, err := upstream.ListTools(t.Context())
		require.NoError(t, err)
		assert.Len(t, listed.Tools, 5)
		_, err = upstream.Call(t.Context(), agent.CallParams{Name: "proc.exit", Arguments: json.RawMessage(`{"n":1}`)})
		require.NoError(t, err)
	})
}

func TestStdio_RunsAsTheLocalUser(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := start(t, s, patience, kindNew)
		require.NoError(t, p.gate.Close())
		p.send(sdktest.Call(1, "notes.write", `{"text":"x"}`)+"\n", `{"jsonrpc":"2.0","id":2,"method":"tools/call",`+
			`"params":{"name":"no.such"}}`)
		require.NoError(t, p.in.Close())
		code, terminal := p.ends()
		assert.Zero(t, code)
		require.Len(t, terminal, 2)
		u, err := user.Current()
		require.NoError(t, err)
		for _, e := range terminal {
			assert.Equal(t, contract.LocalIssuer, e.Issuer)
			assert.Equal(t, u.Username, e.Principal)
			assert.True(t, e.Agent)
		}
	})
}

// A blank line is not a message, and a byte order mark is not part of one.
// Windows shells write both.
func TestStdio_IgnoresBlankLinesAndByteOrderMarks(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		const mark = "\ufeff"
		p := run(t, s, patience, kindNew)
		p.send("\n", "\r\n", mark+"\n", mark)
		p.initialize(`{}`)
		p.send(" \t\r\n", "\n", mark+sdktest.Call(1, "calc.add", `{"a":1}`)+"\r\n", "\n", mark+"\r\n")
		assert.EqualValues(t, 1, p.answer().ID)
		p.send(strings.Repeat(" ", 100_000)+"\n", "\n", sdktest.Call(2, "calc.add", `{"a":1}`), "\n \n\t")
		assert.EqualValues(t, 2, p.answer().ID)
		require.NoError(t, p.in.Close())
		p.assertSilent()
		code, terminal := p.ends()
		assert.Zero(t, code)
		assert.Len(t, terminal, 2)
	})
}

// UTF-16, and lines that only look blank, get an answer, because a client may
// be waiting for one.
func TestStdio_AnswersWhatIsNotBlank(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := start(t, s, patience, kindNew)
		for _, line := range []string{"\v\n", "\u00a0\n", "\ufeff\ufeff{}\n", "\xff\xfe{\x00}\x00\n", "\x00\n", "x\n"} {
			p.send(line)
			a := p.answer()
			require.NotNil(t, a.Error, "%q", line)
			assert.Nil(t, a.ID)
		}
		require.NoError(t, p.in.Close())
		p.assertSilent()
		code, _ := p.ends()
		assert.Zero(t, code)
	})
}

// A session ends during reads that would take longer than the drain. Their
// contexts end with it, so no handler is left behind: the exit code is 0, and
// no event is lost, even of handlers that end after their call was answered.
func TestThreat197_StdioRecordsHandlersThatEndWithTheSession(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		all := map[string]func(*process) error{
			"at the end of input":              func(p *process) error { return p.in.Close() },
			"with a client that reads no more": func(p *process) error { return errors.Join(p.out.Close(), p.in.Close()) },
		}
		for name, end := range ends() {
			all[name] = end
			all[name+" after the input"] = func(p *process) error { return errors.Join(p.in.Close(), end(p)) }
		}
		for name, end := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				const calls = 5
				p := start(t, s, 50*time.Millisecond, kindReading)
				for id := range calls {
					p.send(sdktest.Call(id, "proc.read", fmt.Sprintf(`{"n":%d}`, id)) + "\n")
				}
				p.await("begun", calls)
				require.NoError(t, end(p))
				kinds := map[string][]audit.Kind{}
				for e := range p.events {
					kinds[e.CallID] = append(kinds[e.CallID], e.Kind)
				}
				<-p.exited
				assert.Zero(t, p.cmd.ProcessState.ExitCode())
				for line := range p.reports {
					assert.Equal(t, "signalled", line)
				}
				require.Len(t, kinds, calls)
				for _, of := range kinds {
					assert.Equal(t, audit.Terminal, of[0])
					assert.True(t, len(of) == 1 || len(of) == 2 && of[1] == audit.Late, "%v", of)
				}
			})
		}
	})
}

// A tool without a contract outlasts the drain. The error names the request,
// but no handler of the guard, because none is running.
func TestStdio_BlamesNoHandlerForAnUnansweredRequest(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := start(t, s, 50*time.Millisecond, kindExisting)
		p.send(sdktest.Call(1, "wait", `{}`) + "\n")
		p.await("begun", 1)
		require.NoError(t, p.in.Close())
		code, _ := p.ends()
		assert.Equal(t, 3, code)
		for line := range p.reports {
			assert.Equal(t, s.Name()+": requests were left unanswered: 1", line)
		}
	})
}

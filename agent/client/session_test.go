package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/clienttest"
)

// echoing returns a server without contracts. Its tool returns the environment
// of a request.
func echoing() *server.MCPServer {
	s := server.NewMCPServer("echo", "1")
	tool := mcp.NewTool("echo", mcp.WithReadOnlyHintAnnotation(true), mcp.WithDestructiveHintAnnotation(false))
	s.AddTool(tool, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.GetString("mode", "") == "wait" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	})
	return s
}

func connect(t *testing.T, d agent.Dialer, host agent.Host) *agent.Agent {
	t.Helper()
	a, err := agent.Connect(t.Context(), d, agent.Options{Host: host})
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close() })
	return a
}

func TestSession_CallsAServerOverStdio(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		a := connect(t, client.New(clienttest.Speaking(version, stdio("echo"))), agent.Host{})
		text, err := agent.Call[string](t.Context(), a, "echo", map[string]string{"text": "hello"})
		require.NoError(t, err)
		assert.Equal(t, "hello", text)

		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err = a.Call(ctx, "echo", map[string]string{"mode": "wait"})
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = a.Call(t.Context(), "echo", map[string]string{"text": "again"})
		require.NoError(t, err, "the session outlives a cancelled call")
	}
}

// Answers with the id of another request, or with none, are no answers.
func TestThreat138_AnswersWithWrongIDsAreNotTaken(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(map[string]json.RawMessage){
		"another id": func(m map[string]json.RawMessage) { m["id"] = json.RawMessage(`"other"`) },
		"a number":   func(m map[string]json.RawMessage) { m["id"] = json.RawMessage(`1`) },
		"no id":      func(m map[string]json.RawMessage) { delete(m, "id") },
		"null":       func(m map[string]json.RawMessage) { m["id"] = json.RawMessage(`null`) },
		"no result":  func(m map[string]json.RawMessage) { delete(m, "result") },
	} {
		for _, write := range []bool{true, false} {
			var runs atomic.Int64
			s := server.NewMCPServer("echo", "1")
			s.AddTool(mcp.NewTool("pay", mcp.WithReadOnlyHintAnnotation(!write), mcp.WithDestructiveHintAnnotation(false)),
				func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					runs.Add(1)
					return mcp.NewToolResultText("paid"), nil
				})
			a := connect(t, client.New(client.HTTP{URL: changing(t, s, change)}), agent.Host{
				Ask: func(_ context.Context, q agent.Question) (agent.Answer, error) { return q.Approve(), nil },
			})
			_, err := a.Call(t.Context(), "pay", nil)
			var fatal *agent.FatalError
			require.ErrorAs(t, err, &fatal, name)
			assert.Equal(t, int64(1), runs.Load(), name)
			if write {
				assert.Equal(t, contract.CodeOutcomeUnknown, fatal.Code, name)
			}
		}
	}
}

// changing serves s over HTTP, and changes the answers to tools/call.
func changing(t *testing.T, s *server.MCPServer, change func(map[string]json.RawMessage)) string {
	t.Helper()
	next := server.NewStreamableHTTPServer(s)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if !strings.Contains(string(body), `"tools/call"`) {
			next.ServeHTTP(w, r)
			return
		}
		recorded := httptest.NewRecorder()
		next.ServeHTTP(recorded, r)
		var members map[string]json.RawMessage
		if json.Unmarshal(recorded.Body.Bytes(), &members) != nil {
			panic("the answer is no JSON")
		}
		change(members)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(members)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/mcp"
}

func TestSession_JSONRPCErrorsAreReturned(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("echo", "1")
	s.AddTool(mcp.NewTool("fail", mcp.WithReadOnlyHintAnnotation(true), mcp.WithDestructiveHintAnnotation(false)),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, errors.New("no") })
	a := connect(t, client.New(client.InProcess(server.NewStreamableHTTPServer(s))), agent.Host{})
	_, err := a.Call(t.Context(), "fail", nil)
	var p *client.ServerError
	require.ErrorAs(t, err, &p)
	assert.Equal(t, -32603, p.Code)
	s.DeleteTools("fail")
	var retry *agent.RetryError
	_, err = a.Call(t.Context(), "fail", nil)
	require.ErrorAs(t, err, &retry, "the tool is unknown now, so the call had no effect")
	assert.Equal(t, agent.CodeProtocolError, retry.Code)
}

func TestSession_RepeatsArgumentsInHeaders(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("echo", "1")
	s.AddTool(mcp.NewToolWithRawSchema("region", "", json.RawMessage(`{"type":"object","properties":{"region":{"type":"string",`+
		`"x-mcp-header":"Region"}}}`)),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(r.Header.Get("Mcp-Param-Region")), nil
		})
	srv := httptest.NewServer(server.NewStreamableHTTPServer(s))
	t.Cleanup(srv.Close)
	ask := agent.Host{Ask: func(_ context.Context, q agent.Question) (agent.Answer, error) { return q.Approve(), nil }}
	text, err := agent.Call[string](t.Context(), connect(t, client.New(client.HTTP{URL: srv.URL + "/mcp"}), ask),
		"region", map[string]string{"region": "eu"})
	require.NoError(t, err)
	assert.Equal(t, "eu", text)
}

func TestDial_FailuresAreReturned(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]agent.Dialer{
		"no transport": client.New(nil),
		"no handler":   client.New(client.InProcess(nil)),
		"no server":    client.New(client.HTTP{URL: "http://127.0.0.1:1/mcp"}),
		"no command":   client.New(client.Command{Path: "/does/not/exist"}),
		"no URL":       client.New(client.HTTP{URL: ":"}),
		"a nil option": client.New(client.InProcess(server.NewStreamableHTTPServer(echoing())), nil),
	} {
		_, err := agent.Connect(t.Context(), d, agent.Options{})
		require.Error(t, err, name)
	}
}

// A server in the same process is called without a network.
func ExampleInProcess() {
	ctx := context.Background()
	a, err := agent.Connect(ctx, client.New(client.InProcess(server.NewStreamableHTTPServer(echoing()))), agent.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	text, err := agent.Call[string](ctx, a, "echo", map[string]string{"text": "hello"})
	fmt.Println(text, err)
	// Output: hello <nil>
}

// A person gets a bounded number of questions at a time, and the call goes on.
func TestSession_BoundsTheQuestionsOfAnOlderServer(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	person := client.Person{Form: true, Elicit: func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		asked.Add(1)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	s, err := client.New(clienttest.Speaking(clienttest.Older, stdio("elicits"))).Dial(t.Context(), person)
	require.NoError(t, err)
	_, err = s.CallTool(t.Context(), client.CallParams{Name: "a"})
	var answered *client.ServerError
	if err != nil {
		require.ErrorAs(t, err, &answered)
	}
	require.NoError(t, s.Close(), "the questions end with the session")
	assert.Positive(t, asked.Load())
	assert.LessOrEqual(t, asked.Load(), int64(16))
}

// The person is code of others: one that ends badly has no answer, and the
// session goes on.
func TestSession_APersonThatEndsBadlyHasNoAnswer(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){"panic": func() { panic("no") }, "end of its goroutine": runtime.Goexit} {
		var asked atomic.Int64
		person := client.Person{Form: true, Elicit: func(context.Context, json.RawMessage) (json.RawMessage, error) {
			asked.Add(1)
			end()
			return nil, nil
		}}
		s, err := client.New(clienttest.Speaking(clienttest.Older, stdio("elicits"))).Dial(t.Context(), person)
		require.NoError(t, err, name)
		for range 2 { // the place of a question is free again
			_, _ = s.CallTool(t.Context(), client.CallParams{Name: "a"})
		}
		require.NoError(t, s.Close(), name)
		assert.Positive(t, asked.Load(), name)
	}
}

func TestInProcess_AHandlerThatEndsBadlyBreaksTheConnection(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){"panic": func() { panic("no") }, "end of its goroutine": runtime.Goexit} {
		handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusOK)
			end()
		})
		_, err := client.New(client.InProcess(handler)).Dial(t.Context(), client.Person{})
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, name)
	}
}

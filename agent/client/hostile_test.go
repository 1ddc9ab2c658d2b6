package client_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
)

// hostile serves over stdio as a mode demands, until its input ends.
func hostile(mode string) {
	if mode == "exit" {
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m request
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		switch {
		case mode == "silent" || m.Method == "":
		case mode == "deaf":
			select {} // neither reads nor writes any more
		case (mode == "stuck" || mode == "slow") && m.Method == "tools/call":
			// As a process that hangs or works in a call. It reports when it
			// has read the call, and when it has read a part of the next one.
			fmt.Println(listChanged)
			_, _ = io.ReadFull(os.Stdin, make([]byte, 4<<10))
			fmt.Println(listChanged)
			if mode == "stuck" {
				select {}
			}
			time.Sleep(time.Second)
			answer(m.ID, m.Method)
			_, _ = io.Copy(io.Discard, os.Stdin)
		case mode == "flood":
			fmt.Println(strings.Repeat("a", client.MaxMessageBytes+10))
		case mode == "garbage":
			fmt.Printf("no JSON\n[]\n{}\nnull\n{\"id\":\"x\"}\n\n{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n")
			answer(m.ID, m.Method)
		case mode == "elicits" && m.Method == "tools/call":
			for i := range 1000 {
				fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"elicitation/create\",\"params\":{\"message\":\"?\"}}\n", i+1)
			}
			answer(m.ID, m.Method)
		case mode == "asks":
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\",\"params\":{}}\n")
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n")
			answer(m.ID, m.Method)
		case mode == "changes" && m.Method == "tools/list":
			fmt.Println(listChanged)
			answer(m.ID, m.Method)
		default:
			answer(m.ID, m.Method)
		}
	}
}

const listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// answer answers as an older server with one tool.
func answer(id json.RawMessage, method string) { fmt.Println(response(string(id), method, "")) }

// response returns the response to a request. list is the result of tools/list,
// with one tool if it is empty.
func response(id, method, list string) string {
	result := `"error":{"code":-32601,"message":"method\u001b[2J not found"}`
	switch method {
	case "initialize":
		result = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},` +
			`"serverInfo":{"name":"hostile",` +
			`"version":"1"}}`
	case "tools/list":
		if list == "" {
			list = `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
		}
		result = `"result":` + list
	}
	return `{"jsonrpc":"2.0","id":` + id + `,` + result + `}`
}

func TestClient_HostileServersOverStdio(t *testing.T) {
	t.Parallel()
	for mode, check := range map[string]func(*testing.T, client.Listing, error){
		"flood": func(t *testing.T, _ client.Listing, err error) { assert.Error(t, err) },
		"garbage": func(t *testing.T, l client.Listing, err error) {
			require.NoError(t, err)
			assert.Len(t, l.Tools, 1)
		},
		"asks": func(t *testing.T, l client.Listing, err error) {
			require.NoError(t, err)
			assert.Equal(t, "hostile", l.Name)
		},
		"changes": func(t *testing.T, _ client.Listing, err error) { assert.Equal(t, "list.changing", ruleOf(err)) },
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			l, err := newClient(t, stdio(mode)).ListTools(t.Context())
			check(t, l, err)
		})
	}
	for _, mode := range []string{"silent", "deaf"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := newClient(t, stdio(mode)).ListTools(ctx)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		})
	}
}

func TestClient_ReplacesAProcessThatDoesNotReadAnyMore(t *testing.T) {
	t.Parallel()
	c := newClient(t, stdio("stuck"))
	_, err := c.ListTools(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, callUntilRead(t, c, nil), context.Canceled) // from now on, nothing is read
	err = callUntilRead(t, c, long)
	require.Error(t, err)
	assert.NotErrorIs(t, err, client.ErrUnsent, "a part of the call was written")
	require.Eventually(t, func() bool {
		_, err = c.ListTools(t.Context())
		return err == nil
	}, time.Minute, 50*time.Millisecond, "the process is never replaced: %v", err)
}

// long are the arguments of a call that is larger than a pipe.
var long = json.RawMessage(`{"text":"` + strings.Repeat("a", 1<<20) + `"}`)

// callUntilRead makes a call, and gives it up when the server has read of it.
func callUntilRead(t *testing.T, c *client.Client, arguments json.RawMessage) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-c.Changed()
		cancel()
	}()
	_, err := c.Call(ctx, client.CallParams{Name: "a", Arguments: arguments})
	return err
}

// A process that works in a call may read nothing meanwhile. A caller that
// gives up the next call must not end the process.
func TestClient_ACallerThatLeavesAWriteDoesNotEndTheCallOfAnother(t *testing.T) {
	t.Parallel()
	c := newClient(t, stdio("slow"))
	_, err := c.ListTools(t.Context())
	require.NoError(t, err)
	other := make(chan error, 1)
	go func() {
		_, err := c.Call(t.Context(), client.CallParams{Name: "a"})
		other <- err
	}()
	<-c.Changed() // the process works in the call of the other
	require.ErrorIs(t, callUntilRead(t, c, long), context.Canceled)
	var answered *client.ServerError
	require.ErrorAs(t, <-other, &answered)
}

// A call may be given up in the moment in which it is written.
func TestClient_ACallerThatLeavesDoesNotEndTheConnection(t *testing.T) {
	t.Parallel()
	c := newClient(t, stdio("mcp-go"))
	_, err := c.ListTools(t.Context())
	require.NoError(t, err)
	for range 500 {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		_, _ = c.Call(ctx, client.CallParams{Name: "tool_1"}) // which wins is open
	}
	_, err = c.Call(t.Context(), client.CallParams{Name: "tool_1"})
	require.NoError(t, err)
	assert.Empty(t, c.Changed(), "the client connected again")
}

func ruleOf(err error) string {
	if bound, ok := errors.AsType[*client.ListError](err); ok {
		return bound.Rule
	}
	return fmt.Sprint(err)
}

// A request is a message of the client.
type request struct {
	ID     json.RawMessage
	Method string
}

// posted reads a message that was posted, and refuses any other request.
func posted(w http.ResponseWriter, r *http.Request) (m request, ok bool) {
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return request{}, false
	}
	return m, true
}

// lists serves lists over HTTP. next returns the result of the n-th list.
func lists(t *testing.T, next func(n int64) string) client.HTTP {
	t.Helper()
	var n atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, ok := posted(w, r)
		if !ok {
			return
		}
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		list := ""
		if m.Method == "tools/list" {
			list = next(n.Add(1))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, response(string(m.ID), m.Method, list))
	}))
	t.Cleanup(web.Close)
	return client.HTTP{URL: web.URL}
}

func TestClient_ListsAreBounded(t *testing.T) {
	t.Parallel()
	page := func(tools, cursor string) string { return `{"tools":[` + tools + `],"nextCursor":"` + cursor + `"}` }
	for name, test := range map[string]struct {
		next func(int64) string
		rule string
	}{
		"pages without end": {func(n int64) string { return page("", fmt.Sprint(n)) }, "list.pages"},
		"a cursor twice":    {func(int64) string { return page("", "again") }, "list.cursor"},
		"too many tools":    {func(n int64) string { return page("1"+strings.Repeat(",1", 9_999), fmt.Sprint(n)) }, "list.tools"},
		"too many bytes":    {func(n int64) string { return page(`"`+strings.Repeat("a", 9<<20)+`"`, fmt.Sprint(n)) }, "list.bytes"},
		"another form":      {func(int64) string { return `{"tools":{}}` }, "list.form"},
		"no object":         {func(int64) string { return `[]` }, "list.form"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newClient(t, lists(t, test.next)).ListTools(t.Context())
			assert.Equal(t, test.rule, ruleOf(err))
		})
	}
}

// web serves every request by a function.
func web(t *testing.T, serve http.HandlerFunc) client.HTTP {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	return client.HTTP{URL: s.URL, Header: http.Header{"authorization": {"Bearer secret"}}}
}

func TestClient_HostileServersOverHTTP(t *testing.T) {
	t.Parallel()
	events := func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }
	elsewhere := web(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the redirect was followed: %v", r.Header) })
	for name, serve := range map[string]http.HandlerFunc{
		"never answers": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // the context ends only then
			<-r.Context().Done()
		},
		"an empty page": func(http.ResponseWriter, *http.Request) {},
		"HTML":          func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<html>") },
		"unauthorized":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"a redirect":    func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) },
		"a stream ends": func(w http.ResponseWriter, _ *http.Request) { events(w) },
		"no such answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, `{"id":0}`)
		},
		"a body without end": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for chunk := strings.Repeat(" ", 1<<20); ; {
				if _, err := fmt.Fprint(w, chunk); err != nil {
					return
				}
			}
		},
		"an event without end": func(w http.ResponseWriter, _ *http.Request) {
			events(w)
			for chunk := "data: " + strings.Repeat("a", 1<<20) + "\n"; ; {
				if _, err := fmt.Fprint(w, chunk); err != nil {
					return
				}
			}
		},
		"events without end": func(w http.ResponseWriter, _ *http.Request) {
			events(w)
			for {
				if _, err := fmt.Fprint(w, "data: {\"method\":\"notifications/message\"}\n\n"); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, web(t, serve))
			ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
			defer cancel()
			began := time.Now()
			_, err := c.ListTools(ctx)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "secret")
			assert.Less(t, time.Since(began), time.Minute)
		})
	}
}

// The lines of an event are joined with LF, as WHATWG HTML 9.2.6 demands.
func TestClient_JoinsTheLinesOfAnEvent(t *testing.T) {
	t.Parallel()
	for text, whole := range map[string]bool{
		"{\"id\":%s,\ndata:  \"result\":\ndata\ndata:{\"content\":[],\ndata: \"n\":1}\ndata:\ndata:}": true,
		"{\"id\":%s,\"result\":{\"n\":1\ndata: 2}}":                                                   false,
	} {
		c := newClient(t, web(t, func(w http.ResponseWriter, r *http.Request) {
			m, ok := posted(w, r)
			if !ok {
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			if m.Method == "tools/call" {
				_, _ = fmt.Fprintf(w, "data: "+text+"\n\n", m.ID)
				return
			}
			_, _ = fmt.Fprintf(w, "data: %s\n\n", response(string(m.ID), m.Method, ""))
		}))
		raw, err := c.Call(t.Context(), client.CallParams{Name: "a"})
		if !whole {
			require.Error(t, err, "12 is not what the server sent")
			continue
		}
		require.NoError(t, err)
		assert.JSONEq(t, `{"content":[],"n":1}`, string(raw))
	}
}

func TestClient_AServerThatForgotTheSessionGetsAnother(t *testing.T) {
	t.Parallel()
	var current atomic.Int64
	var forgets atomic.Bool
	h := web(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
		m, ok := posted(w, r)
		if !ok {
			return
		}
		switch {
		case m.Method == "initialize":
			w.Header().Set("Mcp-Session-Id", fmt.Sprint(current.Add(1)))
		case m.Method != "server/discover" && (forgets.Swap(false) || r.Header.Get("Mcp-Session-Id") != fmt.Sprint(current.Load())):
			w.WriteHeader(http.StatusNotFound)
			return
		case m.Method == "tools/list":
			assert.Equal(t, "2025-06-18", r.Header.Get("Mcp-Protocol-Version"))
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, ": comment\nevent: message\ndata: %s\r\n\r\n", response(string(m.ID), m.Method, ""))
	})
	c := newClient(t, h)
	_, err := c.ListTools(t.Context())
	require.NoError(t, err)
	forgets.Store(true)
	_, err = c.ListTools(t.Context())
	require.Error(t, err)
	_, err = c.ListTools(t.Context())
	require.NoError(t, err)
	assert.Equal(t, int64(2), current.Load())
}

package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
)

// An older server speaks 2025-11-25 with sessions. Its one tool reads.
type older struct {
	call func(w http.ResponseWriter, r *http.Request, id json.RawMessage) // answers tools/call
	get  func(w http.ResponseWriter, r *http.Request)                     // answers GET; nil: there are no streams

	calls   atomic.Int64
	resumed atomic.Int64         // requests with Last-Event-ID
	answers chan json.RawMessage // the client's answers
}

func (o *older) serve(t *testing.T) client.HTTP {
	t.Helper()
	o.answers = make(chan json.RawMessage, 10)
	srv := httptest.NewServer(o)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return client.HTTP{URL: srv.URL}
}

func (o *older) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Last-Event-ID") != "" {
		o.resumed.Add(1)
	}
	if r.Method == http.MethodGet && o.get != nil {
		o.get(w, r)
		return
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Result json.RawMessage
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &m)
	w.Header().Set("Content-Type", "application/json")
	switch m.Method {
	case "initialize":
		w.Header().Set("Mcp-Session-Id", "one")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},`+
			`"serverInfo":{"name":"older","version":"1"}}}`, m.ID)
	case "tools/list":
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"},`+
			`"annotations":{"readOnlyHint":true}}]}}`, m.ID)
	case "tools/call":
		o.calls.Add(1)
		o.call(w, r, m.ID)
	case "":
		o.answers <- m.Result
		w.WriteHeader(http.StatusAccepted)
	case "notifications/initialized":
		w.WriteHeader(http.StatusAccepted)
	default:
		w.WriteHeader(http.StatusBadRequest)
	}
}

// stream begins an event stream and returns a function that sends an event.
func stream(w http.ResponseWriter) (send func(event string)) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush := func() { _ = http.NewResponseController(w).Flush() }
	flush()
	return func(event string) {
		_, _ = io.WriteString(w, event)
		flush()
	}
}

func done(id json.RawMessage) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}`, id)
}

const ask = `data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Who?","requestedSchema":` +
	`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer","default":30},` +
	`"kind":{"type":"string","enum":["a","b"],"default":"b"},"note":{"type":"string"}}}}}` + "\n\n"

// patience is the time limit of a request. A test that reaches it has lost a
// question or an answer.
const patience = 30 * time.Second

func callOlder(t *testing.T, o *older) (string, error) {
	t.Helper()
	a, err := agent.Connect(t.Context(), client.New(o.serve(t)), agent.Options{
		Limits: agent.Limits{Request: patience, Attempts: 1},
		Host: agent.Host{Ask: func(_ context.Context, q agent.Question) (agent.Answer, error) {
			if q.Form == nil {
				return agent.Answer{Action: agent.Accept}, nil // of the agent itself
			}
			return agent.Answer{Action: agent.Accept, Content: map[string]any{"name": "Anna", "kind": "a"}}, nil
		}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close() })
	return agent.Call[string](t.Context(), a, "echo", nil)
}

// An older server asks on the session's stream, as the TypeScript SDK does, and
// holds back the call's result until it gets an answer. Fields that the person
// leaves out are sent with their defaults.
func TestThreat198_AnOlderServerAsksOutsideTheCall(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(w http.ResponseWriter, opened int64) (send func(string)){
		"on a stream that begins at once": func(w http.ResponseWriter, _ int64) func(string) { return stream(w) },
		"on a stream that begins with the question": func(w http.ResponseWriter, _ int64) func(string) {
			return func(event string) { stream(w)(event) }
		},
		"on a stream that was closed once": func(w http.ResponseWriter, opened int64) func(string) {
			send := stream(w)
			if opened == 1 {
				send("retry: 10\n\n")
				return nil
			}
			return send
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			questions := make(chan string, 1)
			var opened atomic.Int64
			o := &older{}
			o.get = func(w http.ResponseWriter, r *http.Request) {
				send := begin(w, opened.Add(1))
				if send == nil {
					return
				}
				select {
				case q := <-questions:
					send(q)
					<-r.Context().Done()
				case <-r.Context().Done():
				}
			}
			o.call = func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
				questions <- ask
				var answer json.RawMessage
				select {
				case answer = <-o.answers:
				case <-r.Context().Done(): // the client gave up
				}
				assert.JSONEq(t, `{"action":"accept","content":{"name":"Anna","age":30,"kind":"a"}}`, string(answer))
				_, _ = io.WriteString(w, done(id))
			}
			text, err := callOlder(t, o)
			require.NoError(t, err)
			assert.Equal(t, "done", text)
		})
	}
}

// A call's stream ends before its result. The client resumes it if the server
// can, and never sends the call again.
func TestThreat199_ALostCallIsResumedAndNotRepeated(t *testing.T) {
	t.Parallel()
	const first = "id: 1\nretry: 1\ndata: \n\n"
	cut := func(event string) func(func(string), json.RawMessage) {
		return func(send func(string), _ json.RawMessage) { send(event) }
	}
	for name, test := range map[string]struct {
		call    func(send func(string), id json.RawMessage)
		get     func(send func(string), lastID string, id json.RawMessage)
		fails   bool
		resumed int64 // -1: any small number
	}{
		"once": {cut(first), func(send func(string), lastID string, id json.RawMessage) {
			assert.Equal(t, "1", lastID)
			send("id: 2\ndata: " + done(id) + "\n\n")
		}, false, 1},
		"in the middle of the answer": {func(send func(string), id json.RawMessage) {
			send(first + "id: 2\ndata: " + done(id)[:40])
		}, func(send func(string), lastID string, id json.RawMessage) {
			assert.Equal(t, "1", lastID, "the event that was cut does not count")
			send("id: 2\ndata: " + done(id) + "\n\n")
		}, false, 1},
		"many times, with progress": {cut(first), func(send func(string), lastID string, id json.RawMessage) {
			if len(lastID) < 20 {
				send("id: " + lastID + "1\ndata: \n\n")
				return
			}
			send("data: " + done(id) + "\n\n")
		}, false, 20},
		"with a question in between": {cut(first), func(send func(string), lastID string, id json.RawMessage) {
			if lastID == "1" {
				send("id: 2\n" + ask)
				return
			}
			send("data: " + done(id) + "\n\n")
		}, false, 2},
		"without ids":                 {cut("data: \n\n"), nil, true, 0},
		"with an id that has a zero":  {cut("id: a\x00b\ndata: \n\n"), nil, true, 0},
		"on a server without streams": {cut(first), nil, true, 1},
		"without end":                 {cut(first), func(func(string), string, json.RawMessage) {}, true, 5},
		"without end, with one event again": {cut(first), func(send func(string), lastID string, _ json.RawMessage) {
			send("id: " + lastID + "\ndata: \n\n")
		}, true, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var id json.RawMessage
			o := &older{}
			o.call = func(w http.ResponseWriter, _ *http.Request, called json.RawMessage) {
				mu.Lock()
				id = called
				mu.Unlock()
				test.call(stream(w), called)
			}
			o.get = func(w http.ResponseWriter, r *http.Request) {
				lastID := r.Header.Get("Last-Event-ID")
				if lastID == "" || test.get == nil {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				test.get(stream(w), lastID, id)
			}
			text, err := callOlder(t, o)
			assert.Equal(t, test.fails, err != nil, "%v", err)
			if !test.fails {
				assert.Equal(t, "done", text)
			}
			assert.EqualValues(t, 1, o.calls.Load(), "nothing is sent twice")
			assert.Equal(t, test.resumed, o.resumed.Load())
		})
	}
}

// The client waits as long as the server demands, within its own bound.
func TestSession_WaitsAsLongAsTheServerDemandsBeforeResuming(t *testing.T) {
	t.Parallel()
	const retry = 300 * time.Millisecond
	var ended atomic.Int64
	o := &older{}
	var id json.RawMessage
	o.call = func(w http.ResponseWriter, _ *http.Request, called json.RawMessage) {
		id = called
		stream(w)(fmt.Sprintf("id: 1\nretry: %d\ndata: \n\n", retry.Milliseconds()))
		ended.Store(time.Now().UnixNano())
	}
	o.get = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") == "" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		assert.GreaterOrEqual(t, time.Since(time.Unix(0, ended.Load())), retry-time.Millisecond)
		stream(w)("data: " + done(id) + "\n\n")
	}
	_, err := callOlder(t, o)
	require.NoError(t, err)
}

// When the caller gives up, the wait ends at once.
func TestSession_StopsResumingWhenItsCallerGivesUp(t *testing.T) {
	t.Parallel()
	o := &older{call: func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
		stream(w)("id: 1\nretry: 4000000000\ndata: \n\n")
	}}
	s, err := client.New(o.serve(t)).Dial(t.Context(), client.Person{})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err = s.CallTool(ctx, client.CallParams{Name: "echo"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(began), 10*time.Second)

	lost := make(chan error, 1)
	go func() {
		_, err := s.CallTool(context.WithoutCancel(t.Context()), client.CallParams{Name: "echo"})
		lost <- err
	}()
	require.Eventually(t, func() bool { return o.calls.Load() == 2 }, patience, time.Millisecond)
	require.NoError(t, s.Close())
	require.Error(t, <-lost)
}

// A server may send more messages than the client can answer before the call
// ends. What has been read already must not keep the call.
func TestThreat198_AFloodOfMessagesDoesNotOutliveItsCall(t *testing.T) {
	t.Parallel()
	const flood = 1000
	o := &older{call: func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
		stream(w)(strings.Repeat(`data: {"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n\n", flood))
		<-r.Context().Done()
	}}
	server := o.serve(t)
	server.Client = &http.Client{Transport: slowAnswers{}}
	s, err := client.New(server).Dial(t.Context(), client.Person{})
	require.NoError(t, err)
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	begin := time.Now()
	_, err = s.CallTool(ctx, client.CallParams{Name: "echo"})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(begin), 5*time.Second)
}

// slowAnswers is a server that takes its time to accept an answer.
type slowAnswers struct{}

func (slowAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && r.ContentLength < 60 && r.Header.Get("Mcp-Method") == "" {
		body, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if strings.Contains(string(body), `"result":{}`) {
			select {
			case <-time.After(100 * time.Millisecond):
			case <-r.Context().Done():
			}
			return &http.Response{StatusCode: http.StatusAccepted, Body: http.NoBody, Header: http.Header{}}, nil
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A server may close each stream at once and demand to be asked again soon.
func TestThreat198_AServerCannotMakeItsStreamsAFlood(t *testing.T) {
	t.Parallel()
	const hurry = "retry: 1\nid: %d\n\n"
	var opened atomic.Int64
	again := func(w http.ResponseWriter) { stream(w)(fmt.Sprintf(hurry, opened.Add(1))) }
	for name, o := range map[string]*older{
		"of the session": {
			get:  func(w http.ResponseWriter, _ *http.Request) { again(w) },
			call: func(_ http.ResponseWriter, r *http.Request, _ json.RawMessage) { <-r.Context().Done() },
		},
		"of a call": {
			get: func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Last-Event-ID") == "" {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				again(w)
			},
			call: func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) { again(w) },
		},
	} {
		opened.Store(0)
		s, err := client.New(o.serve(t)).Dial(t.Context(), client.Person{})
		require.NoError(t, err, name)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		_, err = s.CallTool(ctx, client.CallParams{Name: "echo"})
		stop()
		require.ErrorIs(t, err, context.DeadlineExceeded, name)
		assert.LessOrEqual(t, opened.Load(), int64(20), name)
		require.NoError(t, s.Close(), name)
	}
}

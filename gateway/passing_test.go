package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/gateway"
	"github.com/toolcontract/toolcontract/internal/testing/clienttest"
)

// An asker is an older server without an SDK. Its tool book asks the client
// with elicitation/create and waits for the answer.
type asker struct {
	get bool // over HTTP, it asks on the GET stream, as the TypeScript SDK does
	// arrived gets a value for each progress report that has arrived. Nil: the
	// server sends the reports without a pause.
	arrived chan struct{}

	mu        sync.Mutex
	listening chan func(string) // holds the writer of the GET stream
	answers   map[string]chan json.RawMessage
	next      int
	declared  atomic.Bool
}

func newAsker(get bool) *asker {
	return &asker{get: get, listening: make(chan func(string), 1), answers: map[string]chan json.RawMessage{}}
}

type askerMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name         string
		Meta         struct{ ProgressToken json.RawMessage } `json:"_meta"`
		Arguments    struct{ Who string }
		Capabilities struct{ Elicitation json.RawMessage }
	}
	Result json.RawMessage
	Error  json.RawMessage
}

// handle answers a message on the message's stream, and asks on another stream
// if there is one.
func (s *asker) handle(m askerMessage, write, ask func(string)) {
	if m.Method == "" {
		s.mu.Lock()
		answer := s.answers[string(m.ID)]
		delete(s.answers, string(m.ID))
		s.mu.Unlock()
		if answer != nil {
			if m.Result == nil {
				m.Result = m.Error
			}
			answer <- m.Result
		}
		return
	}
	if m.ID == nil {
		return
	}
	result := `{}`
	switch m.Method {
	case "initialize":
		s.declared.Store(m.Params.Capabilities.Elicitation != nil)
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"travel","version":"1"}}`
	case "tools/list":
		result = `{"tools":[{"name":"book","description":"Books a trip.","annotations":{"readOnlyHint":true},"inputSchema":` +
			`{"type":"object","properties":{"who":{"type":"string"}}}},{"name":"work","description":"Works.","annotations":` +
			`{"readOnlyHint":true},"inputSchema":{"type":"object"}}]}`
	case "tools/call":
		if m.Params.Name == "work" {
			s.work(m, write)
			return
		}
		s.mu.Lock()
		s.next++
		id, answer := fmt.Sprintf(`"q-%d"`, s.next), make(chan json.RawMessage, 1)
		s.answers[id] = answer
		s.mu.Unlock()
		ask(`{"jsonrpc":"2.0","id":` + id + `,"method":"elicitation/create","params":{"message":"Which city, ` + m.Params.Arguments.Who +
			`?","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}`)
		text, err := json.Marshal("booked for " + m.Params.Arguments.Who + " " + string(<-answer))
		if err != nil {
			panic(err)
		}
		result = `{"content":[{"type":"text","text":` + string(text) + `}]}`
	case "server/discover":
		write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"unknown"}}`)
		return
	}
	write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`)
}

// work reports its progress four times, and returns links to resources.
func (s *asker) work(m askerMessage, write func(string)) {
	for i := range 4 {
		if m.Params.Meta.ProgressToken != nil {
			write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":4,`+
				`"message":"step %d"}}`, m.Params.Meta.ProgressToken, i+1, i+1))
			if s.arrived != nil {
				<-s.arrived
			}
		}
	}
	result := mcp.NewToolResultText("done")
	for _, uri := range []string{"file:///etc/passwd", "notes://1", "https://example.com/a", "HTTP://127.0.0.1/"} {
		result.Content = append(result.Content, mcp.NewResourceLink(uri, "a link", "A link.", "text/plain"))
	}
	raw, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + string(raw) + `}`)
}

// serveStdio serves over stdio until the input ends.
func (s *asker) serveStdio() {
	var mu sync.Mutex
	write := func(message string) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.WriteString(os.Stdout, message+"\n")
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var m askerMessage
		if json.Unmarshal(lines.Bytes(), &m) == nil {
			go s.handle(m, write, write)
		}
	}
}

func (s *asker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m askerMessage
	raw, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(raw, &m)
	var mu sync.Mutex
	write := func(message string) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintf(w, "data: %s\n\n", message)
		w.(http.Flusher).Flush()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Mcp-Session-Id", "session")
	switch {
	case r.Method == http.MethodGet && s.get:
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		s.listening <- write
		<-r.Context().Done()
	case r.Method == http.MethodPost && m.ID != nil && m.Method != "":
		ask := write
		if s.get {
			ask = func(message string) {
				write := <-s.listening
				write(message)
				s.listening <- write
			}
		}
		s.handle(m, write, ask)
	case r.Method == http.MethodPost:
		w.WriteHeader(http.StatusAccepted)
		s.handle(m, write, write)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// travels returns older servers whose tool book asks a question.
var travels = map[string]func(t *testing.T) client.Transport{
	"stdio": func(*testing.T) client.Transport {
		return client.Command{Path: os.Args[0], Env: []string{envServe + "=asker"}}
	},
	"the stream of the call": func(t *testing.T) client.Transport { return askerOverHTTP(t, newAsker(false)) },
	"the stream of GET":      func(t *testing.T) client.Transport { return askerOverHTTP(t, newAsker(true)) },
	"mcp-go": func(t *testing.T) client.Transport {
		s := mcpserver.NewMCPServer("travel", "1.0.0", mcpserver.WithElicitation())
		s.AddTool(mcp.NewTool("book", mcp.WithDescription("Books a trip."), mcp.WithReadOnlyHintAnnotation(true)),
			func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				r, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
					Message: "Which city?", RequestedSchema: map[string]any{"type": "object",
						"properties": map[string]any{"city": map[string]any{"type": "string"}}},
				}})
				if err != nil {
					return nil, err
				}
				return mcp.NewToolResultText(fmt.Sprint("booked ", r.Content)), nil
			})
		web := httptest.NewServer(mcpserver.NewStreamableHTTPServer(s))
		t.Cleanup(web.CloseClientConnections)
		return clienttest.Speaking(clienttest.Older, client.HTTP{URL: web.URL + "/mcp"})
	},
}

func askerOverHTTP(t *testing.T, s *asker) client.Transport {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.CloseClientConnections)
	return client.HTTP{URL: web.URL + "/mcp"}
}

// An older server asks in the middle of a call: the question reaches the
// gateway's client, and the answer reaches the server.
func TestRounds_PassOnTheQuestionsOfOlderServers(t *testing.T) {
	t.Parallel()
	for name, behind := range travels {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				text, asked, err := bookAt(t, behind(t), version, 1)
				require.NoError(t, err)
				assert.Contains(t, text, "booked")
				assert.Contains(t, text, "Rome")
				assert.Equal(t, 1, asked)
			})
		}
	}
}

// Two people call at once, and each gets only the question of their own call,
// if any: a question that could belong to either is not passed on.
func TestThreat193_AQuestionReachesOnlyTheCallerOfItsCall(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"stdio", "the stream of the call", "the stream of GET"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := client.New(travels[name](t), client.WithElicitation())
			t.Cleanup(func() { assert.NoError(t, c.Close()) })
			type question struct {
				State    string `json:"requestState"`
				Requests map[string]struct {
					Params struct{ Message string }
				} `json:"inputRequests"`
			}
			call := func(who string) (q question, raw json.RawMessage) {
				raw, err := c.Call(t.Context(), client.CallParams{Name: "book", Arguments: json.RawMessage(`{"who":"` + who + `"}`)})
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(raw, &q))
				return q, raw
			}
			first, _ := call("alice")
			assert.Equal(t, "Which city, alice?", first.Requests["question"].Params.Message)
			second, raw := call("bob") // while alice's call is waiting
			if name == "the stream of the call" {
				assert.Equal(t, "Which city, bob?", second.Requests["question"].Params.Message)
			} else {
				assert.Empty(t, second.State)
				assert.Contains(t, string(raw), "-32603", "the server learns that its question reached nobody")
			}
			answer := client.CallParams{Name: "book", State: first.State, Responses: map[string]json.RawMessage{
				"question": json.RawMessage(`{"action":"accept","content":{"city":"Oslo"}}`),
			}}
			result, err := c.Call(t.Context(), answer)
			require.NoError(t, err)
			assert.Contains(t, string(result), "booked for alice")
			assert.Contains(t, string(result), "Oslo")
			_, err = c.Call(t.Context(), answer)
			require.Error(t, err, "an answer counts once")
		})
	}
}

// A call that its caller has given up may still be running, so a question isn't
// taken as one about the next call.
func TestThreat193_AQuestionOfACallThatWasGivenUpReachesNobodyElse(t *testing.T) {
	t.Parallel()
	s := newAsker(true)
	c := client.New(askerOverHTTP(t, s), client.WithElicitation())
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	_, err := c.ListTools(t.Context())
	require.NoError(t, err)
	write := <-s.listening // so that the first call's question is late
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = c.Call(ctx, client.CallParams{Name: "book", Arguments: json.RawMessage(`{"who":"alice"}`)})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	s.listening <- write
	raw, err := c.Call(t.Context(), client.CallParams{Name: "book", Arguments: json.RawMessage(`{"who":"bob"}`)})
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "Which city")
	assert.Contains(t, string(raw), "-32603")
}

// Without WithElicitation, an older server is told that nobody can be asked.
func TestClient_DeclaresElicitationOnlyIfItIsPassedOn(t *testing.T) {
	t.Parallel()
	for _, passes := range []bool{true, false} {
		s := newAsker(false)
		var opts []client.Option
		if passes {
			opts = []client.Option{client.WithElicitation()}
		}
		c := client.New(askerOverHTTP(t, s), opts...)
		t.Cleanup(func() { assert.NoError(t, c.Close()) })
		_, err := c.ListTools(t.Context())
		require.NoError(t, err)
		assert.Equal(t, passes, s.declared.Load())
	}
}

// Successive questions are rounds of one call. If the person declines, that is
// the answer that the server gets.
func TestRounds_PassOnADecline(t *testing.T) {
	t.Parallel()
	a := connect(t, travels["the stream of the call"](t), "2026-07-28", 1,
		func() agent.Answer { return agent.Answer{Action: agent.Decline} })
	text, err := agent.Call[string](t.Context(), a, "book", nil)
	require.NoError(t, err)
	assert.Contains(t, text, `decline`)
}

// reports collects a call's progress reports.
type reports struct {
	mu  sync.Mutex
	all []string
}

func (r *reports) add(done, total float64, note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, fmt.Sprint(done, "/", total, " ", note))
}

func (r *reports) assertWhole(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	assert.Equal(t, []string{"1/4 step 1", "2/4 step 2", "3/4 step 3", "4/4 step 4"}, r.all)
}

func TestCall_PassesProgressOnAndLeavesOutLinksThatLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		behind, got := newAsker(false), &reports{}
		behind.arrived = make(chan struct{}, 4)
		c := serve(t, askerOverHTTP(t, behind), version, 0)
		_, err := c.ListTools(t.Context())
		require.NoError(t, err)
		raw, err := c.Call(t.Context(), client.CallParams{Name: "work", Arguments: json.RawMessage(`{}`),
			Progress: func(done, total float64, note string) {
				got.add(done, total, note)
				behind.arrived <- struct{}{}
			}})
		require.NoError(t, err)
		got.assertWhole(t)

		var result struct {
			Content []struct{ Type, URI, Text string }
		}
		require.NoError(t, json.Unmarshal(raw, &result))
		var links []string
		for _, item := range result.Content {
			if item.Type == "resource_link" {
				links = append(links, item.URI)
			}
		}
		assert.Equal(t, []string{"https://example.com/a"}, links, "clients read it without the gateway")
		assert.Contains(t, string(raw), "cannot be read through this gateway: 3.")
	}
}

// A server may report faster than a client reads. The gateway itself drops
// nothing, and asks a server for reports only if the caller wants them.
func TestCall_PassesOnReportsThatFollowOneAnotherAtOnce(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"stdio", "the stream of the call"} {
		for _, wants := range []bool{true, false} {
			k := newKit(t, map[string]*server{"travel": {client: client.New(travels[name](t))}}, gateway.Options{})
			k.refresh()
			got := &reports{}
			request := adapter.Request{Arguments: json.RawMessage(`{}`), Progress: got.add}
			if wants {
				request.Meta = map[string]any{"progressToken": "token of the caller"}
			}
			table := k.table.Load()
			_, err := table.Call(context.WithoutCancel(t.Context()), table.Entry("work"), request)
			require.NoError(t, err)
			if wants {
				got.assertWhole(t)
			} else {
				assert.Empty(t, got.all)
			}
		}
	}
}

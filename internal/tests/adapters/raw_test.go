package adapters_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// A raw is an adapter without an SDK: JSON-RPC over lines and over HTTP. It
// shows how an adapter uses an [adapter.Table].
type raw struct {
	contracts
	Settings
}

// contracts has the methods of an [adapter.Table] that raw uses.
type contracts interface {
	Entries() []*adapter.Entry
	Entry(name string) *adapter.Entry
	Lists(ctx context.Context) func(*adapter.Entry) bool
	Varies() bool
	SealCursor(cursor string) string
	OpenCursor(sealed string) (string, bool)
	Call(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error)
	Unknown(ctx context.Context, name string)
	Unparsable(ctx context.Context)
}

type rpc struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

var errParams = &rpcError{-32602, "invalid parameters"}

// A peer is one client: a stream, or one request over HTTP.
type peer struct {
	send         func(m rpc, mayDrop bool)
	asks         bool // the client can be asked within a call
	capabilities atomic.Pointer[adapter.Capabilities]
	waiting      sync.Map // of questions, by id: chan json.RawMessage
	running      sync.Map // of calls, by id: context.CancelFunc
	questions    atomic.Int64
}

const modern = "2026-07-28"

// answer answers one request. A notification gets no answer.
func (s *raw) answer(ctx context.Context, p *peer, m rpc) {
	ctx, cancel := context.WithCancel(ctx)
	p.running.Store(string(m.ID), cancel)
	defer p.running.Delete(string(m.ID))
	defer cancel()
	response := rpc{Version: "2.0", ID: m.ID}
	result, err := s.result(ctx, p, m)
	if err == nil {
		response.Result, err = json.Marshal(result)
	}
	if err != nil {
		response.Result, response.Error = nil, &rpcError{-32603, err.Error()}
		errors.As(err, &response.Error)
	}
	p.send(response, false)
}

func (s *raw) result(ctx context.Context, p *peer, m rpc) (any, error) {
	switch m.Method {
	case "initialize":
		var params struct{ Capabilities adapter.Capabilities }
		if json.Unmarshal(m.Params, &params) != nil {
			return nil, errParams
		}
		p.capabilities.Store(&params.Capabilities)
		return map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": s.Server, "version": s.Version}}, nil
	case "tools/list":
		return s.list(ctx, m.Params)
	case "tools/call":
		return s.call(ctx, p, m.Params)
	default:
		return nil, &rpcError{-32601, "method not found"}
	}
}

// list returns the tools that follow the one named by the cursor.
func (s *raw) list(ctx context.Context, raw json.RawMessage) (any, error) {
	var params struct{ Cursor string }
	after := ""
	if json.Unmarshal(raw, &params) != nil {
		return nil, errParams
	}
	if params.Cursor != "" {
		opened, ok := s.OpenCursor(params.Cursor)
		if !ok {
			return nil, errParams
		}
		after = opened
	}
	isListed, tools, next := s.Lists(ctx), []adapter.Definition{}, ""
	for _, e := range s.Entries() {
		if !isListed(e) || e.Name() <= after {
			continue
		}
		if s.PageSize > 0 && len(tools) == s.PageSize {
			next = s.SealCursor(tools[len(tools)-1].Name)
			break
		}
		tools = append(tools, e.Definition())
	}
	result := map[string]any{"tools": tools}
	if next != "" {
		result["nextCursor"] = next
	}
	if s.Varies() {
		result["ttlMs"], result["cacheScope"] = 0, "private"
	}
	return result, nil
}

func (s *raw) call(ctx context.Context, p *peer, raw json.RawMessage) (any, error) {
	var params struct {
		Name           string                     `json:"name"`
		Arguments      json.RawMessage            `json:"arguments"`
		Meta           map[string]any             `json:"_meta"`
		Task           json.RawMessage            `json:"task"`
		InputResponses map[string]json.RawMessage `json:"inputResponses"`
		RequestState   string                     `json:"requestState"`
	}
	if json.Unmarshal(raw, &params) != nil {
		s.Unparsable(ctx)
		return nil, errParams
	}
	unknown := &rpcError{-32602, fmt.Sprintf("unknown tool %q", params.Name)}
	e := s.Entry(params.Name)
	if e == nil {
		s.Unknown(ctx, params.Name)
		return nil, unknown
	}
	answer, err := s.Call(ctx, e, adapter.Request{
		Arguments: params.Arguments, Meta: params.Meta, Task: params.Task != nil, Isolate: true,
		Client: p.client(params.Meta, params.RequestState, params.InputResponses),
		Progress: adapter.Progress(params.Meta["progressToken"], func(progress map[string]any) {
			if raw, err := json.Marshal(progress); err == nil {
				p.send(rpc{Version: "2.0", Method: adapter.MethodProgress, Params: raw}, true)
			}
		}),
	})
	if errors.Is(err, guard.ErrUnknownTool) {
		return nil, unknown
	}
	return answer, err
}

// client returns what the client can do, according to its request or to
// initialize.
func (p *peer) client(meta map[string]any, state string, answers map[string]json.RawMessage) adapter.Client {
	c := adapter.Client{State: state, Answers: answers, Modern: meta["io.modelcontextprotocol/protocolVersion"] == modern}
	if declared := p.capabilities.Load(); c.Modern {
		raw, _ := json.Marshal(meta["io.modelcontextprotocol/clientCapabilities"]) //nolint:errchkjson // it was read from JSON
		_ = json.Unmarshal(raw, &c.Capabilities)                                   // what can't be read isn't declared
	} else if declared != nil && p.asks {
		c.Capabilities, c.Ask, c.Session = *declared, p.ask, "stream"
	}
	return c
}

// ask sends a question and waits for its answer.
func (p *peer) ask(ctx context.Context, e adapter.Elicitation) (json.RawMessage, error) {
	params, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	id, answer := fmt.Sprint(p.questions.Add(1)), make(chan json.RawMessage, 1)
	p.waiting.Store(id, answer)
	defer p.waiting.Delete(id)
	p.send(rpc{Version: "2.0", ID: json.RawMessage(id), Method: "elicitation/create", Params: params}, false)
	select {
	case response := <-answer:
		return response, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// sender returns a function that queues messages for a single writer, so that a
// client that doesn't read blocks no handler, and a function that writes what
// is queued and then ends. Later messages are dropped: the guard can give up on
// a question that is still being sent.
func sender(write func(message []byte)) (send func(m rpc, mayDrop bool), end func()) {
	queue, ending, ended := make(chan []byte, 100), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case message := <-queue:
				write(message)
			case <-ending:
				for len(queue) > 0 {
					write(<-queue)
				}
				return
			}
		}
	}()
	send = func(m rpc, mayDrop bool) {
		message, _ := json.Marshal(m) //nolint:errchkjson // of raw messages
		select {
		case queue <- message:
		default:
			if !mayDrop {
				select {
				case queue <- message:
				case <-ended:
				}
			}
		}
	}
	return send, func() { close(ending); <-ended }
}

// serveStream serves one client until its input ends.
func (s *raw) serveStream(in io.Reader, out io.Writer) {
	send, end := sender(func(message []byte) { _, _ = out.Write(append(message, '\n')) }) // a client that is gone reads nothing
	p := &peer{asks: true, send: send}
	ctx := adapter.WithCaller(context.Background(), adapter.Caller{Local: true})
	var calls sync.WaitGroup
	for input := bufio.NewReader(in); ; {
		line, err := input.ReadBytes('\n')
		if err != nil {
			break
		}
		var m rpc
		var cancelled struct{ RequestID json.RawMessage }
		switch {
		case json.Unmarshal(line, &m) != nil:
			send(rpc{Version: "2.0", ID: json.RawMessage("null"), Error: &rpcError{-32700, "not JSON"}}, false)
		case m.Method == "notifications/cancelled" && json.Unmarshal(m.Params, &cancelled) == nil:
			if cancel, ok := p.running.Load(string(cancelled.RequestID)); ok {
				cancel.(context.CancelFunc)()
			}
		case m.Method != "" && m.ID != nil:
			calls.Go(func() { s.answer(ctx, p, m) })
		case m.Method == "":
			if answer, ok := p.waiting.Load(string(m.ID)); ok {
				answer.(chan json.RawMessage) <- m.Result
			}
		}
	}
	_ = s.Guard.Close(context.Background()) // waits for the calls, at most as long as guard.Times.Drain allows
	calls.Wait()
	end()
}

// ServeHTTP implements [http.Handler].
//
// It answers one message with an event stream, without sessions.
func (s *raw) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m rpc
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 8<<20))
	if err != nil || json.Unmarshal(body, &m) != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send, end := sender(func(message []byte) {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", message)
		_ = http.NewResponseController(w).Flush() // a client that is gone reads nothing
	})
	defer end()
	s.answer(adapter.WithCaller(r.Context(), adapter.Caller{Header: r.Header}), &peer{send: send}, m)
}

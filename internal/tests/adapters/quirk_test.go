package adapters_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// A quirk breaks the adapter without an SDK in one way. Nil parts break
// nothing.
type quirk struct {
	// settings changes what is served.
	settings func(*Settings)
	// table replaces the table.
	table func(contracts) contracts
	// call replaces [adapter.Table.Call].
	call func(callFunc) callFunc
	// in changes a client's message. m is nil if the message isn't JSON.
	in func(m map[string]any, raw string) string
	// out changes a server's message. If it returns false, the message is lost.
	out func(m map[string]any) bool
	// bearer replaces the principal function.
	bearer func(verifyFunc) guard.PrincipalFunc
	// conn replaces the connection of a stream.
	conn func(Settings, io.ReadWriteCloser) io.ReadWriteCloser
	// web serves over HTTP in place of a stream.
	web bool
	// patience is how long the suite waits for a message. Zero means its
	// default, in a bubble.
	patience time.Duration
}

type (
	callFunc   func(context.Context, *adapter.Entry, adapter.Request) (*adapter.CallResult, error)
	verifyFunc = func(context.Context, string) (guard.Principal, error)
)

// calls is a table with another Call.
type calls struct {
	contracts
	call callFunc
}

func (c calls) Call(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
	return c.call(ctx, e, r)
}

// server returns an adapter with the quirk.
func (q quirk) server(s Settings) (*raw, error) {
	if q.settings != nil {
		q.settings(&s)
	}
	r, err := newRaw(s)
	if err != nil {
		return nil, err
	}
	if q.table != nil {
		r.contracts = q.table(r.contracts)
	}
	if q.call != nil {
		r.contracts = calls{r.contracts, q.call(r.contracts.Call)}
	}
	return r, nil
}

// harness returns a harness of the adapter with the quirk.
func (q quirk) harness() Harness {
	h := harness()
	if q.web {
		h.Stream, h.HTTP = nil, q.serveHTTP
	} else {
		h.Stream, h.HTTP = q.serveStream, nil
	}
	if q.bearer != nil {
		h.Bearer = q.bearer
	}
	return h
}

func (q quirk) serveStream(s Settings) (io.ReadWriteCloser, error) {
	r, err := q.server(s)
	if err != nil {
		return nil, err
	}
	conn := connect(func(in io.Reader, out io.Writer) { r.serveStream(in, writer{q, out, "", "\n"}) })
	if q.conn != nil {
		conn = q.conn(s, conn)
	}
	if q.in != nil {
		conn = sending{conn, q}
	}
	return conn, nil
}

func (q quirk) serveHTTP(s Settings) (http.Handler, error) {
	r, err := q.server(s)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if body, err := io.ReadAll(req.Body); err == nil {
			req.Body = io.NopCloser(strings.NewReader(q.sent(string(body))))
		}
		r.ServeHTTP(response{w, writer{q, w, "data: ", "\n\n"}}, req)
	}), nil
}

// end, sent in place of a message, ends the input.
const end = "\x04"

// decoded parses a message without rounding numbers.
func decoded(raw string) (m map[string]any, err error) {
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&m)
	return m, err
}

// sent returns a client's message as the adapter gets it.
func (q quirk) sent(raw string) string {
	if q.in == nil {
		return raw
	}
	m, _ := decoded(raw) // nil if it isn't JSON
	return q.in(m, raw)
}

// sending changes what a client sends on a stream, one message per Write.
type sending struct {
	io.ReadWriteCloser
	quirk
}

func (s sending) Write(b []byte) (int, error) {
	if text := s.sent(string(b)); text == end {
		return len(b), s.ReadWriteCloser.(*pipes).CloseWrite()
	} else if text != "" {
		if _, err := io.WriteString(s.ReadWriteCloser, strings.TrimSuffix(text, "\n")+"\n"); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// CloseWrite ends the input of the server.
func (s sending) CloseWrite() error { return s.ReadWriteCloser.(*pipes).CloseWrite() }

// A writer changes the server's messages, one per Write.
type writer struct {
	quirk
	io.Writer
	before, after string
}

func (w writer) Write(b []byte) (int, error) {
	if w.out == nil {
		return w.Writer.Write(b)
	}
	m, err := decoded(strings.TrimPrefix(string(b), w.before))
	if err != nil {
		return w.Writer.Write(b)
	}
	if !w.out(m) {
		return len(b), nil
	}
	var changed bytes.Buffer
	changed.WriteString(w.before)
	raw, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	changed.Write(raw)
	changed.WriteString(w.after)
	if _, err := w.Writer.Write(changed.Bytes()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// A response changes the server's messages over HTTP.
type response struct {
	http.ResponseWriter
	writer
}

func (r response) Write(b []byte) (int, error) { return r.writer.Write(b) }

// Unwrap is for [http.ResponseController].
func (r response) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// at returns the member at a path, or nil if it isn't an object.
func at(m map[string]any, path ...string) map[string]any {
	for _, name := range path {
		m, _ = m[name].(map[string]any)
	}
	return m
}

const outcomeKey = "io.github.toolcontract/outcome"

// onResult returns a change to tools/call results and their outcomes.
func onResult(change func(result, outcome map[string]any)) func(map[string]any) bool {
	return func(m map[string]any) bool {
		if outcome := at(m, "result", "_meta", outcomeKey); outcome != nil {
			change(at(m, "result"), outcome)
		}
		return true
	}
}

// onTools returns a change to the tools of a list.
func onTools(change func(tools []any) any) func(map[string]any) bool {
	return func(m map[string]any) bool {
		if tools, ok := at(m, "result")["tools"].([]any); ok {
			at(m, "result")["tools"] = change(tools)
		}
		return true
	}
}

// onTool returns a change to each tool of a list.
func onTool(change func(tool map[string]any)) func(map[string]any) bool {
	return onTools(func(tools []any) any {
		for _, t := range tools {
			change(t.(map[string]any))
		}
		return tools
	})
}

// onQuestion returns a change to questions, in both versions.
func onQuestion(change func(params map[string]any)) func(map[string]any) bool {
	return func(m map[string]any) bool {
		if m["method"] == "elicitation/create" {
			change(at(m, "params"))
		}
		for _, r := range at(m, "result", "inputRequests") {
			change(at(r.(map[string]any), "params"))
		}
		return true
	}
}

// onRequest returns a change to tools/call requests.
func onRequest(change func(*adapter.Request)) func(callFunc) callFunc {
	return func(next callFunc) callFunc {
		return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
			change(&r)
			return next(ctx, e, r)
		}
	}
}

// onArguments returns a change to arguments that are an object. If change
// returns false, they stay as sent.
func onArguments(change func(map[string]any) bool) func(callFunc) callFunc {
	return onRequest(func(r *adapter.Request) {
		var m map[string]any
		if json.Unmarshal(r.Arguments, &m) == nil && change(m) {
			r.Arguments, _ = json.Marshal(m)
		}
	})
}

// without returns a change that drops an argument.
func without(name string) func(map[string]any) bool {
	return func(m map[string]any) bool {
		_, found := m[name]
		delete(m, name)
		return found
	}
}

// onResponses returns a change to a person's answers, in both versions.
func onResponses(change func(response map[string]any)) func(callFunc) callFunc {
	changed := func(raw json.RawMessage) json.RawMessage {
		var m map[string]any
		if json.Unmarshal(raw, &m) != nil || m == nil {
			return raw
		}
		change(m)
		raw, _ = json.Marshal(m) //nolint:errchkjson // it was read from JSON
		return raw
	}
	return onRequest(func(r *adapter.Request) {
		for key, response := range r.Client.Answers {
			r.Client.Answers[key] = changed(response)
		}
		if ask := r.Client.Ask; ask != nil {
			r.Client.Ask = func(ctx context.Context, e adapter.Elicitation) (json.RawMessage, error) {
				response, err := ask(ctx, e)
				return changed(response), err
			}
		}
	})
}

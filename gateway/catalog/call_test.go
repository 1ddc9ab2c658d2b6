package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
)

// web serves a server over HTTP.
func web(t *testing.T, serve http.HandlerFunc) client.HTTP {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	return client.HTTP{URL: s.URL}
}

func newClient(t *testing.T, transport client.Transport, opts ...client.Option) *client.Client {
	t.Helper()
	c := client.New(transport, opts...)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// modern serves protocol version 2026-07-28 over HTTP and answers each call
// with a result. The parameters of the calls are sent to seen.
func modern(t *testing.T, result string, seen chan<- map[string]any) client.HTTP {
	t.Helper()
	return web(t, func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params map[string]any
		}
		if !assert.NoError(t, json.NewDecoder(r.Body).Decode(&m)) {
			return
		}
		assert.Equal(t, "2026-07-28", r.Header.Get("Mcp-Protocol-Version"))
		assert.Equal(t, m.Method, r.Header.Get("Mcp-Method"))
		answered := `{"supportedVersions":["2026-07-28"],"capabilities":{}}`
		if m.Method == "tools/call" {
			assert.Equal(t, "a", r.Header.Get("Mcp-Name"))
			answered = result
			seen <- m.Params
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answered)
	})
}

func TestHandler_ReadsResults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		result string
		want   adapter.HandlerResult
		unread bool
	}{
		"text and structured content": {
			`{"content":[{"type":"text","text":"t"}],"structuredContent":{"n":9007199254740993},"_meta":{"k":1}}`,
			adapter.HandlerResult{Content: []contract.Content{contract.TextContent{Text: "t"}},
				Structured: json.RawMessage(`{"n":9007199254740993}`), Meta: map[string]any{"k": 1.0}}, false,
		},
		"an error": {`{"content":[{"type":"text","text":"t"}],"isError":true}`,
			adapter.HandlerResult{Content: []contract.Content{contract.TextContent{Text: "t"}}, IsError: true}, false},
		"an image": {`{"content":[{"type":"image","data":"AQ==","mimeType":"image/png"}]}`,
			adapter.HandlerResult{Content: []contract.Content{contract.ImageContent{Data: []byte{1}, MIMEType: "image/png"}}}, false},
		"no structured content": {`{"content":[],"structuredContent":null}`, adapter.HandlerResult{}, false},
		"a question": {`{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create"}},` +
			`"requestState":"s"}`, adapter.HandlerResult{Requests: json.RawMessage(`{"q":{"method":"elicitation/create"}}`), State: "s"},
			false},
		"an unknown kind of item": {`{"content":[{"type":"hologram"}]}`, adapter.HandlerResult{}, true},
		"an item of another form": {`{"content":[7]}`, adapter.HandlerResult{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := make(chan map[string]any, 1)
			r, err := catalog.HandlerOf(newClient(t, modern(t, test.result, seen)), "a")(t.Context(),
				adapter.HandlerCall{Arguments: json.RawMessage(`{}`)})
			require.NoError(t, err)
			assert.Equal(t, test.unread, r.Unread != nil)
			r.Unread = nil
			assert.Equal(t, test.want, *r)
		})
	}
	_, err := catalog.HandlerOf(newClient(t, modern(t, `[]`, make(chan map[string]any, 1))), "a")(t.Context(), adapter.HandlerCall{})
	assert.Error(t, err)
}

func TestHandler_SendsTheAnswersAndTheTraceButNoOtherMetadata(t *testing.T) {
	t.Parallel()
	seen := make(chan map[string]any, 1)
	c := newClient(t, modern(t, `{"content":[]}`, seen), client.WithElicitation())
	_, err := catalog.HandlerOf(c, "a")(t.Context(), adapter.HandlerCall{
		Arguments: json.RawMessage(`{"x":1}`), State: "s",
		Responses: map[string]json.RawMessage{"q": json.RawMessage(`{"action":"accept"}`)},
		Meta: map[string]any{
			"traceparent": "00-a", "secret": "of the caller", "io.modelcontextprotocol/protocolVersion": "1999-01-01",
			contract.MetaKeyIdempotencyKey: "of the caller",
		},
	})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"name": "a", "arguments": map[string]any{"x": 1.0}, "requestState": "s",
		"inputResponses": map[string]any{"q": map[string]any{"action": "accept"}},
		"_meta": map[string]any{
			"traceparent": "00-a", "io.modelcontextprotocol/protocolVersion": "2026-07-28",
			"io.modelcontextprotocol/clientInfo": map[string]any{"name": "toolcontract", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{"form": map[string]any{},
				"url": map[string]any{}}},
		},
	}, <-seen)
}

func TestHandler_ReportsACallWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer     func(w http.ResponseWriter, id json.RawMessage)
		unanswered bool
	}{
		"the server ends the connection": {func(http.ResponseWriter, json.RawMessage) { panic(http.ErrAbortHandler) }, true},
		"a gateway timeout": {func(w http.ResponseWriter, _ json.RawMessage) { w.WriteHeader(http.StatusGatewayTimeout) },
			true},
		"an error of the server": {func(w http.ResponseWriter, id json.RawMessage) {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"failed"}}`, id)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := web(t, func(w http.ResponseWriter, r *http.Request) {
				var m struct {
					ID     json.RawMessage
					Method string
				}
				_ = json.NewDecoder(r.Body).Decode(&m)
				w.Header().Set("Content-Type", "application/json")
				if m.Method == "tools/call" {
					test.answer(w, m.ID)
					return
				}
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"]}}`, m.ID)
			})
			_, err := catalog.HandlerOf(newClient(t, h), "a")(t.Context(), adapter.HandlerCall{Arguments: json.RawMessage(`{}`)})
			require.Error(t, err)
			_, unanswered := errors.AsType[*catalog.UnansweredError](err)
			assert.Equal(t, test.unanswered, unanswered)
			assert.NotErrorIs(t, err, catalog.ErrUnavailable)
		})
	}
}

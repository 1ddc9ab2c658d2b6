package sdktest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// An Era is a generation of the protocol.
type Era string

// The newest version of each generation.
const (
	Legacy Era = "2025-11-25"
	Modern Era = "2026-07-28"
)

// EachEra runs a test for each generation.
func EachEra(t *testing.T, f func(*testing.T, Era)) {
	t.Helper()
	for _, e := range []Era{Legacy, Modern} {
		t.Run(string(e), func(t *testing.T) { f(t, e) })
	}
}

// modernMeta returns the _meta of a request in the modern era.
func modernMeta() map[string]any {
	return map[string]any{
		"io.modelcontextprotocol/protocolVersion":    string(Modern),
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
}

// Message returns a request as a client of the era would write it. params is
// JSON.
func Message(t *testing.T, e Era, id int, method, params string) []byte {
	t.Helper()
	var p map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(params), &p))
	if e == Modern {
		meta := map[string]any{}
		if raw, ok := p["_meta"]; ok {
			require.NoError(t, json.Unmarshal(raw, &meta))
		}
		maps.Copy(meta, modernMeta())
		raw, err := json.Marshal(meta)
		require.NoError(t, err)
		p["_meta"] = raw
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": p})
	require.NoError(t, err)
	return raw
}

// Call returns a tools/call of the older era. arguments is JSON.
func Call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// An HTTPAnswer is a response received over HTTP.
type HTTPAnswer struct {
	Status int
	Header http.Header
	Body   string
}

// Post posts one message as a client of the era would. headers alternates names
// and values.
func Post(t *testing.T, url string, e Era, token, method, name string, body []byte, headers ...string) HTTPAnswer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(string(body)))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method != "initialize" {
		req.Header.Set("Mcp-Protocol-Version", string(e))
	}
	if e == Modern {
		req.Header.Set("Mcp-Method", method)
		if name != "" {
			req.Header.Set("Mcp-Name", name)
		}
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return HTTPAnswer{resp.StatusCode, resp.Header, string(answer)}
}

// A Response is the part of a JSON-RPC response that tests read.
type Response struct {
	ID     any `json:"id"`
	Result *struct {
		Content           []struct{ Text string }    `json:"content"`
		StructuredContent json.RawMessage            `json:"structuredContent"`
		IsError           bool                       `json:"isError"`
		Meta              map[string]json.RawMessage `json:"_meta"`
		Tools             []json.RawMessage          `json:"tools"`
		NextCursor        string                     `json:"nextCursor"`
		CacheScope        string                     `json:"cacheScope"`
		TTLMs             *int64                     `json:"ttlMs"`
		ResultType        string                     `json:"resultType"`
		InputRequests     map[string]json.RawMessage `json:"inputRequests"`
		RequestState      string                     `json:"requestState"`
	} `json:"result"`
	Error *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// Parse reads a response.
func Parse(t *testing.T, raw string) Response {
	t.Helper()
	var a Response
	Unmarshal(t, raw, &a)
	return a
}

// Unmarshal decodes JSON from a server.
func Unmarshal(t *testing.T, raw string, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(raw), into), "answer: %s", raw)
}

// Outcome returns the outcome in a tool's result on the wire.
func Outcome(t *testing.T, raw string) contract.Outcome {
	t.Helper()
	a := Parse(t, raw)
	require.NotNil(t, a.Result, "no result: %s", raw)
	var o contract.Outcome
	require.NoError(t, json.Unmarshal(a.Result.Meta[contract.MetaKeyOutcome], &o), "answer: %s", raw)
	require.Equal(t, o.Status == contract.StatusError, a.Result.IsError)
	return o
}

// AssertRefused asserts that a tool's result on the wire is an error with the
// given code.
func AssertRefused(t *testing.T, raw, code string) {
	t.Helper()
	o := Outcome(t, raw)
	assert.Equal(t, contract.StatusError, o.Status)
	assert.Equal(t, code, o.Code)
	assert.Empty(t, Parse(t, raw).Result.StructuredContent)
}

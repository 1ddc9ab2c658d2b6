package keys_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/gateway/keys"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

const (
	listRequest = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	callRequest = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail_send","arguments":{}}}`

	listAnswer = `{"jsonrpc":"2.0","id":1,"result":{"tools":[` +
		`{"annotations":{"title":"Send","readOnlyHint":true,"openWorldHint":true},"inputSchema":{"type":"object"},` +
		`"name":"mail_send"},` +
		`{"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"},"name":"plain"}]}}`
	listWithKeys = `{"jsonrpc":"2.0","id":1,"result":{"tools":[` +
		`{"annotations":{"title":"Send","openWorldHint":true,` + sendKeys + `},"inputSchema":{"type":"object"},"name":"mail_send"},` +
		`{"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"},"name":"plain"}]}}`
	sendKeys = `"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"risk_level":"external-publication",` +
		`"content_trust_risk":"trusted","version":"2.1.0"`
)

// keysOf knows one tool.
func keysOf(tool string) (keys.Keys, bool) {
	return keys.Keys{RiskLevel: risk.ExternalPublication, ContentTrustRisk: trust.Trusted, Version: "2.1.0"},
		tool == "mail_send"
}

// chunks returns text in parts of a size. Zero means one part.
func chunks(text string, size int) [][]byte {
	if size <= 0 || text == "" {
		return [][]byte{[]byte(text)}
	}
	return slices.Collect(slices.Chunk([]byte(text), size))
}

// An endpoint reads a request and answers it with fixed text.
type endpoint struct {
	header map[string]string
	status int // zero: 200
	answer string
	chunk  int // bytes of one write; zero: all
	flush  bool
}

func (e endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	for name, value := range e.header {
		w.Header().Set(name, value)
	}
	if e.status != 0 {
		w.WriteHeader(e.status)
	}
	for _, part := range chunks(e.answer, e.chunk) {
		_, _ = w.Write(part)
		if e.flush {
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// over sends a request to an endpoint behind the handler.
func (e endpoint) over(request string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	keys.Handler(e, keysOf).ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(request)))
	return recorder
}

func asJSON() map[string]string   { return map[string]string{"Content-Type": "application/json"} }
func asEvents() map[string]string { return map[string]string{"Content-Type": "text/event-stream"} }

// event returns a message as an event.
func event(message string) string { return "event: message\ndata: " + message + "\n\n" }

// overStdio passes requests to a server and then its answers back, in chunks of
// sizes.
func overStdio(t testing.TB, requests, answers string, in, out int) string {
	t.Helper()
	var sent bytes.Buffer
	r, w := keys.Stdio(&chunked{parts: chunks(requests, in)}, &sent, keysOf)
	read, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, requests, string(read))
	for _, part := range chunks(answers, out) {
		n, err := w.Write(part)
		require.NoError(t, err)
		require.Equal(t, len(part), n)
	}
	require.NoError(t, w.Close())
	return sent.String()
}

// A chunked reader returns one part at a time.
type chunked struct{ parts [][]byte }

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.parts[0])
	if c.parts[0] = c.parts[0][n:]; len(c.parts[0]) == 0 {
		c.parts = c.parts[1:]
	}
	return n, nil
}

// withoutAnnotations returns a JSON message without the annotations of listed
// tools, and whether the text is JSON.
func withoutAnnotations(text string) (any, bool) {
	var message any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&message) != nil {
		return nil, false
	}
	batch, ok := message.([]any)
	if !ok {
		batch = []any{message}
	}
	for _, m := range batch {
		object, _ := m.(map[string]any)
		result, _ := object["result"].(map[string]any)
		tools, _ := result["tools"].([]any)
		for _, tool := range tools {
			if tool, ok := tool.(map[string]any); ok {
				delete(tool, "annotations")
			}
		}
	}
	return message, true
}

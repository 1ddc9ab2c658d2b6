package drive

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// A RawCall is one tools/call, and what Protect changes about its answer.
type RawCall struct {
	Tool, Arguments string
	// Code is the code of the outcome. Masked means that the answer is the guard's
	// own, because the handler returned a Go error.
	Code   string
	Masked bool
}

// Compare lists the tools of two servers and calls them over HTTP. The second
// server is protected. Both must answer with the same bytes, except for the
// outcome and the answers that are masked.
func Compare(t *testing.T, bare, protected http.Handler, calls ...RawCall) {
	t.Helper()
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	for i, c := range calls {
		require.Equal(t, post(t, bare, list), post(t, protected, list), "before call %d", i)
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.Tool,
			c.Arguments)
		want, _ := split(t, post(t, bare, message))
		got, o := split(t, post(t, protected, message))
		require.NotNil(t, o, "%s has no outcome: %v", c.Tool, got)
		assert.Equal(t, c.Code, o.Code, "%s %s: %v", c.Tool, c.Arguments, got)
		if c.Masked {
			assert.NotEqual(t, want, got, c.Tool)
			continue
		}
		assert.Equal(t, want, got, "%s %s", c.Tool, c.Arguments)
	}
}

func post(t *testing.T, h http.Handler, message string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	return w.Body.String()
}

// split returns an answer without the outcome in its _meta, and the outcome.
func split(t *testing.T, raw string) (answer map[string]any, o *contract.Outcome) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(raw), &answer), raw)
	result, _ := answer["result"].(map[string]any)
	meta, _ := result["_meta"].(map[string]any)
	if written, ok := meta[contract.MetaKeyOutcome]; ok {
		outcome, err := json.Marshal(written)
		require.NoError(t, err)
		o = &contract.Outcome{}
		require.NoError(t, json.Unmarshal(outcome, o))
		if delete(meta, contract.MetaKeyOutcome); len(meta) == 0 {
			delete(result, "_meta")
		}
	}
	return answer, o
}

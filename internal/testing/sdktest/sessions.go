package sdktest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// PostIn sends a message of the legacy era to an endpoint, in the given session
// unless it is empty. It returns the status and the session ID.
func PostIn(t *testing.T, h http.Handler, session, message string) (status int, id string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	_, err := io.Copy(io.Discard, w.Body)
	require.NoError(t, err)
	return w.Code, w.Header().Get("Mcp-Session-Id")
}

// Opening returns an initialize request from a client that declares
// capabilities.
func Opening(capabilities, name string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":%s,"clientInfo":{"name":%q,"version":"1"}}}`, capabilities, name)
}

// Listing is a tools/list request.
const Listing = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`

// OpenSessions opens sessions that no client closes, and checks that the
// endpoint keeps the newest but not the oldest, in bounded memory. By default
// it opens a few sessions that declare a lot. If TOOLCONTRACT_SUITES is 1, it
// opens 100,000, which takes a minute.
func OpenSessions(t *testing.T, h http.Handler) {
	t.Helper()
	const bound = 400 << 20
	count := 80
	opening := Opening(`{"experimental":{`+strings.Repeat(`"a":{},`, 9000)+`"a":{}}}`, "test")
	if os.Getenv("TOOLCONTRACT_SUITES") == "1" {
		count = 100_000
		opening = Opening(`{}`, strings.Repeat("x", 1000))
	}
	before := heap()
	status, first := PostIn(t, h, "", opening)
	require.Equal(t, http.StatusOK, status)
	status, _ = PostIn(t, h, first, Listing)
	require.Equal(t, http.StatusOK, status)
	last := ""
	for range count {
		_, last = PostIn(t, h, "", opening)
	}
	status, _ = PostIn(t, h, first, Listing)
	assert.Equal(t, http.StatusNotFound, status, "the oldest")
	status, _ = PostIn(t, h, last, Listing)
	assert.Equal(t, http.StatusOK, status, "the newest")
	grown := heap() - before
	t.Logf("%d sessions took %d MiB", count, grown>>20)
	assert.Less(t, grown, int64(bound))
	runtime.KeepAlive(h)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) //nolint:gosec // a heap is smaller
}

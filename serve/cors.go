package serve

import (
	"net/http"
	"strings"
)

// The headers that a page may send besides MCP's own, which begin with Mcp-,
// and the response headers that it may read.
var (
	sentHeaders = map[string]bool{
		"accept": true, "authorization": true, "content-type": true, "last-event-id": true, "traceparent": true, "tracestate": true,
	}
	readHeaders = strings.Join([]string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Retry-After", "WWW-Authenticate"}, ", ")
)

// preflightSeconds is how long a browser may remember the answer to a preflight.
const preflightSeconds = "600"

// cors lets the pages of Config.AllowedOrigins read every response, including
// errors and those to preflights. It wraps every other handler, because a
// browser sends no token with a preflight, and because a page must be able to
// read a challenge. No page may send cookies.
func (n names) cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if len(n.pages) > 0 {
			h.Add("Vary", "Origin")
		}
		from := r.Header.Get("Origin")
		if !n.pages[from] {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Origin", from)
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			h.Set("Access-Control-Expose-Headers", readHeaders)
			next.ServeHTTP(w, r)
			return
		}
		h.Add("Vary", "Access-Control-Request-Headers")
		h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
		h.Set("Access-Control-Allow-Headers", allowedHeaders(r.Header.Values("Access-Control-Request-Headers")))
		h.Set("Access-Control-Max-Age", preflightSeconds)
		w.WriteHeader(http.StatusNoContent)
	})
}

// allowedHeaders returns the requested headers that a page may send.
func allowedHeaders(requested []string) string {
	var allowed []string
	for name := range strings.SplitSeq(strings.ToLower(strings.Join(requested, ",")), ",") {
		name = strings.TrimSpace(name)
		if sentHeaders[name] || strings.HasPrefix(name, "mcp-") {
			allowed = append(allowed, name)
		}
	}
	return strings.Join(allowed, ", ")
}

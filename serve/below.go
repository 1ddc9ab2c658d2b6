package serve

import (
	"net/http"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/webpage"
)

// isWellKnown reports whether a path belongs at the root of the host, whatever
// the server's own path is (RFC 8615 §3).
func isWellKnown(path string) bool { return strings.HasPrefix(path+"/", "/.well-known/") }

// splitPattern splits a pattern of [http.ServeMux] into its path and what comes
// before it: possibly a method and a host.
func splitPattern(pattern string) (before, path string) {
	at := max(strings.Index(pattern, "/"), 0)
	return pattern[:at], pattern[at:]
}

// below returns a pattern moved below the server's path.
func (n names) below(pattern string) string {
	before, path := splitPattern(pattern)
	if isWellKnown(path) || path == "" {
		return pattern
	}
	return before + n.path + path
}

// withoutPath returns a handler that sees a pattern's paths without the
// server's path. The well-known paths have only one address each, at the root.
func (n names) withoutPath(pattern string, h http.Handler) http.Handler {
	if _, path := splitPattern(pattern); n.path == "" || h == nil || isWellKnown(path) {
		return h
	}
	return webpage.StripPrefix(n.path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isWellKnown(r.URL.Path) {
			http.NotFound(w, r)
			return
		}
		h.ServeHTTP(w, r)
	}))
}

// onlyBelow passes on requests for paths below the server's and for the
// well-known paths at the root, but none that could lead outside. It comes
// before the first mux, which would redirect requests to clean paths.
//
// Each page has one address. If the server also answered to a path without its
// own, or with it twice, a proxy's path rule could be evaded.
func (n names) onlyBelow(next http.Handler) http.Handler {
	if n.path == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		switch {
		case slices.Contains(strings.Split(path, "/"), ".."):
			http.NotFound(w, r)
		case isWellKnown(path), path == healthPath, path == readyPath:
			next.ServeHTTP(w, r)
		case n.stripped:
			next.ServeHTTP(w, webpage.WithPrefix(r, n.path))
		case strings.HasPrefix(path+"/", n.path+"/"):
			next.ServeHTTP(w, r)
		default:
			http.Error(w, "This server is below "+n.path+". A proxy must pass that path on, or the server must know that it does not.",
				http.StatusNotFound)
		}
	})
}

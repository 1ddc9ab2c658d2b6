package serve_test

import (
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve"
)

// below starts a server that is below /desk of its host, and returns a function
// that sends a request as the proxy does. Each handler answers its name and the
// path that it has seen.
func below(t *testing.T, strips bool) func(path string) (int, string, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s, err := serve.New(l, serve.Config{Origin: "https://mail.example.com/desk/", ProxyStrips: strips})
	require.NoError(t, err)
	assert.Equal(t, "https://mail.example.com/desk", s.Origin())
	sees := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, name+" "+r.URL.EscapedPath()+r.PathValue("id"))
		})
	}
	s.HandleTree("/approvals", sees("approvals"))
	s.Handle("GET /question/{id}", sees("question"))
	s.Handle("/files/", sees("files"))
	s.HandleTree("/", sees("rest"))
	s.HandleTree("/.well-known", sees("known"))
	start(t, s, newGuard(t, guard.WithPrincipal(guard.PrincipalFunc(identified))))
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(path string) (int, string, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String(), nil)
		require.NoError(t, err)
		r.URL.Opaque = "//" + l.Addr().String() + path // as it is
		r.Header.Set("Origin", "https://mail.example.com")
		resp, err := c.Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body), resp.Header.Get("Location")
	}
}

func TestServe_BelowAPathHandlersSeeThePathsOfTheirPatterns(t *testing.T) {
	t.Parallel()
	for strips, prefix := range map[bool]string{true: "", false: "/desk"} {
		send := below(t, strips)
		for path, want := range map[string]string{
			"/approvals": "approvals /approvals", "/approvals/style.css": "approvals /approvals/style.css",
			"/question/a%2Fb": "question /question/a%2Fba/b", "/": "rest /", "/x%20y": "rest /x%20y",
		} {
			status, body, _ := send(prefix + path)
			assert.Equal(t, http.StatusOK, status, path)
			assert.Equal(t, want, body)
		}
		for path, to := range map[string]string{"/files": "/desk/files/", "/approvals//x?a=b": "/desk/approvals/x?a=b"} {
			_, _, location := send(prefix + path)
			assert.Equal(t, to, location, path)
		}
		for path, want := range map[string]string{
			"/.well-known/x": "known /.well-known/x", "/.well-known": "known /.well-known", "/healthz": "ok\n", "/readyz": "ok\n",
		} {
			_, body, _ := send(path)
			assert.Equal(t, want, body)
		}
	}
}

// A rule of the proxy about a path would be evaded at another address of it.
func TestThreat162_BelowAPathEachPageHasOneAddress(t *testing.T) {
	t.Parallel()
	passes := below(t, false)
	for _, path := range []string{
		"/approvals", "/approvals/", "/", "/desktop/approvals", "/DESK/approvals", "//desk/approvals", "/x/../desk/approvals",
		"/desk/../approvals", "/desk/%2e%2e/approvals", "/%2e/approvals", "/desk/.well-known/x", "/desk/%2Ewell-known/x",
		"/.well-known/../desk/approvals", "/.well-known/%2e%2e/desk/approvals", "/d%65sk/approvals",
	} {
		status, body, location := passes(path)
		assert.Equal(t, http.StatusNotFound, status, "%s: %s %s", path, body, location)
	}
	_, body, _ := passes("/desk/desk/approvals")
	assert.Equal(t, "rest /desk/approvals", body, "not the page of approvals")

	removes := below(t, true) // a client sent /desk and these
	for _, path := range []string{"/../approvals", "/x/../approvals", "/%2e%2e/approvals", "/x/%2E%2E/approvals"} {
		status, body, location := removes(path)
		assert.Equal(t, http.StatusNotFound, status, "%s: %s %s", path, body, location)
	}
	_, body, _ = removes("/desk/approvals")
	assert.Equal(t, "rest /desk/approvals", body, "not the page of approvals")
	_, body, _ = removes("/x/.well-known/y")
	assert.Equal(t, "rest /x/.well-known/y", body)
}

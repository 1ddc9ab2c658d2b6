package client_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
)

// A server that redirects must not send the credentials to another one, and a
// call that it received must not look like one that it did not receive.
func TestHTTP_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	var reached bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	for name, own := range map[string]*http.Client{
		"the default":  nil,
		"the user's":   {},
		"one that may": {CheckRedirect: func(*http.Request, []*http.Request) error { return nil }},
	} {
		for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			for _, to := range []string{other.URL + "/mcp", "/new"} {
				redirecting := web(t, func(w http.ResponseWriter, r *http.Request) {
					reached = reached || r.URL.Path == "/new"
					http.Redirect(w, r, to, status)
				})
				redirecting.Client = own
				_, err := newClient(t, redirecting).ListTools(t.Context())
				require.ErrorContains(t, err, "set the URL to the address that it redirects to", "%s, %d", name, status)
				assert.False(t, reached, "%s, %d, %s", name, status, to)
			}
		}
	}
}

// The arguments and every header are secrets of the server that was called.
func TestHTTP_SendsACallOnlyToItsServer(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		t.Errorf("%s %s, X-Api-Key: %s, %s", r.Method, r.URL, r.Header.Get("X-Api-Key"), body)
	}))
	t.Cleanup(other.Close)
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect} {
		keys := make(chan string, 1)
		h := web(t, func(w http.ResponseWriter, r *http.Request) {
			m, ok := posted(w, r)
			switch {
			case !ok:
			case m.Method == "tools/call":
				keys <- r.Header.Get("X-Api-Key")
				http.Redirect(w, r, other.URL+"/mcp", status)
			default:
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprint(w, response(string(m.ID), m.Method, ""))
			}
		})
		h.Header = http.Header{"X-Api-Key": {"secret"}}
		_, err := newClient(t, h).Call(t.Context(), client.CallParams{Name: "a", Arguments: json.RawMessage(`{"password":"hunter2"}`)})
		require.Error(t, err, status)
		assert.Equal(t, "secret", <-keys)
	}
}

// The server has got the call, although nothing listens where it redirects to.
func TestHTTP_ARedirectedCallMayHaveReachedTheServer(t *testing.T) {
	t.Parallel()
	var redirecting *httptest.Server
	redirecting = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, ok := posted(w, r)
		switch {
		case !ok:
		case m.Method != "tools/call":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, response(string(m.ID), m.Method, ""))
		default:
			_ = redirecting.Listener.Close()
			w.Header().Set("Connection", "close")
			http.Redirect(w, r, "/new", http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(redirecting.Close)
	c := newClient(t, client.HTTP{URL: redirecting.URL, Client: &http.Client{}})
	_, err := c.Call(t.Context(), client.CallParams{Name: "a"})
	require.Error(t, err)
	assert.NotErrorIs(t, err, client.ErrUnsent)
}

package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/agent/client"
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

package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server that redirects to another one must not send it the credentials.
func TestHTTP_FollowsNoRedirectToAnotherOrigin(t *testing.T) {
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
			redirecting := web(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/mcp", status) })
			redirecting.Client = own
			_, err := newClient(t, redirecting).ListTools(t.Context())
			require.Error(t, err, "%s, %d", name, status)
			assert.False(t, reached, "%s, %d", name, status)
		}
	}
}

// The client of a user follows redirects within the origin.
func TestHTTP_TheClientOfAUserFollowsRedirectsWithinTheOrigin(t *testing.T) {
	t.Parallel()
	moved := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/new" {
			http.Redirect(w, r, "/new", http.StatusPermanentRedirect)
			return
		}
		m, ok := posted(w, r)
		if !ok || m.ID == nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, response(string(m.ID), m.Method, `{"tools":[{"name":"a"}]}`))
	})
	moved.Client = &http.Client{}
	list, err := newClient(t, moved).ListTools(t.Context())
	require.NoError(t, err)
	assert.Len(t, list.Tools, 1)
}

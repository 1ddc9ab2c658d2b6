package exampletest

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var signInLink = regexp.MustCompile(`href="([^"]*/sign-in[^"]*)"`)

// SignIn opens a page as a browser does, follows its link to the sign-in, signs
// in with a token, and returns the page to which the sign-in leads back. It
// fails if that is another page.
func SignIn(t *testing.T, page, token string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	visit := func(method, address string, form url.Values) (*url.URL, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		resp, err := browser.Do(r)
		require.NoError(t, err)
		defer resp.Body.Close() //nolint:errcheck // it was only read
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.Request.URL, string(body)
	}
	at, body := visit(http.MethodGet, page, nil)
	link := signInLink.FindStringSubmatch(body)
	require.NotNil(t, link, "the page has no link to a sign-in")
	to, err := at.Parse(html.UnescapeString(link[1]))
	require.NoError(t, err)
	back, body := visit(http.MethodPost, to.String(), url.Values{"token": {token}})
	require.Equal(t, page, back.String(), "the sign-in returns to the page")
	return body
}

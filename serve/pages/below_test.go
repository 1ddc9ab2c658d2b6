package pages_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/webpage"
	"github.com/toolcontract/toolcontract/serve/pages"
)

func TestSessions_CookieOfAServerBelowAPathIsOnlyForThatPath(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]http.Cookie{
		public + "/desk":              {Name: "__Secure-sign-in", Path: "/desk/", Secure: true},
		public + "/desk/":             {Name: "__Secure-sign-in", Path: "/desk/", Secure: true},
		public + "/":                  {Name: "__Host-sign-in", Path: "/", Secure: true},
		"http://127.0.0.1:8080/a/b":   {Name: "sign-in-8080", Path: "/a/b/"},
		"https://127.0.0.1:8443/desk": {Name: "__Secure-sign-in", Path: "/desk/", Secure: true},
	} {
		s, err := pages.NewSessions(at)
		require.NoError(t, err, at)
		got := start(t, s, anna)
		assert.Equal(t, []any{want.Name, want.Path, want.Secure, ""}, []any{got.Name, got.Path, got.Secure, got.Domain}, at)
		w := httptest.NewRecorder()
		s.End(w, requestWith(got))
		assert.Equal(t, want.Path, w.Result().Cookies()[0].Path, "another path would remove no cookie")
	}
}

var anyAddress = regexp.MustCompile(`(?:href|action)="([^"]+)"`)

// A page without an address learns the server's path from its requests.
func TestApprovals_WithoutAddressLinkBelowTheServersPath(t *testing.T) {
	t.Parallel()
	page, err := pages.NewApprovals(byHeader, pages.ApprovalsConfig{SignIn: "/login"})
	require.NoError(t, err)
	front := httptest.NewServer(webpage.StripPrefix("/desk", page))
	t.Cleanup(front.Close)
	assert.Empty(t, newGuardedTool(t, page).ask(lunch))
	b := newBrowser(t)
	home := front.URL + "/desk/approvals"
	stranger := b.get(home)
	assert.Contains(t, stranger.body, `href="/desk/login?return_to=%2Fdesk%2Fapprovals"`)
	list := b.get(home, "X-Person", "dave")
	question := regexp.MustCompile(`href="([^"]*/question/[^"]*)"`).FindStringSubmatch(list.body)
	require.NotNil(t, question, list.body)
	asked := b.get(front.URL+question[1], "X-Person", "dave")
	require.Equal(t, http.StatusOK, asked.status)
	decided := b.post(front.URL+question[1], form(t, asked, "yes"), "X-Person", "dave")
	assert.Equal(t, front.URL+question[1], decided.url, "the redirect leads to the question")
	for _, one := range []reply{stranger, list, asked, decided} {
		found := anyAddress.FindAllStringSubmatch(one.body, -1)
		assert.NotEmpty(t, found)
		for _, address := range found {
			assert.Regexp(t, "^/desk/", address[1])
		}
	}
}

// A page that one server's sign-in returns to never belongs to another server
// on the same host.
func TestSignInPage_ReturnsOnlyBelowThePathOfTheServer(t *testing.T) {
	t.Parallel()
	s, err := pages.NewSessions(public + "/desk")
	require.NoError(t, err)
	v := newVisitor(t, s)
	for to, want := range map[string]string{
		"/desk/approvals/question/x?y=z": "/desk/approvals/question/x?y=z", "/desk": "/desk", "/desk/": "/desk/",
		"": "/desk/approvals", "/approvals": "/desk/approvals", "/deskside": "/desk/approvals", "/desk/../x": "/desk/approvals",
		"/desk/%2e%2e/x": "/desk/approvals", "/desk/a/%2E%2E/..%2fx": "/desk/approvals", "//evil.example/desk/": "/desk/approvals",
	} {
		got := v.send(http.MethodPost, "/sign-in?"+url.Values{"return_to": {to}}.Encode(), url.Values{"token": {"123456"}})
		assert.Equal(t, http.StatusSeeOther, got.status)
		assert.Equal(t, want, got.header.Get("Location"), to)
	}
}

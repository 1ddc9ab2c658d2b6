package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/serve/pages"
)

func TestSignInPage_SignsInAndOut(t *testing.T) {
	t.Parallel()
	s := newSessions(t)
	b := newVisitor(t, s)
	shown := b.send(http.MethodGet, "/sign-in?return_to=/step-up", nil)
	assert.Equal(t, http.StatusOK, shown.status)
	assert.Contains(t, shown.body, "It was sent to you.")
	assert.Contains(t, shown.header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	for _, file := range []string{"style.css", "icon.svg"} {
		assert.Equal(t, http.StatusOK, b.send(http.MethodGet, "/sign-in/"+file, nil).status)
	}
	in := b.send(http.MethodPost, "/sign-in?return_to=/step-up%3Fid=1", url.Values{"token": {"123456"}})
	assert.Equal(t, http.StatusSeeOther, in.status)
	assert.Equal(t, "/step-up?id=1", in.header.Get("Location"))
	first := b.cookies[0]
	p, err := s.Principal(requestWith(first))
	require.NoError(t, err)
	assert.Equal(t, "anna", p.Subject)

	again := b.signIn("123456")
	assert.Equal(t, "/approvals", again.header.Get("Location"))
	_, err = s.Principal(requestWith(first))
	require.Error(t, err, "a new sign-in replaces the session of the browser")

	token, second := b.signOutToken(), b.cookies[0]
	assert.Equal(t, http.StatusForbidden, b.send(http.MethodPost, "/sign-in/out", url.Values{"form_token": {"x"}}).status)
	_, err = s.Principal(requestWith(second))
	require.NoError(t, err)
	assert.Equal(t, http.StatusSeeOther, b.send(http.MethodPost, "/sign-in/out", url.Values{"form_token": {token}}).status)
	_, err = s.Principal(requestWith(second))
	require.Error(t, err)
}

func TestSignInPage_RefusesEverybodyElse(t *testing.T) {
	t.Parallel()
	for secret, want := range map[string]int{
		"wrong": http.StatusUnauthorized, "": http.StatusUnauthorized, "agent": http.StatusUnauthorized,
		"stranger": http.StatusUnauthorized,
		"later":    http.StatusServiceUnavailable, strings.Repeat("x", 9<<10): http.StatusBadRequest,
	} {
		b := newVisitor(t, newSessions(t))
		refused := b.signIn(secret)
		assert.Equal(t, want, refused.status)
		assert.Empty(t, refused.cookies)
		assert.NotContains(t, refused.body, "secret reason")
	}
}

func TestSignInPage_RefusesFormsOfOtherSites(t *testing.T) {
	t.Parallel()
	s := newSessions(t)
	b := newVisitor(t, s)
	for _, site := range []string{"cross-site", "same-site"} {
		assert.Equal(t, http.StatusForbidden, b.signIn("123456", "Sec-Fetch-Site", site).status)
	}
	assert.Equal(t, http.StatusForbidden, b.signIn("123456", "Sec-Fetch-Site", "", "Origin", "https://evil.example").status)
	assert.Equal(t, http.StatusSeeOther, b.signIn("123456").status)

	token := b.signOutToken()
	other := newVisitor(t, s)
	other.signIn("123456")
	other.page = b.page
	assert.Equal(t, http.StatusForbidden,
		other.send(http.MethodPost, "/sign-in/out", url.Values{"form_token": {token}}).status, "the form of another session")
	_, err := s.Principal(requestWith(other.cookies...))
	require.NoError(t, err)
}

func TestSignInPage_WritesNamesAsText(t *testing.T) {
	t.Parallel()
	s := newSessions(t)
	b := newVisitor(t, s)
	person := anna
	person.Subject = "<script>al\u202eeci\u200b"
	b.cookies = []*http.Cookie{start(t, s, person)}
	shown := b.send(http.MethodGet, "/sign-in", nil)
	assert.NotContains(t, shown.body, "<script")
	assert.Contains(t, shown.body, "<strong>&lt;script&gt;aleci</strong>", "invisible characters are removed")
}

func TestSignInPage_ReportsWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newSessions(t)
	for _, path := range []string{"", "/", "sign-in", "/a/", "/a//b", "/{x}", "/a b"} {
		_, err := s.SignInPage(path, pages.SignIn{Verify: verify})
		assert.Error(t, err, path)
	}
	_, err := s.SignInPage("/sign-in", pages.SignIn{})
	assert.Error(t, err)
}

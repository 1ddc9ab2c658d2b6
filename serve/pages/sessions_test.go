package pages_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/pages"
)

func TestSessions_SignABrowserIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSessions(t)
		cookie := start(t, s, anna)
		found, err := s.Principal(requestWith(cookie))
		require.NoError(t, err)
		want := anna
		want.Human, want.AuthTime = true, time.Now()
		assert.Equal(t, want, found)

		earlier := anna
		earlier.AuthTime = time.Now().Add(-time.Hour)
		found, err = s.Principal(requestWith(start(t, s, earlier)))
		require.NoError(t, err)
		assert.Equal(t, earlier.AuthTime, found.AuthTime)

		time.Sleep(pages.Lifetime)
		_, err = s.Principal(requestWith(cookie))
		require.Error(t, err, "use does not extend a session")
	})
}

func TestSessions_RefuseForeignCookies(t *testing.T) {
	t.Parallel()
	s, other := newSessions(t), newSessions(t)
	mine := start(t, s, anna)
	foreign := start(t, other, anna)
	renamed := *mine
	renamed.Name = "sign-in"
	empty, cut := *mine, *mine
	empty.Value, cut.Value = "", mine.Value[1:]
	for name, r := range map[string]*http.Request{
		"no cookie": requestWith(), "another server's": requestWith(foreign), "another name": requestWith(&renamed),
		"empty": requestWith(&empty), "cut": requestWith(&cut),
	} {
		p, err := s.Principal(r)
		require.Error(t, err, name)
		assert.True(t, p.IsAnonymous(), name)
	}
	found, err := s.Principal(requestWith(mine))
	require.NoError(t, err)
	assert.Equal(t, "anna", found.Subject)
}

func TestSessions_CookieAttributesAreStrict(t *testing.T) {
	t.Parallel()
	secure := start(t, newSessions(t), anna)
	assert.Equal(t, "__Host-sign-in", secure.Name)
	assert.True(t, secure.Secure)
	assert.Empty(t, secure.Domain)
	local, err := pages.NewSessions("http://127.0.0.1:8080")
	require.NoError(t, err)
	plain := start(t, local, anna)
	assert.Equal(t, "sign-in-8080", plain.Name)
	assert.False(t, plain.Secure, "browsers do not send secure cookies over http")
	for _, c := range []*http.Cookie{secure, plain} {
		assert.True(t, c.HttpOnly)
		assert.Equal(t, http.SameSiteLaxMode, c.SameSite)
		assert.Equal(t, "/", c.Path)
		assert.Equal(t, 12*60*60, c.MaxAge)
		assert.GreaterOrEqual(t, len(c.Value), 26)
		assert.NotContains(t, c.Value, "anna")
	}
}

func TestSessions_EndAtOnce(t *testing.T) {
	t.Parallel()
	s := newSessions(t)
	cookie, stays := start(t, s, anna), start(t, s, anna)
	w := httptest.NewRecorder()
	s.End(w, requestWith(cookie))
	require.Len(t, w.Result().Cookies(), 1)
	assert.Negative(t, w.Result().Cookies()[0].MaxAge)
	_, err := s.Principal(requestWith(cookie))
	require.Error(t, err)
	_, err = s.Principal(requestWith(stays))
	require.NoError(t, err, "another browser stays signed in")
}

func TestSessions_AreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSessions(t)
		first := start(t, s, anna)
		time.Sleep(time.Second)
		second := start(t, s, anna)
		time.Sleep(time.Second)
		for range 10_000 - 1 {
			require.NoError(t, s.Start(httptest.NewRecorder(), anna))
		}
		_, err := s.Principal(requestWith(first))
		require.Error(t, err, "the oldest makes room")
		_, err = s.Principal(requestWith(second))
		require.NoError(t, err)
	})
}

func TestFormToken_IsBoundToSessionAndPurpose(t *testing.T) {
	t.Parallel()
	s := newSessions(t)
	mine, other := requestWith(start(t, s, anna)), requestWith(start(t, s, anna))
	token := pages.FormToken(s, mine, "approve", "q1")
	assert.True(t, pages.IsFormToken(s, mine, token, "approve", "q1"))
	assert.False(t, pages.IsFormToken(s, other, token, "approve", "q1"), "another session of the same person")
	assert.False(t, pages.IsFormToken(s, mine, token, "approve", "q2"))
	assert.False(t, pages.IsFormToken(s, mine, token, "approveq1"))
	assert.False(t, pages.IsFormToken(s, mine, token, "approve"))
	assert.False(t, pages.IsFormToken(s, mine, "", "approve", "q1"))
	again := newSessions(t)
	assert.False(t, pages.IsFormToken(again, mine, token, "approve", "q1"), "another server")
	signedOut := requestWith()
	token = pages.FormToken(s, signedOut, "approve")
	assert.False(t, pages.IsFormToken(s, signedOut, token, "approve"), "without a session there is no form")
}

func TestReturnPath_NeverLeavesTheServer(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"/step-up?id=A-b_9&x=%2F":              "/step-up?id=A-b_9&x=%2F",
		"/approvals/question/tc1.x":            "/approvals/question/tc1.x",
		"/":                                    "/",
		"":                                     "/home",
		"https://evil.example":                 "/home",
		"//evil.example":                       "/home",
		"/\\evil.example":                      "/home",
		"\\\\evil.example":                     "/home",
		"/\t/evil.example":                     "/home",
		"/\n":                                  "/home",
		"javascript:alert(1)":                  "/home",
		"evil.example":                         "/home",
		"?id=x":                                "/home",
		"/%zz":                                 "/home",
		"/" + strings.Repeat("x", 3000):        "/home",
		"/%2F%2Fevil.example":                  "/%2F%2Fevil.example",
		"/step-up?return_to=//evil.example#go": "/step-up?return_to=//evil.example",
	} {
		assert.Equal(t, want, pages.ReturnPath(to, "/home"), to)
	}
}

func TestNewSessions_ReportsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() (*pages.Sessions, error){
		"clear text":        func() (*pages.Sessions, error) { return pages.NewSessions("http://mail.example.com") },
		"no origin":         func() (*pages.Sessions, error) { return pages.NewSessions("mail.example.com") },
		"an escaped path":   func() (*pages.Sessions, error) { return pages.NewSessions(public + "/%78") },
		"an empty argument": func() (*pages.Sessions, error) { return pages.NewSessions("") },
	} {
		s, err := open()
		assert.Error(t, err, name)
		assert.Nil(t, s, name)
	}
	assert.Error(t, newSessions(t).Start(httptest.NewRecorder(), guard.Principal{}), "an anonymous person")
}

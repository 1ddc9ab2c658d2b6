package pages_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/pages"
)

const public = "https://mail.example.com"

var anna = guard.Principal{Issuer: "login", Tenant: "acme", Subject: "anna", ACR: "mfa"}

func newSessions(t *testing.T) *pages.Sessions {
	t.Helper()
	s, err := pages.NewSessions(public)
	require.NoError(t, err)
	return s
}

// start signs a person in and returns the cookie.
func start(t *testing.T, s *pages.Sessions, person guard.Principal) *http.Cookie {
	t.Helper()
	w := httptest.NewRecorder()
	require.NoError(t, s.Start(w, person))
	cookies := w.Result().Cookies()
	require.Len(t, cookies, 1)
	return cookies[0]
}

// requestWith returns a request with cookies.
func requestWith(cookies ...*http.Cookie) *http.Request {
	r := httptest.NewRequest(http.MethodGet, public+"/approvals", nil)
	for _, c := range cookies {
		r.AddCookie(c)
	}
	return r
}

func verify(_ context.Context, secret string) (guard.Principal, error) {
	switch secret {
	case "123456":
		return guard.Principal{Subject: "anna", Human: true}, nil
	case "agent":
		return guard.Principal{Subject: "agent"}, nil
	case "stranger":
		return guard.Principal{Human: true}, nil
	case "later":
		return guard.Principal{}, fmt.Errorf("no route: %w", guard.ErrUnavailable)
	}
	return guard.Principal{}, errors.New("a reason that stays secret")
}

// A visitor sends one visitor's headers and cookies.
type visitor struct {
	t       *testing.T
	page    http.Handler
	cookies []*http.Cookie

	address   string   // of the connection; empty: the default of httptest
	forwarded []string // the values of X-Forwarded-For
}

func newVisitor(t *testing.T, s *pages.Sessions, change ...func(*pages.SignIn)) *visitor {
	t.Helper()
	c := pages.SignIn{Verify: verify, Hint: "It was sent to you.", Home: "/approvals"}
	for _, one := range change {
		one(&c)
	}
	page, err := s.SignInPage("/sign-in", c)
	require.NoError(t, err)
	return &visitor{t: t, page: page}
}

// An answer is a response that has been read.
type answer struct {
	status  int
	header  http.Header
	cookies []*http.Cookie
	body    string
}

func (b *visitor) send(method, path string, form url.Values, headers ...string) answer {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, public+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	if b.address != "" {
		r.RemoteAddr = b.address
	}
	if b.forwarded != nil {
		r.Header["X-Forwarded-For"] = b.forwarded
	}
	w := httptest.NewRecorder()
	b.page.ServeHTTP(w, r)
	set := (&http.Response{Header: w.Header()}).Cookies()
	if len(set) > 0 {
		b.cookies = set
	}
	return answer{w.Code, w.Header(), set, w.Body.String()}
}

func (b *visitor) signIn(secret string, headers ...string) answer {
	b.t.Helper()
	return b.send(http.MethodPost, "/sign-in", url.Values{"token": {secret}}, headers...)
}

var outField = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// signOutToken returns the token of the sign-out form.
func (b *visitor) signOutToken() string {
	b.t.Helper()
	found := outField.FindStringSubmatch(b.send(http.MethodGet, "/sign-in", nil).body)
	require.NotNil(b.t, found)
	return found[1]
}

package signin

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/internal/origin"
	"github.com/toolcontract/toolcontract/internal/websession"
)

const (
	// lifetime is the time for which a browser stays signed in, also if it is
	// in use.
	lifetime = 12 * time.Hour
	// maxSessions bounds the number of sessions. A new one replaces the oldest.
	maxSessions = 10_000
)

// errNotSignedIn is returned for a request without a session, or with one that
// has ended.
var errNotSignedIn = errors.New("signin: the browser is not signed in")

// Sessions holds the browsers that are signed in. Make it with [New]; the zero
// Sessions cannot be used. It is safe for concurrent use.
type Sessions struct {
	origin  string
	cookie  string
	secure  bool
	formKey []byte
	open    *websession.Sessions[guard.Principal]
}

// New returns sessions for a server at an origin, such as that of
// serve.Server.Origin. An origin must be https, or http on a loopback address.
func New(at string) (*Sessions, error) {
	u, ok := origin.Parse(at)
	if !ok || !origin.IsSafe(u) {
		return nil, errors.New("signin: the server has no origin over https; " +
			"pass one such as https://mail.example.com; http is only for loopback addresses")
	}
	return &Sessions{
		origin: origin.Of(u.Scheme, u.Host), cookie: cookieName(u), secure: u.Scheme == "https",
		formKey: websession.NewKey(), open: websession.New[guard.Principal](maxSessions, lifetime),
	}, nil
}

// cookieName returns the name of the cookie. Browsers accept the prefix only
// over https. All ports of a host share its cookies.
func cookieName(u *url.URL) string {
	if u.Scheme == "https" {
		return "__Host-sign-in"
	}
	return "sign-in-" + u.Port()
}

// Start signs a browser in as a person, under a new id. Call it before anything
// is written to w, and only after the person was authenticated. The principal
// counts as human. A zero AuthTime means now. An anonymous principal is an
// error.
func (s *Sessions) Start(w http.ResponseWriter, person guard.Principal) error {
	if person.IsAnonymous() {
		return errors.New("signin: the person has no subject; call Start only after the sign-in has succeeded")
	}
	person.Human = true
	if person.AuthTime.IsZero() {
		person.AuthTime = time.Now()
	}
	s.setCookie(w, s.open.Begin(person), int(lifetime/time.Second))
	return nil
}

// Principal returns the person that a request's browser is signed in as, or an
// error if it is not signed in. Pages call it for each request, such as that of
// approval.New.
func (s *Sessions) Principal(r *http.Request) (guard.Principal, error) {
	person, ok := s.open.Find(s.id(r))
	if !ok {
		return guard.Principal{}, errNotSignedIn
	}
	return person, nil
}

// End ends the session of a request, and removes its cookie.
func (s *Sessions) End(w http.ResponseWriter, r *http.Request) {
	s.open.End(s.id(r))
	s.setCookie(w, "", -1)
}

// id returns the value of the cookie, which may be invented.
func (s *Sessions) id(r *http.Request) string {
	cookie, err := r.Cookie(s.cookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (s *Sessions) setCookie(w http.ResponseWriter, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	})
}

// FormToken returns a token for a form of a page, to be sent in a hidden field.
// It is bound to the session of the request and to a purpose, such as "approve"
// and the id of what is approved.
func (s *Sessions) FormToken(r *http.Request, purpose ...string) string {
	return websession.FormToken(s.formKey, append([]string{s.id(r)}, purpose...)...)
}

// IsFormToken reports whether a form carries the token of its session and
// purpose. It is false without a session.
func (s *Sessions) IsFormToken(r *http.Request, given string, purpose ...string) bool {
	_, err := s.Principal(r)
	return err == nil && websession.IsFormToken(given, s.formKey, append([]string{s.id(r)}, purpose...)...)
}

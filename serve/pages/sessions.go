package pages

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/origin"
)

const (
	// lifetime is how long a browser stays signed in, even if it is in use.
	lifetime = 12 * time.Hour
	// maxSessions bounds the number of sessions. A new one replaces the oldest.
	maxSessions = 10_000
)

// errNotSignedIn is returned for a request without a session, or whose session
// has ended.
var errNotSignedIn = errors.New("pages: the browser is not signed in")

// Sessions keeps track of the browsers that are signed in. [NewSessions]
// returns one; the zero Sessions is not usable. It is safe for concurrent use.
type Sessions struct {
	origin  string      // without path
	path    string      // the server is below it; empty: none
	cookie  http.Cookie // without a value
	most    int
	formKey formKey

	mu   sync.Mutex
	open map[digest]session
}

// A digest is stored instead of a session's ID, because the ID opens the pages.
type digest [sha256.Size]byte

func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

type session struct {
	person guard.Principal
	begun  time.Time
}

// NewSessions returns sessions for a server at an origin, such as
// serve.Server.Origin. The origin may end with the server's path. An origin
// must be https, or http on a loopback address.
func NewSessions(base string) (*Sessions, error) {
	u, ok := origin.ParseBase(base)
	if !ok || !origin.IsSafe(u) {
		return nil, errors.New("pages: NewSessions: the server has no origin over https; " +
			"pass one such as https://mail.example.com; http is only for loopback addresses")
	}
	s := newSessions(http.Cookie{
		Name: cookieName(u), Path: u.Path + "/", Secure: u.Scheme == "https", SameSite: http.SameSiteLaxMode,
	}, maxSessions)
	s.origin = origin.Of(u.Scheme, u.Host)
	s.path = u.Path
	return s, nil
}

func newSessions(cookie http.Cookie, most int) *Sessions {
	cookie.HttpOnly = true
	return &Sessions{cookie: cookie, most: most, formKey: newFormKey(), open: map[digest]session{}}
}

// cookieName returns the name of the cookie. Browsers accept the prefixes only
// over https, and __Host- only for the path "/". All ports of a host share its
// cookies.
func cookieName(u *url.URL) string {
	switch {
	case u.Scheme != "https":
		return "sign-in-" + u.Port()
	case u.Path != "":
		return "__Secure-sign-in"
	default:
		return "__Host-sign-in"
	}
}

// Start signs a browser in as a person, under a new ID. Call it before anything
// is written to w, and only after authenticating the person. The principal
// counts as human. A zero AuthTime means now. An anonymous principal is an
// error.
func (s *Sessions) Start(w http.ResponseWriter, person guard.Principal) error {
	if person.IsAnonymous() {
		return errors.New("pages: the person has no subject; call Start only after the sign-in has succeeded")
	}
	person.Human = true
	if person.AuthTime.IsZero() {
		person.AuthTime = time.Now()
	}
	s.begin(w, person)
	return nil
}

func (s *Sessions) begin(w http.ResponseWriter, person guard.Principal) {
	id := rand.Text()
	s.mu.Lock()
	s.makeRoom()
	s.open[digestOf(id)] = session{person, time.Now()}
	s.mu.Unlock()
	s.setCookie(w, id, int(lifetime/time.Second))
}

// makeRoom removes the oldest session, which is also the first to expire, if
// there are too many.
func (s *Sessions) makeRoom() {
	if len(s.open) < s.most {
		return
	}
	var oldest digest
	var begun time.Time
	for id, one := range s.open {
		if begun.IsZero() || one.begun.Before(begun) {
			oldest = id
			begun = one.begun
		}
	}
	delete(s.open, oldest)
}

// Principal returns the person whom a request's browser is signed in as, or an
// error if it is not signed in. Pages such as that of [NewApprovals] call it
// for each request.
func (s *Sessions) Principal(r *http.Request) (guard.Principal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.open[digestOf(s.id(r))]
	if !ok || time.Since(found.begun) >= lifetime {
		return guard.Principal{}, errNotSignedIn
	}
	return found.person, nil
}

// End ends the session of a request, and removes its cookie.
func (s *Sessions) End(w http.ResponseWriter, r *http.Request) {
	s.forget(r)
	s.setCookie(w, "", -1)
}

func (s *Sessions) forget(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, digestOf(s.id(r)))
}

// id returns the value of the cookie, which may be made up.
func (s *Sessions) id(r *http.Request) string {
	cookie, err := r.Cookie(s.cookie.Name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (s *Sessions) setCookie(w http.ResponseWriter, value string, maxAge int) {
	cookie := s.cookie
	cookie.Value = value
	cookie.MaxAge = maxAge
	http.SetCookie(w, &cookie)
}

// formToken returns the token for a form, bound to the session of a request and
// to a purpose, such as signing out.
func (s *Sessions) formToken(r *http.Request, purpose ...string) string {
	return s.formKey.token(append([]string{s.id(r)}, purpose...)...)
}

// isFormToken reports whether a form carries the token of its session and
// purpose. It is false without a session.
func (s *Sessions) isFormToken(r *http.Request, given string, purpose ...string) bool {
	_, err := s.Principal(r)
	return err == nil && s.formKey.accepts(given, append([]string{s.id(r)}, purpose...)...)
}

// A formKey signs the tokens of forms.
type formKey []byte

const formKeyBytes = 32

func newFormKey() formKey {
	key := make(formKey, formKeyBytes)
	rand.Read(key) // never fails
	return key
}

// token returns a form's token, to be sent in a hidden field. It is an
// HMAC-SHA256 (RFC 2104) over its parts, such as the session's ID and the
// form's purpose.
func (k formKey) token(parts ...string) string {
	mac := hmac.New(sha256.New, k)
	for _, part := range parts {
		_ = binary.Write(mac, binary.BigEndian, uint64(len(part))) // writing to a hash never fails
		mac.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// accepts reports whether a form sent the token for these parts.
func (k formKey) accepts(given string, parts ...string) bool {
	return hmac.Equal([]byte(k.token(parts...)), []byte(given))
}

package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/internal/origin"
)

const (
	// DefaultLifetime is the time for which a browser stays signed in.
	DefaultLifetime = 12 * time.Hour
	// maxSessions bounds the number of sessions. A new one replaces the oldest.
	maxSessions = 10_000
	keyBytes    = 32
)

// ErrNotSignedIn is returned for a request without a session, or with one that
// has ended.
var ErrNotSignedIn = errors.New("signin: the browser is not signed in")

// Sessions holds the browsers that are signed in. Make it with [New]; the zero
// Sessions cannot be used. It is safe for concurrent use.
type Sessions struct {
	origin   string
	cookie   string
	secure   bool
	lifetime time.Duration
	formKey  []byte

	mu   sync.Mutex
	open map[digest]session
}

// A digest is stored instead of the id of a session, because the id opens the
// pages.
type digest [sha256.Size]byte

type session struct {
	person  guard.Principal
	begun   time.Time
	expires time.Time
}

// An Option configures [Sessions].
type Option interface{ apply(*Sessions) error }

type optionFunc func(*Sessions) error

func (f optionFunc) apply(s *Sessions) error { return f(s) }

// WithLifetime sets the time for which a browser stays signed in, also if it is
// in use. Default: [DefaultLifetime]. A duration below a second is an error.
func WithLifetime(d time.Duration) Option {
	return optionFunc(func(s *Sessions) error {
		if d < time.Second {
			return errors.New("signin: WithLifetime: the duration is below a second; pass a longer one, or omit the option")
		}
		s.lifetime = d
		return nil
	})
}

// New returns sessions for a server at an origin, such as that of
// serve.Server.Origin. It must be https, or http on a loopback address. The
// error names every wrong option.
func New(at string, opts ...Option) (*Sessions, error) {
	u, ok := origin.Parse(at)
	if !ok || !origin.IsSafe(u) {
		return nil, errors.New("signin: the server has no origin over https; pass one such as https://mail.example.com; http is only for loopback addresses")
	}
	s := &Sessions{origin: origin.Of(u.Scheme, u.Host), cookie: cookieName(u), secure: u.Scheme == "https", lifetime: DefaultLifetime, formKey: make([]byte, keyBytes), open: map[digest]session{}}
	rand.Read(s.formKey) // never fails
	var errs []error
	for _, o := range opts {
		if o == nil {
			errs = append(errs, errors.New("signin: an option is nil; remove it"))
			continue
		}
		errs = append(errs, o.apply(s))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, nil
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
	now := time.Now()
	person.Human = true
	if person.AuthTime.IsZero() {
		person.AuthTime = now
	}
	id := rand.Text()
	s.mu.Lock()
	s.makeRoom(now)
	s.open[sha256.Sum256([]byte(id))] = session{person: person, begun: now, expires: now.Add(s.lifetime)}
	s.mu.Unlock()
	s.setCookie(w, id, int(s.lifetime/time.Second))
	return nil
}

// makeRoom removes sessions that have ended, or else the oldest, if there are
// too many.
func (s *Sessions) makeRoom(now time.Time) {
	if len(s.open) < maxSessions {
		return
	}
	var oldest digest
	begun := now
	for id, one := range s.open {
		if !now.Before(one.expires) {
			delete(s.open, id)
		} else if !one.begun.After(begun) {
			oldest, begun = id, one.begun
		}
	}
	if len(s.open) >= maxSessions {
		delete(s.open, oldest)
	}
}

// Principal returns the person that a request's browser is signed in as, or
// [ErrNotSignedIn]. It is an approval.AuthenticateFunc.
func (s *Sessions) Principal(r *http.Request) (guard.Principal, error) {
	id := s.id(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.open[id.digest()]
	if !ok || !time.Now().Before(found.expires) {
		return guard.Principal{}, ErrNotSignedIn
	}
	return found.person, nil
}

// End ends the session of a request, and removes its cookie.
func (s *Sessions) End(w http.ResponseWriter, r *http.Request) {
	s.forget(r)
	s.setCookie(w, "", -1)
}

func (s *Sessions) forget(r *http.Request) {
	id := s.id(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id.digest())
}

// A sessionID is the value of the cookie, which may be invented.
type sessionID string

func (id sessionID) digest() digest { return sha256.Sum256([]byte(id)) }

func (s *Sessions) id(r *http.Request) sessionID {
	cookie, err := r.Cookie(s.cookie)
	if err != nil {
		return ""
	}
	return sessionID(cookie.Value)
}

func (s *Sessions) setCookie(w http.ResponseWriter, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	})
}

// FormToken returns a token for a form of a page, to be sent in a hidden field.
// It is bound to the session of the request and to a purpose, such as "approve"
// and the id of what is approved.
func (s *Sessions) FormToken(r *http.Request, purpose ...string) string {
	mac := hmac.New(sha256.New, s.formKey)
	for _, part := range append([]string{string(s.id(r))}, purpose...) {
		_, _ = fmt.Fprintf(mac, "%d:%s", len(part), part) // writing to a hash never fails
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// IsFormToken reports whether a form carries the token of its session and
// purpose. It is false without a session.
func (s *Sessions) IsFormToken(r *http.Request, given string, purpose ...string) bool {
	_, err := s.Principal(r)
	return err == nil && hmac.Equal([]byte(s.FormToken(r, purpose...)), []byte(given))
}

package approval

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"sync"
	"time"
)

const (
	// maxSecrets is the number of addresses that may wait to be opened. A new
	// one replaces the oldest.
	maxSecrets = 16
	// maxSessions is the number of browsers that may be signed in. A new one
	// replaces the oldest.
	maxSessions = 16
	// sessionTime is the time for which a browser stays signed in.
	sessionTime = 12 * time.Hour
)

// A digest is stored instead of a secret or a session id, because those open
// the page.
type digest [sha256.Size]byte

// sessions holds the secrets that sign a browser in, each once, and the
// browsers that are signed in.
type sessions struct {
	mu      sync.Mutex
	secrets []digest // oldest first
	signed  []session
}

type session struct {
	id      digest
	expires time.Time
}

// secret returns a new secret.
func (s *sessions) secret() string {
	text := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets = append(s.secrets, sha256.Sum256([]byte(text)))
	if len(s.secrets) > maxSecrets {
		s.secrets = slices.Delete(s.secrets, 0, 1)
	}
	return text
}

// exchange spends a secret and returns the id of a new session. It reports
// false if the secret is unknown or spent.
func (s *sessions) exchange(secret string) (id string, ok bool) {
	known := sha256.Sum256([]byte(secret))
	id = rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.secrets, known)
	if at < 0 {
		return "", false
	}
	s.secrets = slices.Delete(s.secrets, at, at+1)
	s.signed = append(s.signed, session{sha256.Sum256([]byte(id)), time.Now().Add(sessionTime)})
	if len(s.signed) > maxSessions {
		s.signed = slices.Delete(s.signed, 0, 1)
	}
	return id, true
}

func (s *sessions) has(id string) bool {
	known := sha256.Sum256([]byte(id))
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.signed, func(one session) bool { return one.id == known && time.Now().Before(one.expires) })
}

type sessionKey struct{}

func withSession(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, sessionKey{}, id)
}

// sessionOf returns the session id of a request. It is empty if the server
// author's function authenticates.
func sessionOf(ctx context.Context) string {
	id, _ := ctx.Value(sessionKey{}).(string)
	return id
}

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
	// maxSecrets is how many addresses may be waiting to be opened, and
	// maxSessions how many browsers may be signed in; of more the newest.
	maxSecrets  = 16
	maxSessions = 16
	sessionTime = 12 * time.Hour
)

// A digest is what is kept of what opens the page.
type digest [sha256.Size]byte

// sessions are the secrets that sign a browser in, each once, and the browsers
// that are signed in.
type sessions struct {
	mu      sync.Mutex
	secrets []digest // oldest first
	signed  []session
}

type session struct {
	id      digest
	expires time.Time
}

// secret returns a new one.
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

// exchange takes a secret for a session, once.
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

// sessionOf is empty where the author's function authenticates.
func sessionOf(ctx context.Context) string {
	id, _ := ctx.Value(sessionKey{}).(string)
	return id
}

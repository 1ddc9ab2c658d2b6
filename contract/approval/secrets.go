package approval

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"sync"
)

// maxSecrets is the number of addresses that may wait to be opened. A new one
// replaces the oldest.
const maxSecrets = 16

// secrets are the texts that sign a browser in, each once. It stores a hash of
// each, because a secret opens the page.
type secrets struct {
	mu     sync.Mutex
	hashes [][sha256.Size]byte // oldest first
}

// add returns a new secret.
func (s *secrets) add() string {
	text := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hashes = append(s.hashes, sha256.Sum256([]byte(text)))
	if len(s.hashes) > maxSecrets {
		s.hashes = slices.Delete(s.hashes, 0, 1)
	}
	return text
}

// spend reports whether a secret is known, and removes it.
func (s *secrets) spend(secret string) bool {
	known := sha256.Sum256([]byte(secret))
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.hashes, known)
	if at < 0 {
		return false
	}
	s.hashes = slices.Delete(s.hashes, at, at+1)
	return true
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

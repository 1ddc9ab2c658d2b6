// Package websession holds the sessions of people in browsers, and makes the
// tokens of their forms. Every page of a server for people uses it.
package websession

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"
)

// Sessions holds a value of type T for each browser that is signed in. Make it
// with [New]; the zero Sessions cannot be used. It is safe for concurrent use.
type Sessions[T any] struct {
	most     int
	lifetime time.Duration

	mu   sync.Mutex
	open map[digest]session[T]
}

// A digest is stored instead of the id of a session, because the id opens the
// pages.
type digest [sha256.Size]byte

type session[T any] struct {
	value   T
	begun   time.Time
	expires time.Time
}

// New returns sessions that end after a lifetime, also if they are in use. A
// session beyond the most replaces the oldest.
func New[T any](most int, lifetime time.Duration) *Sessions[T] {
	return &Sessions[T]{most: most, lifetime: lifetime, open: map[digest]session[T]{}}
}

// Lifetime returns the time after which each session ends.
func (s *Sessions[T]) Lifetime() time.Duration { return s.lifetime }

// Begin begins a session and returns its new random id, for a cookie.
func (s *Sessions[T]) Begin(value T) (id string) {
	id = rand.Text()
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom(now)
	s.open[sha256.Sum256([]byte(id))] = session[T]{value: value, begun: now, expires: now.Add(s.lifetime)}
	return id
}

// makeRoom removes sessions that have ended, or else the oldest, if there are
// too many.
func (s *Sessions[T]) makeRoom(now time.Time) {
	if len(s.open) < s.most {
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
	if len(s.open) >= s.most {
		delete(s.open, oldest)
	}
}

// Find returns the value of a session that has not ended. The id may be
// invented.
func (s *Sessions[T]) Find(id string) (value T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.open[sha256.Sum256([]byte(id))]
	if !ok || !time.Now().Before(found.expires) {
		return value, false
	}
	return found.value, true
}

// End ends a session. An unknown id has no effect.
func (s *Sessions[T]) End(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, sha256.Sum256([]byte(id)))
}

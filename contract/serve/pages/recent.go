package pages

import (
	"slices"
	"sync"
)

// A recent holds the last values that were added to it, oldest first. A value
// beyond the maximum replaces the oldest. It is safe for concurrent use.
type recent[T comparable] struct {
	most int

	mu     sync.Mutex
	values []T
}

// add reports whether the value is new.
func (r *recent[T]) add(value T) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.values, value) {
		return false
	}
	if len(r.values) == r.most {
		r.values = slices.Delete(r.values, 0, 1)
	}
	r.values = append(r.values, value)
	return true
}

// remove reports whether the value was there.
func (r *recent[T]) remove(value T) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.Index(r.values, value)
	if at >= 0 {
		r.values = slices.Delete(r.values, at, at+1)
	}
	return at >= 0
}

func (r *recent[T]) all() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.values)
}

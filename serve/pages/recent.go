package pages

import (
	"slices"
	"sync"

	"github.com/toolcontract/toolcontract/guard/people"
)

// A recent holds the last values that were added to it, oldest first. A value
// beyond the maximum replaces the oldest of the principal with the most values,
// so that no principal pushes out the values of others. It is safe for
// concurrent use.
type recent[T comparable] struct {
	most int

	mu     sync.Mutex
	values []T
	owners []people.PrincipalName // of the values
}

// add reports whether the value is new.
func (r *recent[T]) add(value T, owner people.PrincipalName) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.values, value) {
		return false
	}
	r.values = append(r.values, value)
	r.owners = append(r.owners, owner)
	if len(r.values) > r.most {
		r.delete(r.excess())
	}
	return true
}

// excess returns the index of the oldest value of the principal with the most
// values.
func (r *recent[T]) excess() (at int) {
	counts := map[people.PrincipalName]int{}
	for _, owner := range r.owners {
		counts[owner]++
	}
	for i, owner := range r.owners {
		if counts[owner] > counts[r.owners[at]] {
			at = i
		}
	}
	return at
}

func (r *recent[T]) delete(at int) {
	r.values = slices.Delete(r.values, at, at+1)
	r.owners = slices.Delete(r.owners, at, at+1)
}

// remove reports whether the value was there.
func (r *recent[T]) remove(value T) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.Index(r.values, value)
	if at >= 0 {
		r.delete(at)
	}
	return at >= 0
}

func (r *recent[T]) all() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.values)
}

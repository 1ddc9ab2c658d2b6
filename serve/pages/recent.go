package pages

import (
	"slices"
	"sync"

	"github.com/toolcontract/toolcontract/guard/people"
)

// A recent holds the values last added to it, oldest first. A value beyond the
// maximum replaces the oldest of the principal with the most values, so that no
// principal pushes out the values of others. It is safe for concurrent use.
type recent[T comparable] struct {
	most int

	mu     sync.Mutex
	values []T
	owners []people.PrincipalName // of the values
}

// add adds a value and reports whether it is new.
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
func (r *recent[T]) excess() (oldest int) {
	counts := map[people.PrincipalName]int{}
	for _, owner := range r.owners {
		counts[owner]++
	}
	for i, owner := range r.owners {
		if counts[owner] > counts[r.owners[oldest]] {
			oldest = i
		}
	}
	return oldest
}

func (r *recent[T]) delete(i int) {
	r.values = slices.Delete(r.values, i, i+1)
	r.owners = slices.Delete(r.owners, i, i+1)
}

// remove removes a value and reports whether it was there.
func (r *recent[T]) remove(value T) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.values, value)
	if i >= 0 {
		r.delete(i)
	}
	return i >= 0
}

func (r *recent[T]) all() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.values)
}

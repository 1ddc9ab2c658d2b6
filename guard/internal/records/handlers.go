package records

import (
	"sync"

	"github.com/toolcontract/toolcontract/store"
)

// handlers counts the handlers of this process by the keys of their calls, even
// after their leases have ended: those that run, and those whose end the store
// has not accepted yet. Only calls of tools with Reconcile count. number must not
// be nil.
type handlers struct {
	mu     sync.Mutex
	number map[store.Key]int
}

func (h *handlers) add(key store.Key, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.number[key] += n; h.number[key] <= 0 {
		delete(h.number, key)
	}
}

func (h *handlers) has(key store.Key) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.number[key] > 0
}

package records

import (
	"sync"

	"github.com/toolcontract/toolcontract/store"
)

// handlers are the keys of calls of this process whose handlers have not ended,
// even if their leases have. Only tools that are reconciled are in it. The zero
// value has none.
type handlers struct {
	mu     sync.Mutex
	number map[store.Key]int
}

func (h *handlers) add(key store.Key, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.number == nil {
		h.number = map[store.Key]int{}
	}
	if h.number[key] += n; h.number[key] <= 0 {
		delete(h.number, key)
	}
}

func (h *handlers) has(key store.Key) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.number[key] > 0
}

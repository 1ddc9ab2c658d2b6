package running

import "sync"

// Callers holds the slots for the running calls of each caller. The zero value
// is ready to use. It is safe for concurrent use.
type Callers struct {
	mu  sync.Mutex
	all map[string]chan struct{}
}

// maxIdle is how many callers are remembered whose calls have ended.
const maxIdle = 1024

// Slots returns the slots of a caller. The limit counts from its first call on.
func (c *Callers) Slots(caller string, limit int) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slots := c.all[caller]; slots != nil {
		return slots
	}
	if c.all == nil || len(c.all) >= maxIdle {
		busy := map[string]chan struct{}{}
		for name, slots := range c.all {
			if len(slots) > 0 {
				busy[name] = slots
			}
		}
		c.all = busy
	}
	slots := make(chan struct{}, limit)
	c.all[caller] = slots
	return slots
}

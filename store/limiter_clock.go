package store

import (
	"sync"
	"time"
)

// A steadyClock never goes back: its time is the sum of the forward steps of
// another clock. It is safe for concurrent use.
type steadyClock struct {
	source func() time.Time

	mu   sync.Mutex
	read time.Time // the last reading of source
	now  time.Time
}

// start sets the time to the first reading.
func (c *steadyClock) start() {
	c.read = c.source()
	c.now = c.read.Round(0) // the monotonic reading is dropped: it cannot be carried past its range
}

// tick reads the source and returns the time.
func (c *steadyClock) tick() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	read := c.source()
	c.now = c.now.Add(max(0, read.Sub(c.read)))
	c.read = read
	return c.now
}

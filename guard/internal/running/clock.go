package running

import (
	"sync"
	"time"
)

// A Clock measures how long a handler works, without the time that people take
// to answer it. [Job] starts it. It is safe for concurrent use. A nil Clock
// never stops.
type Clock struct {
	mu      sync.Mutex
	start   time.Time
	waiting int           // how many questions are open
	since   time.Time     // when the first of them was asked
	waited  time.Duration // for questions that are answered
}

func (c *Clock) begin() {
	if c != nil {
		c.start = time.Now()
	}
}

// Pause stops the clock until resume is called. A second call of resume does
// nothing.
func (c *Clock) Pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == 0 {
		c.since = time.Now()
	}
	c.waiting++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.waiting--; c.waiting == 0 {
			c.waited += time.Since(c.since)
		}
	})
}

// recheck is how often the time is checked while people are asked.
const recheck = time.Second

// left returns how much of the limit may be left.
func (c *Clock) left(limit time.Duration) time.Duration {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting > 0 {
		return recheck
	}
	return limit - (time.Since(c.start) - c.waited)
}

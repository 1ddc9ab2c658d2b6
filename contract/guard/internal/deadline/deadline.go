// Package deadline gives contexts a time limit that costs nothing until a
// function waits for it.
//
// [context.WithTimeoutCause] starts a timer. Most functions end long before
// their limit and never look at it.
package deadline

import (
	"context"
	"sync"
	"time"
)

// A Context is a context with a deadline, as [context.WithDeadlineCause] makes
// it. [With] makes one. It starts its timer when Done is called first.
type Context struct {
	parent  context.Context
	own, at time.Time // at is own, or the deadline of parent if that is earlier
	cause   error

	mu    sync.Mutex
	ended bool
	timed context.Context // nil until a function needs it
	stop  context.CancelFunc
}

var _ context.Context = (*Context)(nil)

// With returns a context that ends after the limit, with a cause. The caller
// must call Stop when the work that gets the context has ended.
func With(parent context.Context, limit time.Duration, cause error) *Context {
	own := time.Now().Add(limit)
	at := own
	if earlier, ok := parent.Deadline(); ok && earlier.Before(at) {
		at = earlier
	}
	return &Context{parent: parent, own: own, at: at, cause: cause}
}

// Stop ends the context, as the function does that context.WithDeadlineCause
// returns.
func (c *Context) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if c.timed == nil && (c.parent.Err() != nil || !time.Now().Before(c.at)) {
		c.timed, c.stop = context.WithDeadlineCause(c.parent, c.own, c.cause) // it has ended for another reason
	}
	c.ended = true
	if c.stop != nil {
		c.stop()
	}
}

// Deadline implements [context.Context].
func (c *Context) Deadline() (time.Time, bool) { return c.at, true }

// Done implements [context.Context].
func (c *Context) Done() <-chan struct{} { return c.start().Done() }

// Err implements [context.Context].
func (c *Context) Err() error { return c.current().Err() }

// Value implements [context.Context]. The package context finds the cause by
// it.
func (c *Context) Value(key any) any { return c.current().Value(key) }

// current returns the parent as long as nothing distinguishes c from it.
func (c *Context) current() context.Context {
	c.mu.Lock()
	idle := c.timed == nil && !c.ended
	c.mu.Unlock()
	if idle && time.Now().Before(c.at) {
		return c.parent
	}
	return c.start()
}

// start returns the context with a timer.
func (c *Context) start() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.timed != nil:
	case c.ended: // by Stop, whatever ended after it
		c.timed, c.stop = context.WithCancel(context.WithoutCancel(c.parent))
		c.stop()
	default:
		c.timed, c.stop = context.WithDeadlineCause(c.parent, c.own, c.cause)
	}
	return c.timed
}

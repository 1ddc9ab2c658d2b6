package contain

import (
	"context"
	"sync"
	"time"
)

// A Context is a context that its owner ends, as with
// [context.WithCancelCause], and that can have a deadline, as with
// [context.WithDeadlineCause]. Make one with [NewContext] or [WithLimit].
//
// It registers with its parent and starts its timer on the first call of Done,
// because most functions end long before their limit and never wait for it.
// With the contexts of package context instead, a guarded call costs 12 more
// allocations. It is safe for concurrent use.
type Context struct {
	parent context.Context

	mu      sync.Mutex
	own, at time.Time               // at is own, or the deadline of parent if that is earlier; zero without a limit
	late    error                   // the cause if the limit ends the context
	ended   bool                    // End was called
	cause   error                   // the cause that End got
	real    context.Context         // of package context; nil until a function needs it
	end     context.CancelCauseFunc // ends real
}

var _ context.Context = (*Context)(nil)

// NewContext returns a context without a limit. The caller must call End when
// the work is done.
func NewContext(parent context.Context) *Context { return &Context{parent: parent} }

// WithLimit returns a context that ends after the limit; see [Context.Limit]
// for the cause. The caller must call End when the work is done.
func WithLimit(parent context.Context, limit time.Duration, cause error) *Context {
	c := NewContext(parent)
	c.Limit(limit, cause)
	return c
}

// Limit makes the context end after a time, with a cause. A nil cause means
// [context.DeadlineExceeded]. Call Limit at most once, before anything else
// uses the context.
func (c *Context) Limit(limit time.Duration, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.own = time.Now().Add(limit)
	c.at = c.own
	c.late = cause
	if earlier, ok := c.parent.Deadline(); ok && earlier.Before(c.at) {
		c.at = earlier
	}
}

// End ends the context with a cause, unless it has already ended. A nil cause
// means [context.Canceled].
func (c *Context) End(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if c.real == nil && (c.parent.Err() != nil || c.isLate()) {
		c.makeReal() // it ended before, with the cause of its parent or its limit
	}
	c.ended = true
	c.cause = cause
	switch {
	case c.real == nil:
	case c.isLate(): // its timer ends it, perhaps at this moment
		context.AfterFunc(c.real, func() { c.end(cause) })
	default:
		c.end(cause)
	}
}

// Deadline implements [context.Context].
func (c *Context) Deadline() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() {
		return c.parent.Deadline()
	}
	return c.at, true
}

// Done implements [context.Context].
func (c *Context) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.makeReal()
	return c.real.Done()
}

// Err implements [context.Context].
func (c *Context) Err() error { return c.current().Err() }

// Value implements [context.Context]. Package context uses it to find the
// cause.
func (c *Context) Value(key any) any { return c.current().Value(key) }

// current returns the parent as long as c behaves the same.
func (c *Context) current() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.real == nil && !c.ended && !c.isLate() {
		return c.parent
	}
	c.makeReal()
	return c.real
}

func (c *Context) isLate() bool { return !c.at.IsZero() && !time.Now().Before(c.at) }

// makeReal makes the standard context behind c, unless it exists. The caller
// holds mu.
func (c *Context) makeReal() {
	switch {
	case c.real != nil:
		return
	case c.ended: // the parent and the limit no longer count
		c.real, c.end = context.WithCancelCause(context.WithoutCancel(c.parent))
		c.end(c.cause)
	case c.own.IsZero():
		c.real, c.end = context.WithCancelCause(c.parent)
	default:
		ctx, end := context.WithCancelCause(c.parent)
		timed, stop := context.WithDeadlineCause(ctx, c.own, c.late)
		c.real = timed
		c.end = func(cause error) {
			end(cause)
			stop()
		}
	}
}

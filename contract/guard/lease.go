package guard

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// renewals is how often a lease is renewed before it would end, so that one
// renewal may be lost.
const renewals = 3

// renewedTimeouts is for how many of its own timeouts a handler is believed to
// live.
const renewedTimeouts = 10

// A renewal keeps the claim of a running handler alive.
type renewal struct {
	call  *call
	until time.Time // the handler is not believed to live any longer

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// keepAlive renews the call's lease until stop, or until the handler has run
// for ten times its timeout (10 minutes where it has none): one that hangs does
// not hold its key for ever.
func (c *call) keepAlive() *renewal {
	r := &renewal{call: c, until: time.Now().Add(c.renewTime())}
	r.arm()
	return r
}

// renewTime is for how long a claim is renewed at most.
func (c *call) renewTime() time.Duration {
	if ms := c.entry.doc.TimeoutMs; ms > 0 {
		return renewedTimeouts * time.Duration(ms) * time.Millisecond
	}
	return detachedDeadline
}

func (r *renewal) arm() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.timer = time.AfterFunc(r.call.set.guard.ledger.lease/renewals, r.renew)
	}
}

func (r *renewal) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	r.timer.Stop()
}

func (r *renewal) renew() {
	c, l := r.call, r.call.set.guard.ledger
	select {
	case <-c.set.guard.gaveUp: // the process ends, and the handler with it
		return
	default:
	}
	lease := min(l.lease, time.Until(r.until))
	if lease <= 0 {
		return
	}
	err := l.tell(context.WithoutCancel(c.ctx), func(ctx context.Context) error {
		return l.store.Renew(ctx, c.key, c.owner, lease)
	})
	if !errors.Is(err, store.ErrLost) {
		r.arm()
	}
}

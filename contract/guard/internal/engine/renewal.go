package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/contract/store"
)

// renewedTimeouts bounds how long a claim is renewed, in timeouts of the
// handler.
const renewedTimeouts = 10

// A renewal keeps the claim of a running handler alive.
type renewal struct {
	engine *Engine
	ctx    context.Context
	key    store.Key
	owner  store.Owner
	until  time.Time

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// keepAlive renews the call's lease until stop, at most for ten times the
// handler's timeout, or 10 minutes if it has none. So a handler that hangs does
// not hold its key forever.
func (a *agreed) keepAlive(owner store.Owner) *renewal {
	r := &renewal{engine: a.engine, ctx: a.ctx, key: a.keyOf(), owner: owner, until: time.Now().Add(a.renewTime())}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = time.AfterFunc(r.interval(), r.next)
	return r
}

// renewTime is how long a claim is renewed at most.
func (a *agreed) renewTime() time.Duration {
	if limit := a.tool.Doc.Timeout; limit > 0 {
		return renewedTimeouts * limit
	}
	return running.DetachedDeadline
}

func (r *renewal) interval() time.Duration { return r.engine.ledger.Lease() / ledger.Renewals }

// next renews the lease and starts the timer again, unless renew or stop ended
// the renewals.
func (r *renewal) next() {
	if !r.renew() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.timer.Reset(r.interval())
	}
}

// renew renews the lease and reports whether to renew it again later.
func (r *renewal) renew() bool {
	l := r.engine.ledger
	lease := min(l.Lease(), time.Until(r.until))
	if r.engine.running.HasGivenUp() || lease <= 0 { // the process ends and the handler with it, or the handler hangs
		return false
	}
	return !errors.Is(l.Renew(context.WithoutCancel(r.ctx), r.key, r.owner, lease), store.ErrLost)
}

func (r *renewal) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	r.timer.Stop()
}

package records

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/store"
)

// A renewal keeps the claim of a running handler alive.
type renewal struct {
	ledger  *ledger.Ledger
	running *running.Runner
	ctx     context.Context
	key     store.Key
	owner   store.Owner
	until   time.Time
	handler *contain.Context // ends once another execution holds the record
	ended   func()           // called once the end of the call is recorded or given up. Nil: nothing

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// start starts the renewals, which end with stop or at the time until.
func (r *renewal) start() *renewal {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = time.AfterFunc(r.interval(), r.next)
	return r
}

func (r *renewal) interval() time.Duration { return r.ledger.Lease() / ledger.Renewals }

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
	lease := min(r.ledger.Lease(), time.Until(r.until))
	if r.running.HasGivenUp() || lease <= 0 { // the process ends and the handler with it, or the handler hangs
		return false
	}
	if errors.Is(r.ledger.Renew(context.WithoutCancel(r.ctx), r.key, r.owner, lease), store.ErrLost) {
		r.handler.End(running.ErrTakenOver)
		return false
	}
	return true
}

func (r *renewal) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped && r.ended != nil {
		r.ended()
	}
	r.stopped = true
	r.timer.Stop()
}

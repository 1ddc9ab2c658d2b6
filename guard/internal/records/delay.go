package records

import (
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/store"
)

// While an identical call runs, the delay of a call is a share of the time that
// the running one may take.
const (
	delayShare    = 4
	shortestDelay = 500 * time.Millisecond
)

// delay returns the time after which to retry a call while an identical one
// runs. The rest of that call's lease is left, and it has run for at least
// runTime. The delay is a share of that, or of the usual time if that is
// longer. It is at most the rest of the lease, and exactly that if the lease
// was not renewed in time.
func (r *Records) delay(e *CallEntry, left, runTime time.Duration) time.Duration {
	lease := r.ledger.Lease()
	if left < lease-lease/ledger.Renewals-r.ledger.Timeout() {
		return left
	}
	return min(left, max(shortestDelay, max(runTime, e.Tool.Duration.Mean())/delayShare))
}

// runTime returns how long the owner of a record in progress has held it.
func (r *Records) runTime(e *CallEntry, record store.Record) time.Duration {
	return r.recordTTL(e) - record.ExpiresIn
}

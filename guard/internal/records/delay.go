package records

import (
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/store"
)

// The delay of a call while an equal call runs is a share of the time that the
// running call may take.
const (
	delayShare    = 4
	shortestDelay = 500 * time.Millisecond
)

// delay returns when to repeat a call whose equal call runs. left is the rest
// of the lease, and ran how long the call has run at least. The delay is a
// share of that time, or of the usual time if it is longer. It is at most the
// rest of the lease, which is the delay if the lease was not renewed in time.
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

package ledger

import (
	"errors"
	"sync"
	"time"
)

// errAway means that the store did not answer shortly before, so that the
// operation was not begun.
var errAway = errors.New("the store does not answer")

const (
	// outageTime is how long calls are denied after an operation that failed
	// slowly, unless a check is answered earlier. Then one call queries the
	// store.
	outageTime = 10 * time.Second
	// slowPart is the part of the time limit after which a failure is slow.
	slowPart = 10
)

// An admission is whether a call may query the store.
type admission int

const (
	admitted         admission = iota
	denied                     // there is an outage
	deniedAndChecked           // there is an outage, and the caller starts a check
)

// An outage is a circuit breaker: after one operation that a store failed to
// answer for a while, other calls do not wait for it. Checks beside the calls
// find out when the store answers again. The zero value means that there is no
// outage. It is safe for concurrent use.
type outage struct {
	mu      sync.Mutex
	until   time.Time // when a call may query the store. Zero: there is no outage
	checkAt time.Time // when the next check may start
}

// admit reports whether a call may query the store at an instant. Checks start
// one after the other, and each takes the time interval at most.
func (o *outage) admit(now time.Time, interval time.Duration) admission {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.until.IsZero():
		return admitted
	case !now.Before(o.until):
		o.until = now.Add(outageTime)
		return admitted
	case now.Before(o.checkAt):
		return denied
	default:
		o.checkAt = now.Add(2 * interval)
		return deniedAndChecked
	}
}

// observe records the end of an operation: whether the store failed to answer,
// and whether this took long.
func (o *outage) observe(now time.Time, failed, slow bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case !failed:
		o.until = time.Time{}
	case slow:
		o.until = now.Add(outageTime)
	}
}

package ledger

import (
	"errors"
	"sync"
	"time"
)

// errAway means that the operation never started, because the store recently
// failed to answer.
var errAway = errors.New("the store does not answer")

const (
	// outageTime is how long calls are denied after an operation that failed
	// slowly. After that, one call queries the store. If a check is answered,
	// that call comes sooner.
	outageTime = 10 * time.Second
	// slowPart is the fraction of the time limit, as a divisor, from which a
	// failure is slow.
	slowPart = 10
)

// An admission decides whether a call may query the store.
type admission int

const (
	admitted         admission = iota
	denied                     // there is an outage
	deniedAndChecked           // there is an outage, and the caller starts a check
)

// An outage is a circuit breaker: after one operation that a store failed to
// answer for a while, other calls do not wait for it. Checks in the background
// find out when the store answers again. A check reads one key, so it neither
// ends nor prolongs an outage: writes may hang while reads are answered, and
// only a part of a store may be down. The zero value means that there is no
// outage. It is safe for concurrent use.
type outage struct {
	mu      sync.Mutex
	until   time.Time // when a call may query the store. Zero: there is no outage
	checkAt time.Time // when the next check may start
}

// admit decides whether a call may query the store now. interval is the time
// limit of a check. The next check starts only after twice that time, so checks
// do not overlap.
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

// checked records that a check was answered: one call may query the store, and
// how that ends decides for the others.
func (o *outage) checked(now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.until.IsZero() {
		o.until = now
	}
}

// observe records how a call's operation ended: whether the store failed to
// answer, and whether that took long.
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

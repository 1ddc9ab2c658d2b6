package guard

import (
	"errors"
	"sync"
	"time"
)

// outageTime is for how long what did not answer is left alone.
const outageTime = 10 * time.Second

// An outage keeps calls from waiting, one after the other, for something that
// does not answer and that they can do without. The zero outage is none.
type outage struct {
	mu    sync.Mutex
	until time.Time // zero: there is no outage
}

// mayAsk reports whether to ask. In an outage one may, after a while, to find
// out whether it is over; the others go on without until then.
func (o *outage) mayAsk() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if o.until.IsZero() {
		return true
	}
	if now.Before(o.until) {
		return false
	}
	o.until = now.Add(outageTime)
	return true
}

// heard says whether there was an answer.
func (o *outage) heard(answered bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.until = time.Time{}
	if !answered {
		o.until = time.Now().Add(outageTime)
	}
}

// unanswered reports whether an error says that the store could not be reached:
// it is not the store's own word.
func unanswered(err error) bool {
	said, ok := errors.AsType[*storeError](err)
	return err != nil && !(ok && said.kind != nil)
}

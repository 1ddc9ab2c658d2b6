package running

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// Failed writes are retried, with growing pauses.
const (
	attempts   = 6
	firstPause = 250 * time.Millisecond
)

// A Retry repeats a write that failed.
type Retry struct {
	// Write runs the operation again.
	Write func(context.Context) error
	// Late means that the write undoes a claim that may still arrive at the
	// store. If the record is not there yet, the write is retried until the
	// server closes.
	Late bool
	// Ended is called when the write is no longer retried.
	Ended func()
}

// KeepTrying repeats a write with growing pauses until the store answers, the
// attempts are used up, or Close stops waiting.
func (r *Runner) KeepTrying(w Retry) {
	select {
	case r.retrySlots <- struct{}{}:
	default:
		w.Ended()
		return
	}
	r.handlers.Go(func() {
		defer func() { <-r.retrySlots }()
		defer w.Ended()
		pause, closing := firstPause, r.closing
		for range attempts {
			select {
			case <-time.After(pause):
			case <-closing:
				closing = nil
				w.Late = false
			case <-r.gaveUp:
				return
			}
			err := w.Write(context.Background())
			if err == nil || errors.Is(err, store.ErrLost) && !w.Late || errors.Is(err, store.ErrInvalid) {
				return
			}
			pause *= 2
		}
	})
}

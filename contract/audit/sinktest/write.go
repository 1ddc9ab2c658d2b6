package sinktest

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract/audit"
)

// patience is how long a call may take before it counts as one that hangs. It is the only time on which a
// verdict rests, and long enough for a machine that is busy with something else.
const patience = time.Minute

// within calls f on a goroutine of its own. The error is a violation where f panics or hangs;
// result is what f returned otherwise.
func within(what string, f func() error) (result, violation error) {
	type end struct {
		err      error
		panicked bool
		value    any
	}
	done := make(chan end, 1)
	go func() {
		e := end{panicked: true}
		defer func() {
			if e.panicked {
				e.value = recover()
			}
			done <- e
		}()
		e.err = f()
		e.panicked = false
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case e := <-done:
		if e.panicked {
			return nil, broken("%s panicked: %v", what, e.value)
		}
		return e.err, nil
	case <-timer.C:
		return nil, broken("%s did not return within %v", what, patience)
	}
}

// write calls Write, whose context does not end.
func write(h Harness, e audit.Event) (result, violation error) {
	return within("Write", func() error { return h.Sink.Write(context.Background(), e) })
}

// mustWrite calls Write, which has no reason to fail.
func mustWrite(h Harness, e audit.Event) error {
	err, violation := write(h, e)
	if violation == nil && err != nil {
		return broken("Write returned an error without a reason: %v", err)
	}
	return violation
}

// kept reads back what was kept.
func kept(h Harness) ([]audit.Event, error) {
	events, err := h.Kept()
	if err != nil {
		return nil, broken("what was kept cannot be read back: %v", err)
	}
	return events, nil
}

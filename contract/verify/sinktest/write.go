package sinktest

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/audit"
	"github.com/toolcontract/toolcontract/internal/rules"
)

// patience is how long a call may take before it counts as hanging. It is the
// only time on which a check depends, and long enough for a busy machine.
const patience = time.Minute

// within calls f with the suite's patience; see [rules.Within].
func within(what string, f func() error) (result, violation error) {
	return rules.Within(patience, func() string { return what }, f)
}

// write calls Write with a context that does not end.
func write(h Harness, e audit.Event) (result, violation error) {
	return within("Write", func() error { return h.Sink.Write(context.Background(), e) })
}

// mustWrite calls Write when it has no reason to fail.
func mustWrite(h Harness, e audit.Event) error {
	err, violation := write(h, e)
	if violation == nil && err != nil {
		return rules.Broken("Write returned an error without a reason: %v", err)
	}
	return violation
}

// kept reads back the events that the sink kept.
func kept(h Harness) ([]audit.Event, error) {
	events, err := h.Kept()
	if err != nil {
		return nil, rules.Broken("the events cannot be read back: %v", err)
	}
	return events, nil
}

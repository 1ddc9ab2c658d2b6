package main

import (
	"context"
	"errors"
	"sync"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard"
)

var errDiskFull = errors.New("tour: the disk of the audit log is full")

// A record is an event that reached the journal. The journal refused a lost
// one.
type record struct {
	event audit.Event
	lost  bool
}

// A journal is the audit sink of the tour. It holds events in memory and can be
// made to fail.
type journal struct {
	mu      sync.Mutex
	records []record
	changed chan struct{} // closed at the next record
	down    bool
}

func newJournal() *journal { return &journal{changed: make(chan struct{})} }

// Write implements [audit.Sink].
func (j *journal) Write(_ context.Context, e audit.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.records = append(j.records, record{event: e, lost: j.down})
	close(j.changed)
	j.changed = make(chan struct{})
	if j.down {
		return errDiskFull
	}
	return nil
}

// setDown sets whether Write fails.
func (j *journal) setDown(down bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.down = down
}

// expectLosses returns a closer of a guard that reports lost events only if the
// journal did not refuse exactly as many.
func (j *journal) expectLosses(closer func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		err := closer(ctx)
		if loss, ok := errors.AsType[*guard.AuditLossError](err); ok && loss.Lost == j.refused() {
			return nil
		}
		return err
	}
}

// refused returns the number of events that the journal refused below high
// risk. The caller of a high-risk call learns of the refusal itself.
func (j *journal) refused() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, r := range j.records {
		if r.lost && r.event.Kind != audit.Intent {
			n++
		}
	}
	return n
}

// mark returns the number of records.
func (j *journal) mark() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.records)
}

// since waits for n records after mark and returns all after mark. It must wait
// because events may be written after the answers to their calls.
func (j *journal) since(ctx context.Context, mark, n int) ([]record, error) {
	for {
		j.mu.Lock()
		found, changed := j.records[mark:], j.changed
		j.mu.Unlock()
		if len(found) >= n {
			return append([]record{}, found...), nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, errors.New("tour: an event did not reach the journal")
		}
	}
}

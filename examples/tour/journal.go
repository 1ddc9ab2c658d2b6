package main

import (
	"context"
	"errors"
	"sync"

	"github.com/toolcontract/toolcontract/contract/audit"
)

var errDiskFull = errors.New("tour: the disk of the audit log is full")

// An entry is an event that reached the audit hook. A lost one was refused.
type entry struct {
	event audit.Event
	lost  bool
}

// A journal is the tour's audit hook: it keeps events in memory, and can be
// made to fail.
type journal struct {
	mu      sync.Mutex
	entries []entry
	changed chan struct{} // closed at the next entry
	down    bool
}

func newJournal() *journal { return &journal{changed: make(chan struct{})} }

// Write implements [audit.Sink].
func (j *journal) Write(_ context.Context, e audit.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, entry{event: e, lost: j.down})
	close(j.changed)
	j.changed = make(chan struct{})
	if j.down {
		return errDiskFull
	}
	return nil
}

// setDown makes every following Write fail, or end failing.
func (j *journal) setDown(down bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.down = down
}

// mark returns how many entries there are.
func (j *journal) mark() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.entries)
}

// since waits until there are n entries after mark and returns them: events
// are written beside the calls, not before their answers.
func (j *journal) since(ctx context.Context, mark, n int) ([]entry, error) {
	for {
		j.mu.Lock()
		found, changed := j.entries[mark:], j.changed
		j.mu.Unlock()
		if len(found) >= n {
			return append([]entry{}, found...), nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, errors.New("tour: an event did not reach the audit hook")
		}
	}
}

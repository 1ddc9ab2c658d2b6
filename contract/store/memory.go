package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var _ Store = (*Memory)(nil)

// A Memory is a [Store] in the memory of one process: what it knows is gone
// when the process ends, and a second process does not see it. [NewMemory] makes one; the zero Memory
// refuses every operation. It is safe for concurrent use.
//
// It is bounded by [MaxEntries] and [MaxBytes], and starts no goroutine: what has expired is gone at once
// for who asks, and each operation frees the memory of a few expired entries. Where there is no room for
// something new, these go, in this order:
//
//  1. what has expired;
//  2. the results of finished records, of the same partition before others, the oldest first: a repeated
//     call then learns that it was done, but not with which result.
//
// A record and a nonce are never forgotten before their end: where that is not enough, a new claim and a
// new nonce get [ErrFull]. A result for which there is no room is not kept, and its record is. Counters
// are bounded by the same two numbers, but apart, so that neither takes room from the other.
type Memory struct {
	maxEntries int
	maxBytes   int64
	clock      func() time.Time
	epoch      time.Time // what instants are measured from; a difference, so that a monotonic reading counts

	mu      sync.Mutex
	now     time.Duration // the last reading
	records expiring[memoryRecord]
	bodies  bodies
	nonces  expiring[Owner]
	counts  expiring[memoryCounts]
	kinds   int // how many kinds all counts have
}

// NewMemory returns an empty Memory. The error names the option that is wrong: one that is nil, a number
// that is not positive or leaves no room for two entries, a clock that is nil.
func NewMemory(opts ...MemoryOption) (*Memory, error) {
	m := &Memory{maxEntries: DefaultMaxEntries, maxBytes: DefaultMaxBytes, clock: time.Now}
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("idempotency: NewMemory: an option is nil")
		}
		if err := opt.apply(m); err != nil {
			return nil, err
		}
	}
	m.epoch = m.clock()
	m.records = newExpiring[memoryRecord]()
	m.bodies = newBodies()
	m.nonces = newExpiring[Owner]()
	m.counts = newExpiring[memoryCounts]()
	return m, nil
}

// IsLocal reports whether the store lives and dies with one process, and is seen by that one alone:
// true. Who needs a shared store, or records that outlive a crash, can ask for it.
func (m *Memory) IsLocal() bool { return true }

// sweepPerOperation is how many expired entries of a sort one operation frees. It is more than one
// operation adds, so that what has expired does not pile up.
const sweepPerOperation = 8

// begin starts an operation under the lock, which the caller releases by m.mu.Unlock whatever begin
// returned. What it leaves behind is the operation's one instant, m.now.
func (m *Memory) begin(ctx context.Context) error {
	m.mu.Lock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("idempotency: %w", err)
	}
	if m.clock == nil {
		return errors.New("idempotency: the Memory was not made by NewMemory")
	}
	// A clock that goes back stands still until it has caught up, for nothing that is over may come back.
	m.now = max(m.now, m.clock().Sub(m.epoch))
	for range sweepPerOperation {
		if e := m.records.expired(m.now); e != nil {
			m.forget(e)
		}
		if e := m.nonces.expired(m.now); e != nil {
			m.nonces.remove(e)
		}
		if e := m.counts.expired(m.now); e != nil {
			m.forgetCounts(e)
		}
	}
	return nil
}

// in returns the instant d from now, and the last one there is where d is longer than that.
func (m *Memory) in(d time.Duration) time.Duration {
	at := m.now + d
	if d > 0 && at < m.now {
		return 1<<63 - 1
	}
	return at
}

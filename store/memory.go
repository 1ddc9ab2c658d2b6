package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

var _ Store = (*memory)(nil)

// A Memory is a [Store] in the memory of one process. Its records end with the
// process, and no other process sees them. [NewMemory] makes one; the zero
// Memory is not usable. It is safe for concurrent use.
//
// A Memory is bounded by [WithMaxEntries] and [WithMaxBytes], and no goroutine
// belongs to it. An expired entry no longer exists for any operation, and each
// operation frees the memory of a few expired entries. If there is no room for
// a new entry, others are removed in this order:
//
//  1. Expired entries.
//  2. Results: the oldest of the partition whose results take the most bytes. A
//     repeated call then learns that it was done, but not its result.
//
// A record and a nonce are never removed before their end. If the removals do
// not make enough room, a new claim and a new nonce get [ErrFull]. A partition
// gets ErrFull earlier: as soon as it holds as many records and nonces as the
// store has room left for. A single partition therefore takes at most half of
// the room, and two partitions leave a third of it to others. A result without
// room is dropped, and its record is kept. Counts have the same two bounds of
// their own, so that they take no room from the other entries. When they reach
// a bound, the counts that are nearest to their end are forgotten.
//
// ErrFull is a [*FullError] with the time until the next entry ends. When
// records and nonces take 80 % of their room, or those of one partition 80 % of
// its share, [slog.Default] gets one line. The next line can follow
// only after less than 30 % were taken. A goroutine of its own logs the line.
type Memory struct {
	Store

	memory *memory
}

// memory is the Store of a [Memory].
type memory struct {
	maxEntries int
	maxBytes   int64
	clock      func() time.Time
	began      time.Time // times are differences from it, so that a monotonic clock counts
	epoch      string

	mu      sync.Mutex
	now     time.Duration // the time of the last operation
	records expiring[memoryRecord]
	results results
	nonces  expiring[Owner]
	counts  expiring[memoryCounts]
	kinds   atomic.Int64 // of all counts together; changed only under mu
	warning warning
}

// NewMemory returns an empty Memory. The error names the option that is wrong.
func NewMemory(opts ...MemoryOption) (*Memory, error) {
	c, err := configured("NewMemory", opts)
	if err != nil {
		return nil, err
	}
	m := &memory{maxEntries: c.maxEntries, maxBytes: c.maxBytes, clock: c.clock, warning: warning{logger: c.logger}}
	m.began = m.clock()
	m.epoch = rand.Text()
	m.records = newExpiring[memoryRecord]()
	m.results = newResults()
	m.nonces = newExpiring[Owner]()
	m.counts = newExpiring[memoryCounts]()
	return &Memory{Store: m, memory: m}, nil
}

// IsLocal returns true: the records are of this process alone.
func (m *memory) IsLocal() bool { return true }

// Epoch returns a random text, which is another one for each Memory.
func (m *memory) Epoch() string { return m.epoch }

// sweepPerOperation is how many expired entries of each kind one operation
// removes. It is more than one operation adds, so that they do not pile up.
const sweepPerOperation = 8

// query runs an operation at one instant, m.now, under the lock.
func query[T any](ctx context.Context, m *memory, operation func() (T, error)) (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var none T
	if err := ctx.Err(); err != nil {
		return none, fmt.Errorf("store: %w", err)
	}
	// If the clock goes back, time stands still until it has caught up, so that
	// no expired entry exists again.
	m.now = max(m.now, m.clock().Sub(m.began))
	m.sweep()
	return operation()
}

// update runs an operation that returns only an error, as query does.
func (m *memory) update(ctx context.Context, operation func() error) error {
	_, err := query(ctx, m, func() (struct{}, error) { return struct{}{}, operation() })
	return err
}

func (m *memory) sweep() {
	for range sweepPerOperation {
		m.removeExpired()
		if e := m.counts.expired(m.now); e != nil {
			m.removeCounts(e)
		}
	}
}

// removeExpired removes an expired record and an expired nonce, and reports
// whether there was one.
func (m *memory) removeExpired() bool {
	r := m.records.expired(m.now)
	n := m.nonces.expired(m.now)
	if r != nil {
		m.remove(r)
	}
	if n != nil {
		m.nonces.remove(n)
	}
	return r != nil || n != nil
}

// in returns the time d from now, or the last time there is if d is longer.
func (m *memory) in(d time.Duration) time.Duration {
	at := m.now + d
	if d > 0 && at < m.now {
		return 1<<63 - 1
	}
	return at
}

// makeRoom makes room for new entries and for a result of a size, on behalf of
// a partition, and reports whether there is room. If there is not, it has
// removed only expired entries.
func (m *memory) makeRoom(entries int, size int64, partition Digest) bool {
	count := func() int { return m.records.len() + m.nonces.len() + entries }
	need := func() int64 { return int64(count())*entryBytes + size }
	isFull := func() bool {
		return count() > m.maxEntries || need() > m.maxBytes || entries > 0 && m.hasItsShare(partition)
	}
	if entries > 0 {
		m.warnIfNearlyFull(partition)
	}
	for isFull() || need()+m.results.bytes > m.maxBytes {
		if !m.removeExpired() {
			break
		}
	}
	if isFull() {
		return false // even without any result
	}
	for need()+m.results.bytes > m.maxBytes {
		m.results.remove(m.results.next(partition, size))
	}
	return true
}

// hasItsShare reports whether a partition holds as many records and nonces as
// there would be room left for without any result. This is the dynamic
// threshold of Choudhury and Hahne for a buffer that several queues share
// (IEEE/ACM Transactions on Networking 6, 1998).
func (m *memory) hasItsShare(partition Digest) bool {
	return m.held(partition) >= m.capacity()-m.used()
}

// held is how many records and nonces a partition has.
func (m *memory) held(partition Digest) int64 {
	return int64(m.records.held[partition] + m.nonces.held[partition])
}

// capacity is how many records and nonces there is room for without any result.
func (m *memory) capacity() int64 { return min(int64(m.maxEntries), m.maxBytes/entryBytes) }

// used is how many records and nonces there are.
func (m *memory) used() int64 { return int64(m.records.len() + m.nonces.len()) }

// full returns the error for a new entry without room. The store has entries
// then, because every bound leaves room for two.
func (m *memory) full() error {
	end := time.Duration(math.MaxInt64)
	if e := m.records.first(); e != nil {
		end = e.end
	}
	if e := m.nonces.first(); e != nil {
		end = min(end, e.end)
	}
	return &FullError{RetryAfter: end - m.now}
}

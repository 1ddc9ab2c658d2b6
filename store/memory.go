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

// A Memory is a [Store] in the memory of one process. Its records are lost when
// the process ends, and no other process sees them. [NewMemory] returns one;
// the zero Memory is not usable. It is safe for concurrent use.
//
// [WithMaxEntries] and [WithMaxBytes] bound a Memory. It needs no goroutine:
// operations ignore expired entries, and each one frees a few of them. If there
// is no room for a new entry, others are removed in this order:
//
//  1. Expired entries.
//  2. Results: the oldest of the partition whose results take the most bytes.
//     A repeated call then learns that it completed, but not its result.
//
// Records and nonces are never removed before they expire. If removals do not
// make enough room, new claims and nonces get [ErrFull]. A partition gets
// ErrFull earlier: as soon as it holds as many records and nonces as the store
// still has room for. So a single partition takes at most half of the room, and
// two partitions leave a third of it to others. A result that does not fit is
// dropped; its record is kept. Counts have the same two bounds separately, so
// that they take no room from other entries. When they reach a bound, the
// counts that expire first are forgotten.
//
// ErrFull is a [*FullError] with the time until the next entry expires. When
// records and nonces take 80 % of their room, or those of one partition 80 % of
// its share, the Memory logs one line to [slog.Default], in a separate
// goroutine. It can log the next one only after usage has dropped below 30 %.
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

// NewMemory returns an empty Memory. An error names the invalid option.
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

// IsLocal returns true: the records belong to this process alone.
func (m *memory) IsLocal() bool { return true }

// Epoch returns a random text, different for each Memory.
func (m *memory) Epoch() string { return m.epoch }

// sweepPerOperation is how many expired entries of each kind one operation
// removes: more than it can add, so that they do not pile up.
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
	// no expired entry comes back.
	m.now = max(m.now, m.clock().Sub(m.began))
	m.sweep()
	return operation()
}

// update is query for an operation that returns only an error.
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

// in returns the time d from now, or the latest representable time if d reaches
// past it.
func (m *memory) in(d time.Duration) time.Duration {
	at := m.now + d
	if d > 0 && at < m.now {
		return 1<<63 - 1
	}
	return at
}

// makeRoom makes room for new entries and a result of the given size, on behalf
// of a partition, and reports whether there is room. If there is not, it has
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
// would still fit if all results were dropped. This is the dynamic threshold of
// Choudhury and Hahne for a buffer shared by several queues (IEEE/ACM
// Transactions on Networking 6, 1998).
func (m *memory) hasItsShare(partition Digest) bool {
	return m.entriesOf(partition) >= m.capacity()-m.used()
}

// entriesOf returns how many records and nonces a partition has.
func (m *memory) entriesOf(partition Digest) int64 {
	return int64(m.records.perPartition[partition] + m.nonces.perPartition[partition])
}

// capacity is how many records and nonces fit if all results are dropped.
func (m *memory) capacity() int64 { return min(int64(m.maxEntries), m.maxBytes/entryBytes) }

// used is how many records and nonces there are.
func (m *memory) used() int64 { return int64(m.records.len() + m.nonces.len()) }

// full returns the error for a new entry that does not fit. The store has
// entries then, because every bound leaves room for two.
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

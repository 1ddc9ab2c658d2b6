package store

import (
	"context"
	"fmt"
	"time"
)

// memoryCounts has the counts of one key. It stores the digest of a kind, so
// that a long one takes no more room.
type memoryCounts struct {
	byKind map[Digest]int64
	max    int64
}

// Add implements [Store].
func (m *memory) Add(ctx context.Context, key Key, kind string, window time.Duration) (int64, error) {
	switch {
	case key.IsZero():
		return 0, fmt.Errorf("%w: add: the key is zero", ErrInvalid)
	case window <= 0:
		return 0, fmt.Errorf("%w: add: the window is not positive", ErrInvalid)
	}
	id := digestOf(kind)
	return query(ctx, m, func() (int64, error) {
		e := m.countsOf(key)
		if e == nil || e.value.byKind[id] == 0 {
			e = m.addKind(key, window)
		}
		e.value.byKind[id]++
		e.value.max = max(e.value.max, e.value.byKind[id])
		return e.value.byKind[id], nil
	})
}

// Max implements [Store].
func (m *memory) Max(ctx context.Context, key Key) (Count, error) {
	if key.IsZero() {
		return Count{}, fmt.Errorf("%w: max: the key is zero", ErrInvalid)
	}
	return query(ctx, m, func() (Count, error) {
		e := m.countsOf(key)
		if e == nil {
			return Count{}, nil
		}
		return Count{Highest: e.value.max, WindowLeft: e.end - m.now}, nil
	})
}

// Reset implements [Store].
func (m *memory) Reset(ctx context.Context, key Key) error {
	if key.IsZero() {
		return fmt.Errorf("%w: reset: the key is zero", ErrInvalid)
	}
	return m.update(ctx, func() error {
		m.reset(key)
		return nil
	})
}

// HasCounts reports whether the Memory holds a count of its Add, which may have
// expired. It does not wait for other operations. It panics on the zero Memory.
func (m *Memory) HasCounts() bool { return m.memory.kinds.Load() > 0 }

// highest returns the highest count of any kind, zero if nothing was counted.
func (m *memory) highest(key Key) int64 {
	if e := m.countsOf(key); e != nil {
		return e.value.max
	}
	return 0
}

func (m *memory) reset(key Key) {
	if e := m.countsOf(key); e != nil {
		m.removeCounts(e)
	}
}

func (m *memory) countsOf(key Key) *entry[memoryCounts] {
	e := m.counts.entries[key]
	if e != nil && e.end <= m.now {
		m.removeCounts(e)
		return nil
	}
	return e
}

// addKind makes room for one more kind and returns the counts of the key. They
// are new if the old ones had to be removed.
func (m *memory) addKind(key Key, window time.Duration) *entry[memoryCounts] {
	for m.kinds.Load() >= int64(m.maxEntries) || (m.kinds.Load()+1)*kindBytes > m.maxBytes {
		m.removeCounts(m.counts.first())
	}
	m.kinds.Add(1)
	if e := m.counts.entries[key]; e != nil {
		return e
	}
	return m.counts.add(key, m.in(window), memoryCounts{byKind: map[Digest]int64{}})
}

func (m *memory) removeCounts(e *entry[memoryCounts]) {
	m.kinds.Add(-int64(len(e.value.byKind)))
	m.counts.remove(e)
}

package store

import "log/slog"

// A Memory warns when this share of its room is taken, in percent, and may warn
// again once usage drops below the second share.
const (
	warnAt  = 80
	rearmAt = 30
	whole   = 100
)

// A warning is logged once, and not again until much of the room is free.
type warning struct {
	logger *slog.Logger // of a test; nil: slog.Default()
	given  bool
}

// warnIfNearlyFull logs the first time that a partition has little room left.
// It is called under the lock, so it does not wait for the logger.
func (m *memory) warnIfNearlyFull(partition Digest) {
	used := m.used()
	held := m.entriesOf(partition)
	capacity := m.capacity()
	share := (capacity - used + held) / 2 // the point at which the partition gets no more
	switch {
	case used*whole < capacity*rearmAt:
		m.warning.given = false
	case !m.warning.given && (used*whole >= capacity*warnAt || held*whole >= share*warnAt):
		m.warning.given = true
		go m.warning.log(used, capacity)
	}
}

func (w warning) log(used, capacity int64) {
	defer func() { _ = recover() }() // a panic of the program's log handler
	l := w.logger
	if l == nil {
		l = slog.Default()
	}
	l.Warn("the store in memory is nearly full; when it is, new managed calls are refused",
		"entries", used, "room", capacity,
		"remedy", "raise WithMaxEntries and WithMaxBytes, shorten retentions, or use package redisstore")
}

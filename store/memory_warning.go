package store

import "log/slog"

// A Memory warns when this part of the room is taken, in percent, and may warn
// again when less than the second part is.
const (
	warnAt  = 80
	rearmAt = 30
	whole   = 100
)

// A warning is logged once, until much of the room is free again.
type warning struct {
	logger *slog.Logger // of a test; nil: slog.Default()
	given  bool
}

// warnIfNearlyFull logs the first time that there is little room left for a
// partition. It is called under the lock, so that the logger is not waited for.
func (m *memory) warnIfNearlyFull(partition Digest) {
	used := m.used()
	held := m.held(partition)
	capacity := m.capacity()
	share := (capacity - used + held) / 2 // at which the partition gets no more
	switch {
	case used*whole < capacity*rearmAt:
		m.warning.given = false
	case !m.warning.given && (used*whole >= capacity*warnAt || held*whole >= share*warnAt):
		m.warning.given = true
		go m.warning.log(used, capacity)
	}
}

func (w warning) log(used, capacity int64) {
	defer func() { _ = recover() }() // of a handler of the program
	l := w.logger
	if l == nil {
		l = slog.Default()
	}
	l.Warn("the store in memory is nearly full; when it is, new managed calls are refused",
		"entries", used, "room", capacity,
		"remedy", "raise WithMaxEntries and WithMaxBytes, shorten retentions, or use package redisstore")
}

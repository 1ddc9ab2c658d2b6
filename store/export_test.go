package store

import "log/slog"

// DefaultMaxBytes is the default bound of a Memory.
const DefaultMaxBytes = defaultMaxBytes

// WithLogger sets the logger of the line that a Memory writes when it is nearly
// full.
func WithLogger(l *slog.Logger) MemoryOption {
	return memoryOptionFunc(func(c *memoryConfig) error {
		c.logger = l
		return nil
	})
}

// TakeAt is Take of valid buckets at a time already read.
var TakeAt = (*MemoryLimiter).takeAt

// Held is the number of buckets in memory.
func Held(l *MemoryLimiter) int { return len(l.buckets) }

// LockOrder returns the names of known buckets in the order in which a Take
// locks them.
func LockOrder(l *MemoryLimiter, buckets ...Bucket) []string {
	levels := l.find(nil, buckets)
	lock(levels)
	defer unlock(levels)
	names := make([]string, 0, len(levels))
	for _, level := range levels {
		names = append(names, level.bucket.Name)
	}
	return names
}

// DefaultMaxBuckets is the default bound of a MemoryLimiter.
const DefaultMaxBuckets = defaultMaxEntries

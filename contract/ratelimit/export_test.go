package ratelimit

// TakeAt is Take of valid buckets at a time that was read before.
var TakeAt = (*Memory).takeAt

// Held is the number of buckets in memory.
func Held(l *Memory) int { return len(l.buckets) }

// LockOrder returns the names of known buckets in the order in which a Take
// locks them.
func LockOrder(l *Memory, buckets ...Bucket) []string {
	levels := l.find(nil, buckets)
	lock(levels)
	defer unlock(levels)
	names := make([]string, 0, len(levels))
	for _, level := range levels {
		names = append(names, level.bucket.Name)
	}
	return names
}

// DefaultMaxBuckets is the bound of a Memory without options.
const DefaultMaxBuckets = defaultMaxBuckets

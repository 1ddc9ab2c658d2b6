package ratelimit

// TakeAt is Take of valid buckets at a time that was read before.
var TakeAt = (*Memory).takeAt

// Held is the number of buckets in memory.
func Held(l *Memory) int { return len(l.buckets) }

package ratelimit

// TakeAt is Take of valid buckets at a time that was read before.
var TakeAt = (*Memory).takeAt

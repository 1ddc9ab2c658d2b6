//go:build race

package guard_test

// countsAllocations is false because the race detector allocates too.
const countsAllocations = false

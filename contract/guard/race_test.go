//go:build race

package guard_test

// The race detector allocates too.
func init() { countsAllocations = false }

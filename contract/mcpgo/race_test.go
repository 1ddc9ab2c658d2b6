//go:build race

package mcpgo_test

// The race detector allocates too.
func init() { countsAllocations = false }

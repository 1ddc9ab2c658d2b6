//go:build race

package mcpgo_test

// countsAllocations is false because the race detector allocates too.
const countsAllocations = false

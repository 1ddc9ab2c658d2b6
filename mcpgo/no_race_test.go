//go:build !race

package mcpgo_test

// countsAllocations reports whether only the tested code allocates.
const countsAllocations = true

//go:build !race

package guard_test

// countsAllocations reports whether only the tested code allocates.
const countsAllocations = true

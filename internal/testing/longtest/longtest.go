// Package longtest decides what a test run includes. By default a run has few
// generated cases and skips the slowest tests. If the environment variable
// TOOLCONTRACT_LONG is 1, as in .ci/run, it includes everything.
package longtest

import (
	"os"
	"testing"
)

// Enabled reports whether TOOLCONTRACT_LONG is 1.
func Enabled() bool { return os.Getenv("TOOLCONTRACT_LONG") == "1" }

// Count returns long if TOOLCONTRACT_LONG is 1, and short otherwise.
func Count(tb testing.TB, short, long int) int {
	tb.Helper()
	if Enabled() {
		return long
	}
	return short
}

// Only skips the test unless TOOLCONTRACT_LONG is 1. Use it for a test that
// takes seconds, such as one that starts a browser or builds a program.
func Only(tb testing.TB) {
	tb.Helper()
	if !Enabled() {
		tb.Skip("TOOLCONTRACT_LONG is not 1")
	}
}

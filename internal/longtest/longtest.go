// Package longtest sets how many generated cases a test runs: few by default,
// and many if the environment variable TOOLCONTRACT_LONG is 1, as in .ci/run.
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

// Package longtest leaves the slowest tests out, unless the environment
// variable TOOLCONTRACT_LONG is 1.
package longtest

import (
	"os"
	"testing"
)

// Only skips the test unless TOOLCONTRACT_LONG is 1. It is for a test that
// takes seconds, such as one that reads the source of a whole server.
func Only(tb testing.TB) {
	tb.Helper()
	if os.Getenv("TOOLCONTRACT_LONG") != "1" {
		tb.Skip("TOOLCONTRACT_LONG is not 1")
	}
}

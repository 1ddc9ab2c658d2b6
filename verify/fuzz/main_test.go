package fuzz_test

import (
	"flag"
	"os"
	"testing"
)

// Many tests make a check of package rapid fail, so it must not write files. It
// draws the same cases each time, unless -rapid.seed or RAPID_SEED is set: with
// some seeds, the few cases of a test do not reach a handler.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("rapid.nofailfile", "true")
	_ = flag.Set("rapid.steps", "12")
	if testing.Short() { // rapid then takes a fifth
		_ = flag.Set("rapid.checks", "500")
	}
	if os.Getenv("RAPID_SEED") == "" && flag.Lookup("rapid.seed").Value.String() == "0" {
		_ = flag.Set("rapid.seed", "1")
	}
	os.Exit(m.Run())
}

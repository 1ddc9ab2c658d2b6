package fuzz_test

import (
	"flag"
	"os"
	"testing"
)

// Many tests make a check of package rapid fail, so it writes no files.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("rapid.nofailfile", "true")
	_ = flag.Set("rapid.steps", "12")
	os.Exit(m.Run())
}

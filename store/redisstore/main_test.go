package redisstore_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/longtest"
)

// Each case of the suite is a round trip or more, so few are drawn by default.
func TestMain(m *testing.M) {
	if !longtest.Enabled() {
		if err := flag.Set("rapid.checks", "20"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

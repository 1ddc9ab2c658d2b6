package draw_test

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("rapid.nofailfile", "true") // these failures are the point of a test
	os.Exit(m.Run())
}

// A quiet is a test that fails without failing.
type quiet struct {
	testing.TB

	failed bool
}

func (*quiet) Helper()                     {}
func (*quiet) Logf(string, ...any)         {}
func (*quiet) Log(...any)                  {}
func (q *quiet) Errorf(string, ...any)     { q.failed = true }
func (q *quiet) Failed() bool              { return q.failed }
func (q *quiet) FailNow()                  { panic("the check failed") }
func (q *quiet) Fatalf(_ string, _ ...any) { panic("the check failed") }

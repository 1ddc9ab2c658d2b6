package storetest

import (
	"fmt"

	"pgregory.net/rapid"
)

// drawn returns a check that draws values for a property, and shrinks them if
// the store violates it.
func drawn(property func(*rapid.T, *runner)) func(*runner) {
	return func(t *runner) {
		r := &recorder{name: t.test}
		rapid.Check(r, func(rt *rapid.T) {
			one := newRunner(t.ctx, t.Harness)
			one.during, one.fail = t.during, rt.Fatalf
			property(rt, one)
		})
		if r.failure != "" {
			t.fail("%s", r.failure)
		}
	}
}

// A recorder takes the place of the test that rapid runs in. It records the
// failure.
type recorder struct {
	rapid.TB
	name, failure string
}

func (r *recorder) Helper()             {}
func (r *recorder) Name() string        { return r.name }
func (r *recorder) Log(...any)          {}
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Failed() bool        { return r.failure != "" }
func (r *recorder) FailNow()            {} // the last call of rapid.Check

func (r *recorder) Errorf(format string, args ...any) {
	if r.failure == "" {
		r.failure = fmt.Sprintf(format, args...)
	}
}

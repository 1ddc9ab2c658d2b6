// Package failtest has a testing.TB whose failures can be read. It does not
// fail the test that runs it.
package failtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// A T records what a test reports. [T.FailNow] ends the test with a panic,
// which [Text] recovers.
type T struct {
	testing.TB

	Logs, Errors []string
	texts        []string // both, in order
	cleanups     []func()
}

// Helper does nothing.
func (*T) Helper() {}

// Logf records a log.
func (t *T) Logf(format string, args ...any) {
	t.Logs = append(t.Logs, fmt.Sprintf(format, args...))
	t.texts = append(t.texts, fmt.Sprintf(format, args...))
}

// Log records a log.
func (t *T) Log(args ...any) { t.Logf("%s", fmt.Sprint(args...)) }

// Errorf records an error.
func (t *T) Errorf(format string, args ...any) {
	t.Errors = append(t.Errors, fmt.Sprintf(format, args...))
	t.texts = append(t.texts, fmt.Sprintf(format, args...))
}

func (t *T) Error(args ...any) { t.Errorf("%s", fmt.Sprint(args...)) }

// Failed reports whether there was an error.
func (t *T) Failed() bool { return len(t.Errors) > 0 }

// FailNow ends the test.
func (t *T) FailNow() {
	if !t.Failed() {
		t.Errorf("the test failed")
	}
	panic(t) //nolint:forbidigo // Text recovers it
}

// Fatalf records an error and ends the test.
func (t *T) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	t.FailNow()
}

// Fatal records an error and ends the test.
func (t *T) Fatal(args ...any) { t.Fatalf("%s", fmt.Sprint(args...)) }

// Text returns what f reports if it fails, and "" if it passes.
func Text(tb testing.TB, f func(testing.TB)) string {
	tb.Helper()
	t := &T{TB: tb}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(t) {
				panic(p) //nolint:forbidigo // not our panic
			}
		}()
		f(t)
	}()
	if !t.Failed() {
		return ""
	}
	return strings.Join(t.texts, "\n")
}

// Example runs f with a testing.TB for an example, which has none. A failure
// panics.
func Example(f func(testing.TB)) {
	e := &example{}
	f(e)
	for _, cleanup := range e.cleanups {
		cleanup()
	}
}

type example struct{ T }

func (*example) Context() context.Context       { return context.Background() }
func (e *example) Cleanup(f func())             { e.cleanups = append(e.cleanups, f) }
func (*example) Errorf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) } //nolint:forbidigo // it has no test
func (*example) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) } //nolint:forbidigo // it has no test

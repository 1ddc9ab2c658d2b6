package storetest

import (
	"fmt"
	"testing"
	"time"
)

// A suite is the list of checks for one interface. H is the harness of an
// implementation.
type suite[H any] struct {
	checks []check[H] // in the order they run
	// incomplete names what the harness must have before anything can be
	// checked, or returns "" if nothing is missing.
	incomplete func(H) string
}

type check[H any] struct {
	name        string // stable, such as "claim-atomic"
	explanation string // the rule in one sentence
	// do returns nil if the implementation follows the rule.
	do func(H) error
	// missing names the optional hook that the check needs and the harness
	// lacks, or returns "". Nil means that the check needs no optional hook.
	missing func(H) string
}

// run runs each check in a subtest named after its rule. It calls newHarness
// once for each, and skips checks whose hook the harness lacks.
func (s suite[H]) run(t *testing.T, newHarness func(t *testing.T) H) {
	t.Helper()
	for _, c := range s.checks {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			if hook := c.lacks(h); hook != "" {
				t.Skipf("the harness lacks %s", hook)
			}
			if err := s.check(c, h); err != nil {
				t.Errorf("%v\nThe rule: %s", err, c.explanation)
			}
		})
	}
}

func (c check[H]) lacks(h H) string {
	if c.missing == nil {
		return ""
	}
	return c.missing(h)
}

// check returns nil or a [*ruleError].
func (s suite[H]) check(c check[H], h H) error {
	if what := s.incomplete(h); what != "" {
		return &ruleError{c.name, "the harness lacks " + what}
	}
	if err := c.do(h); err != nil {
		return &ruleError{c.name, err.Error()}
	}
	return nil
}

// A ruleError reports that an implementation violates a rule.
type ruleError struct{ rule, message string }

func (e *ruleError) Error() string { return "storetest: " + e.rule + ": " + e.message }

// mistake returns an error that describes what an implementation does wrong.
func mistake(format string, args ...any) error { return fmt.Errorf(format, args...) }

// bounded calls f on a goroutine of its own and waits for it for at most d. If
// f panics, ends its goroutine or takes longer, violation is an error that
// names the call, using what(). Otherwise result is what f returned.
func bounded(d time.Duration, what func() string, f func() error) (result, violation error) {
	type end struct{ result, violation error }
	done := make(chan end, 1)
	go func() {
		var e end
		returned := false
		defer func() {
			if value := recover(); value != nil {
				e.violation = mistake("%s panicked: %v", what(), value)
			} else if !returned {
				e.violation = mistake("%s ended its goroutine", what())
			}
			done <- e
		}()
		e.result = f()
		returned = true
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case e := <-done:
		return e.result, e.violation
	case <-timer.C:
		return nil, mistake("%s did not return within %v", what(), d)
	}
}

// lacks returns what if it is missing, or "".
func lacks(missing bool, what string) string {
	if missing {
		return what
	}
	return ""
}

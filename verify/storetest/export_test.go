package storetest

import (
	"errors"
	"testing"

	"github.com/toolcontract/toolcontract/store"
)

// A RuleError is one violation.
type RuleError struct{ Rule, Message string }

// Check checks a store against every rule. Violations has the violations, and
// the error all of them.
func Check(newHarness func() Harness) (violations []RuleError, err error) {
	return checkAll(storeSuite(), newHarness)
}

// CheckSink is Check for a sink.
func CheckSink(newHarness func() SinkHarness) (violations []RuleError, err error) {
	return checkAll(sinkSuite(), newHarness)
}

// checkAll runs the checks of a suite without a test. A check whose hook the
// harness lacks is left out.
func checkAll[H any](s suite[H], newHarness func() H) (violations []RuleError, err error) {
	var errs []error
	for _, c := range s.checks {
		h := newHarness()
		if c.lacks(h) != "" {
			continue
		}
		if err := s.check(c, h); err != nil {
			errs = append(errs, err)
			if e, ok := errors.AsType[*ruleError](err); ok {
				violations = append(violations, RuleError{e.rule, e.message})
			}
		}
	}
	return violations, errors.Join(errs...)
}

// A Rule is one rule of stores.
type Rule struct{ Name, Explanation string }

// Rules returns the rules of stores in the order in which they are checked.
func Rules() (all []Rule) {
	for _, c := range storeSuite().checks {
		all = append(all, Rule{c.name, c.explanation})
	}
	return all
}

// CheckProcesses is RunProcesses with an error in place of a failure.
func CheckProcesses(t *testing.T, place func(*testing.T) string, open func(*testing.T, string) Harness) error {
	t.Helper()
	return runProcesses(t, place, open)
}

// Summary returns what a report shows of what Claim or Get returned.
func Summary(operation string, c store.ClaimResult, r store.Record) string {
	return reply{claim: c, record: r}.summary(operation)
}

package storetest

import (
	"errors"
	"testing"

	"github.com/toolcontract/toolcontract/store"
)

// A RuleError is one violation.
type RuleError struct{ Rule, Message string }

// Check checks a store against every rule. It returns the violations, and an
// error that joins them.
func Check(newHarness func() Harness) (violations []RuleError, err error) {
	return checkAll(storeSuite(), newHarness)
}

// CheckSink is Check for a sink.
func CheckSink(newHarness func() SinkHarness) (violations []RuleError, err error) {
	return checkAll(sinkSuite(), newHarness)
}

// checkAll runs a suite's checks without a test. It leaves out checks whose
// hook the harness lacks.
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

// Rules returns the rules of stores in the order they are checked in.
func Rules() (all []Rule) {
	for _, c := range storeSuite().checks {
		all = append(all, Rule{c.name, c.explanation})
	}
	return all
}

// CheckProcesses is RunProcesses, but returns an error instead of failing.
func CheckProcesses(t *testing.T, place func(*testing.T) string, open func(*testing.T, string) Harness) error {
	t.Helper()
	return runProcesses(t, place, open)
}

// Summary returns what a report shows of the result of Claim or Get.
func Summary(operation string, c store.ClaimResult, r store.Record) string {
	return reply{claim: c, record: r}.summary(operation)
}

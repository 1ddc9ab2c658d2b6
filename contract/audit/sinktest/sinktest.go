package sinktest

import (
	"errors"
	"testing"
)

// Run checks a sink against every rule, each in a subtest with its name. newHarness is called once for
// each. A rule whose hook the harness lacks is skipped.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	t.Helper()
	for _, rule := range Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			h := newHarness(t)
			if what := rule.lack(h); what != "" {
				t.Skipf("the harness lacks %s", what)
			}
			if err := rule.verdict(h); err != nil {
				t.Errorf("%v\n%s", err, rule.Explanation)
			}
		})
	}
}

// Check checks a sink against every rule, outside a test, and returns all violations joined; use
// [RuleErrors] to take them apart. newHarness is called once for each rule. A rule whose hook the
// harness lacks is left out.
func Check(newHarness func() Harness) error {
	var errs []error
	for _, rule := range Rules() {
		if h := newHarness(); rule.lack(h) == "" {
			errs = append(errs, rule.verdict(h))
		}
	}
	return errors.Join(errs...)
}

// lack names what the harness lacks for the rule, empty where nothing. What it must have is missed by
// verdict.
func (r Rule) lack(h Harness) string {
	if r.missing == nil {
		return ""
	}
	return r.missing(h)
}

// verdict checks one sink against one rule; the error is a [*RuleError].
func (r Rule) verdict(h Harness) error {
	if h.Sink == nil || h.Kept == nil {
		return &RuleError{Rule: r.Name, Message: "the harness lacks Sink or Kept"}
	}
	err := r.check(h)
	if err == nil {
		return nil
	}
	v, ok := errors.AsType[*RuleError](err)
	if !ok {
		v = &RuleError{Message: err.Error()}
	}
	v.Rule = r.Name
	return v
}

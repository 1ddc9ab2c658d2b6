package rules

import (
	"errors"
	"testing"
)

// A Requirement is one requirement of an interface that a suite checks.
type Requirement struct {
	// Name is stable, such as "claim-atomic".
	Name string
	// Explanation is the requirement in one sentence.
	Explanation string
}

// A Check checks one [Requirement] on an implementation in a harness H.
type Check[H any] struct {
	// Name and Explanation describe the rule.
	Name, Explanation string
	// Do returns nil if the implementation follows the rule. Any error counts
	// as a violation, even one that isn't an [*Error].
	Do func(H) error
	// Missing names the optional hook that the check needs but the harness
	// lacks, or returns "" if nothing is missing. A nil Missing means that the
	// check needs no optional hook.
	Missing func(H) string
}

// A Suite is the list of checks for one interface.
type Suite[H any] struct {
	// Name is the name of the suite's package; every error begins with it.
	Name string
	// Checks lists the checks in the order they run.
	Checks []Check[H]
	// Incomplete names what the harness lacks if nothing can be checked without
	// it. It returns "" if the harness is complete.
	Incomplete func(H) string
}

// Rules returns the rules in the order of the checks. The slice belongs to the
// caller.
func (s Suite[H]) Rules() []Requirement {
	all := make([]Requirement, len(s.Checks))
	for i, c := range s.Checks {
		all[i] = Requirement{Name: c.Name, Explanation: c.Explanation}
	}
	return all
}

// Run runs each check in a subtest named after its rule. It calls newHarness
// once per check. It skips a check whose hook the harness lacks.
func (s Suite[H]) Run(t *testing.T, newHarness func(t *testing.T) H) {
	t.Helper()
	for _, c := range s.Checks {
		t.Run(c.Name, func(t *testing.T) {
			h := newHarness(t)
			if hook := c.missing(h); hook != "" {
				t.Skipf("the harness lacks %s", hook)
			}
			if err := s.check(c, h); err != nil {
				t.Errorf("%v\nThe rule: %s", err, c.Explanation)
			}
		})
	}
}

// Check runs each check outside a test and returns the violations joined; see
// [Errors]. It calls newHarness once per check. It leaves out a check whose
// hook the harness lacks.
func (s Suite[H]) Check(newHarness func() H) error {
	var errs []error
	for _, c := range s.Checks {
		if h := newHarness(); c.missing(h) == "" {
			errs = append(errs, s.check(c, h))
		}
	}
	return errors.Join(errs...)
}

func (c Check[H]) missing(h H) string {
	if c.Missing == nil {
		return ""
	}
	return c.Missing(h)
}

// check returns nil or an [*Error].
func (s Suite[H]) check(c Check[H], h H) error {
	if what := s.Incomplete(h); what != "" {
		return &Error{Suite: s.Name, Rule: c.Name, Message: "the harness lacks " + what}
	}
	err := c.Do(h)
	if err == nil {
		return nil
	}
	violation, ok := errors.AsType[*Error](err)
	if !ok {
		violation = &Error{Message: err.Error()}
	}
	violation.Suite, violation.Rule = s.Name, c.Name
	return violation
}

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
	// Name and Explanation are those of the rule.
	Name, Explanation string
	// Do returns nil if the implementation follows the rule. An error that is
	// not an [*Error] is its violation too.
	Do func(H) error
	// Missing names the optional hook that the check needs and the harness
	// lacks. It returns the empty string if nothing is missing. Nil means that
	// the check needs no optional hook.
	Missing func(H) string
}

// A Suite is the list of checks for one interface.
type Suite[H any] struct {
	// Name is the name of the suite's package, which begins every error.
	Name string
	// Checks are the checks in the order in which they run.
	Checks []Check[H]
	// Incomplete names what the harness lacks without which nothing can be
	// checked, and returns the empty string if it is complete.
	Incomplete func(H) string
}

// Rules returns the rules in the order of the checks, in a slice that belongs
// to the caller.
func (s Suite[H]) Rules() []Requirement {
	all := make([]Requirement, len(s.Checks))
	for i, c := range s.Checks {
		all[i] = Requirement{Name: c.Name, Explanation: c.Explanation}
	}
	return all
}

// Run runs each check in a subtest with the name of its rule. It calls
// newHarness once for each. A check whose hook the harness lacks is skipped.
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

// Check runs each check without a test and returns the violations joined; see
// [Errors]. It calls newHarness once for each check. A check whose hook the
// harness lacks is left out.
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

package adapters_test

import (
	"slices"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

// A RuleError reports that an adapter violates a rule, such as "list-aliases".
// Its Message shows the wire, the message that was sent, the answer, and what
// the rule expects.
type RuleError = rules.Error

// RuleErrors returns every [RuleError] in the error of [Check], in the order of
// the rules.
func RuleErrors(err error) []*RuleError { return rules.Errors(err) }

// Run checks an adapter against every rule, each in a subtest named after it.
// It calls newHarness once per rule. It skips a rule that needs a transport or
// capability the harness doesn't state.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	t.Helper()
	suite().Run(t, newHarness)
}

// Check checks an adapter against every rule outside a test and returns all
// violations joined; see [RuleErrors]. It calls newHarness once per rule. It
// leaves out a rule that needs a transport or capability the harness doesn't
// state.
func Check(newHarness func() Harness) error { return suite().Check(newHarness) }

// CheckOnly is [Check] for some rules.
func CheckOnly(names []string, newHarness func() Harness) error {
	s := suite()
	s.Checks = slices.DeleteFunc(s.Checks, func(c rules.Check[Harness]) bool { return !slices.Contains(names, c.Name) })
	return s.Check(newHarness)
}

// Rules returns the rules in the order they are checked. The slice belongs to
// the caller.
func Rules() []rules.Requirement { return suite().Rules() }

// maxCheck is how long the check of a rule may take on one wire.
const maxCheck = time.Minute

// rule returns the check of a rule, which runs on every wire that meets the
// needs.
func rule(name, explanation string, check func(*checkRun), needs ...need) rules.Check[Harness] {
	return rules.Check[Harness]{
		Name: name, Explanation: explanation,
		Missing: func(h Harness) string {
			if h.incomplete() != "" {
				return "" // which is reported as a violation
			}
			_, lacking := h.meeting(needs)
			return lacking
		},
		Do: func(h Harness) error {
			wires, _ := h.meeting(needs)
			for _, w := range wires {
				if err := newTrial(h, w).do(check); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func suite() rules.Suite[Harness] {
	return rules.Suite[Harness]{
		Name:       "adapters",
		Incomplete: Harness.incomplete,
		Checks: slices.Concat(
			listRules(), pageRules(), nameRules(), aliasRules(), unknownRules(),
			callRules(), argumentRules(), failureRules(), contentRules(), metaRules(),
			identityRules(), keyRules(), dryRunRules(),
			confirmRules(), stateRules(), stepUpRules(),
			progressRules(), cancelRules(), auditRules(), endRules(),
		),
	}
}

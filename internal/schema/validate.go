package schema

import (
	"errors"
	"fmt"
	"slices"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// MaxViolations is the number of violations that Validate lists. If there are
// more, one further violation with the rule [RuleMore] counts them.
const MaxViolations = 20

// Validate returns all violations in a value, sorted by pointer, name by name,
// then by rule. The value consists of the types strictjson.Parse returns.
//
// If no branch of an anyOf or oneOf matches, Validate returns the violations of
// the intended branch, if that is clear: the only one of the value's type, or
// the only one whose constants the value has. If a member identifies every
// branch by a constant and the value has none of those constants, the violation
// is that member. Otherwise the branch with the fewest violations is named,
// along with its violations. Messages name a branch by its constant, or else by
// its title.
//
// For every schema that [Compile] accepts, the work is linear in the size of
// the value. If the validator fails, the only violation has the rule
// [RuleInternal].
func (s *Schema) Validate(value any) []Violation {
	v := s.validator()
	return v.validate(v.root, value)
}

// validate validates a value against one schema of the document.
func (v *validator) validate(part *santhosh.Schema, value any) (violations []Violation) {
	defer func() {
		if recover() != nil {
			violations = []Violation{{Rule: RuleInternal, Message: "could not be validated"}}
		}
	}()
	err := part.Validate(value)
	if err == nil {
		return nil
	}
	var broken *santhosh.ValidationError
	if !errors.As(err, &broken) {
		return []Violation{{Rule: RuleInternal, Message: "could not be validated"}}
	}
	return report(broken, v.document)
}

// report returns the violations to show for a validator error.
func report(broken *santhosh.ValidationError, document *tree.Document) []Violation {
	c := collector{document}
	findings := c.collect(broken)
	slices.SortStableFunc(findings, finding.compare)
	findings = slices.CompactFunc(findings, func(a, b finding) bool {
		return a.compare(b) == 0 && a.text() == b.text()
	})
	shown := findings[:min(len(findings), MaxViolations)]
	violations := make([]Violation, 0, len(shown)+1)
	for _, f := range shown {
		violations = append(violations, Violation{f.rule, f.pointer(), f.text()})
	}
	if more := len(findings) - len(shown); more > 0 {
		violations = append(violations, Violation{Rule: RuleMore, Message: fmt.Sprintf("and %d more violations", more)})
	}
	if len(violations) == 0 {
		return []Violation{{Rule: RuleInternal, Message: "could not be validated"}}
	}
	return violations
}

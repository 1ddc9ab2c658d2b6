package oldschema

import (
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// MaxViolations is how many violations Validate lists. Where there are more, one more entry, of rule [RuleMore], counts
// them.
const MaxViolations = 20

// Validate returns everything that tree breaks, sorted by pointer, name by name, and then by rule, and nil where it breaks nothing.
// tree is of the kinds that strictjson.Parse makes.
//
// Where no form of an anyOf or oneOf holds, the violations are those of the one form that was meant, if that can be
// told: the only one of the value's type, or the only one whose constants the value has.
//
// Work is linear in the size of tree for every schema that [Compile] accepts. Should the validator fail, the one
// violation has rule [RuleInternal].
func (s *Schema) Validate(tree any) []Violation {
	return s.validate(s.validator, tree)
}

func (s *Schema) validate(validator *jsonschema.Schema, tree any) (violations []Violation) {
	defer func() {
		if recover() != nil {
			violations = []Violation{{Rule: RuleInternal, Message: "could not be validated"}}
		}
	}()
	err := validator.Validate(tree)
	if err == nil {
		return nil
	}
	var broken *jsonschema.ValidationError
	if !errors.As(err, &broken) {
		return []Violation{{Rule: RuleInternal, Message: "could not be validated"}}
	}
	return report(broken, s.graph)
}

// report turns the validator's tree of errors into the violations to show.
func report(broken *jsonschema.ValidationError, schemas *graph) []Violation {
	c := collector{schemas: schemas}
	findings := c.collect(broken)
	slices.SortStableFunc(findings, finding.compare)
	findings = slices.CompactFunc(findings, func(a, b finding) bool {
		return a.compare(b) == 0 && a.message() == b.message()
	})
	shown := findings[:min(len(findings), MaxViolations)]
	violations := make([]Violation, 0, len(shown)+1)
	for _, f := range shown {
		violations = append(violations, Violation{f.rule, f.pointer(), f.message()})
	}
	if more := len(findings) - len(shown); more > 0 {
		violations = append(violations, Violation{Rule: RuleMore, Message: fmt.Sprintf("and %d more violations", more)})
	}
	if len(violations) == 0 {
		return []Violation{{Rule: RuleInternal, Message: "could not be validated"}}
	}
	return violations
}

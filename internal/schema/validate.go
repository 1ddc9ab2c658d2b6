package schema

import (
	"errors"
	"fmt"
	"slices"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// MaxViolations is the number of violations that Validate lists. If there are
// more, another one with the rule [RuleMore] counts them.
const MaxViolations = 20

// Validate returns all violations of tree, sorted by pointer, name by name, and
// then by rule. The tree consists of the types that strictjson.Parse returns.
//
// If no branch of an anyOf or oneOf matches, the violations are those of the
// intended branch, if it is clear: the only one of the type of the value, or
// the only one whose constants the value has. If a member identifies every
// branch by a constant and the value has none of them, that member is the
// violation. Otherwise the branch with the fewest violations is named, with its
// violations. Messages name a branch by its constant, else by its title.
//
// The work is linear in the size of tree for every schema that [Compile]
// accepts. If the validator fails, the only violation has the rule
// [RuleInternal].
func (s *Schema) Validate(tree any) []Violation {
	v := s.validator()
	return v.validate(v.root, tree)
}

// validate validates with one schema of the document.
func (v *validator) validate(part *santhosh.Schema, tree any) (violations []Violation) {
	defer func() {
		if recover() != nil {
			violations = []Violation{{Rule: RuleInternal, Message: "could not be validated"}}
		}
	}()
	err := part.Validate(tree)
	if err == nil {
		return nil
	}
	var broken *santhosh.ValidationError
	if !errors.As(err, &broken) {
		return []Violation{{Rule: RuleInternal, Message: "could not be validated"}}
	}
	return report(broken, v.document)
}

// report returns the violations to show for an error of the validator.
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

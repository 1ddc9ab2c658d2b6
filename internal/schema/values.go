package schema

import (
	"fmt"

	"github.com/toolcontract/toolcontract/internal/schema/defaults"
	"github.com/toolcontract/toolcontract/internal/schema/scan"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A valueTester tries the values written in a document on the document's own
// schemas.
type valueTester struct {
	document  *tree.Document
	validator func() *validator
	scanners  map[*tree.Node]*scan.Scanner // nil: ask only the validator
}

// tryValues finds a schema's defaults and reports each default, example and
// enum value that a schema refuses. It doesn't try examples and enum values of
// a lenient schema.
func (t *valueTester) tryValues(opts CompileOptions) (*defaults.Plan, []Problem) {
	var filled *defaults.Plan
	var faults []defaults.Fault
	if !opts.Unfilled {
		filled, faults = defaults.New(t.document, t.refusal, defaults.Options{
			Lenient: opts.Lenient, Anywhere: opts.Direction == Output,
		})
	}
	var problems []Problem
	for _, f := range faults[:min(len(faults), maxProblems)] {
		problems = append(problems, defaultProblem(f))
	}
	if opts.Lenient {
		return filled, problems
	}
	for _, n := range t.document.All {
		if len(problems) >= maxProblems {
			break
		}
		problems = append(problems, t.tryList(n, RuleExample, "examples")...)
		problems = append(problems, t.tryList(n, RuleEnum, "enum")...)
	}
	return filled, problems
}

func defaultProblem(f defaults.Fault) Problem {
	problem := Problem{
		Rule: RuleDefault, Field: strictjson.Pointer(f.Schema.Pointer(), "default"),
		Remedy: "correct the default or the keyword that refuses it",
	}
	switch f.Kind {
	case defaults.Misplaced:
		problem.Rule = RuleDefaultPath
		problem.Message = "is not filled in, because " + f.Detail + " leads to it; a default counts only on a path of properties, " +
			"items, $ref and an anyOf with null"
		problem.Remedy = "remove the default and set the value in the handler, or move the default to a property"
	case defaults.Endless:
		problem.Rule = RuleRecursion
		problem.Message = fmt.Sprintf("contains itself, without end, or more than %d other defaults", defaults.MaxDefaults)
		problem.Remedy = "remove the default of the object that recurs"
	case defaults.Refused:
		problem.Message = "is refused by its own schema: " + f.Detail
	case defaults.Unproved:
		by := strictjson.Pointer(f.By.Pointer(), f.Detail)
		problem.Message = "cannot be proved to fit: " + by + " may refuse the object that gets it, or a value around it"
		problem.Remedy = "remove the default and set the value in the handler, or remove that keyword"
	case defaults.Unchecked:
		problem.Message = "is not checked, because the check of all defaults of this document takes too long"
		problem.Remedy = "remove defaults, or let fewer schemas apply to the same value"
	}
	return problem
}

// refusal returns why a schema of the document refuses a value, or "". The
// reason never contains the value, even though the author wrote it. A schema
// that doesn't compile refuses nothing: it is below a keyword already known to
// be wrong, because a document without problems compiles as a whole.
func (t *valueTester) refusal(n *tree.Node, value any) string {
	if t.accepts(n, value) {
		return ""
	}
	v := t.validator()
	part := v.at(n.Index())
	if part == nil {
		return ""
	}
	violations := v.validate(part, value)
	switch {
	case len(violations) == 0:
		return ""
	case violations[0].Pointer != "":
		return violations[0].Pointer + " " + violations[0].Message
	default:
		return violations[0].Message
	}
}

// accepts reports whether a schema of the document certainly accepts a value.
func (t *valueTester) accepts(n *tree.Node, value any) bool {
	if t.scanners == nil {
		return false
	}
	scanner, known := t.scanners[n]
	if !known {
		scanner = scan.New(n, nil, scanned(func(*tree.Node) func(any) bool { return nil }))
		t.scanners[n] = scanner
	}
	text, err := strictjson.Marshal(value)
	if err != nil {
		return false
	}
	_, ok := scanner.Canonical(text)
	return ok
}

func (t *valueTester) tryList(n *tree.Node, rule, keyword string) []Problem {
	var problems []Problem
	for i, value := range n.List(keyword) {
		if len(problems) >= maxProblems {
			break
		}
		if why := t.refusal(n, value); why != "" {
			problems = append(problems, Problem{
				Rule: rule, Field: strictjson.PointerIndex(strictjson.Pointer(n.Pointer(), keyword), i),
				Message: fmt.Sprintf("value %d is refused by its own schema: %s", i+1, why),
				Remedy:  "correct the value or the keyword that refuses it",
			})
		}
	}
	return problems
}

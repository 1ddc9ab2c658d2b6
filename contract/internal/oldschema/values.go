package oldschema

import (
	"fmt"
	"net/url"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// maxDefaults bounds how many defaults one default may bring with it.
const maxDefaults = 10_000

// checkValues tries the values that a schema itself holds: its defaults, filled in as a call would see them, its
// examples and the values of its enums. Of a lenient schema, the defaults that are refused are withheld.
func (s *Schema) checkValues(compiler *jsonschema.Compiler, lenient bool) []Problem {
	s.graph.markFills()
	places, problems := s.graph.places()
	if len(problems) == 0 {
		problems = s.graph.checkDefaultsEnd(places)
	}
	if len(problems) > 0 {
		return problems
	}
	t := &trial{schema: s, compiler: compiler, validators: map[*node]*jsonschema.Schema{}}
	if lenient {
		t.withhold(places)
		return nil
	}
	problems = faultsOnce(t.faults(places))
	for _, n := range s.graph.order {
		problems = append(problems, t.checkList(n, RuleExample, "examples")...)
		problems = append(problems, t.checkList(n, RuleEnum, "enum")...)
	}
	return problems
}

// checkDefaultsEnd refuses a default that brings itself with it.
func (g *graph) checkDefaultsEnd(places []place) []Problem {
	for _, n := range g.order {
		if _, ok := n.doc["default"]; ok && !ends(n, n) {
			return []Problem{endless(n)}
		}
	}
	for _, p := range places {
		for _, name := range p.all.declared() {
			for _, source := range p.all.sources(name) {
				if !ends(source, p.all.member(name)...) {
					return []Problem{endless(source)}
				}
			}
		}
	}
	return nil
}

// ends reports whether a default, filled in by the schemas that are applied to it, brings no more than is bearable.
func ends(source *node, applied ...*node) bool {
	f := filler{budget: maxDefaults}
	f.fill(filling(applied...), clone(source.doc["default"]))
	return f.budget > 0
}

func endless(source *node) Problem {
	return Problem{
		Rule: RuleRecursion, Field: jsonptr.Append(source.pointer, "default"),
		Message: fmt.Sprintf("brings itself with it, without end, or more than %d other defaults", maxDefaults),
		Remedy:  "remove the default of the object that recurs",
	}
}

// A trial tries values on the schemas of a document.
type trial struct {
	schema     *Schema
	compiler   *jsonschema.Compiler
	validators map[*node]*jsonschema.Schema
	samples    int // how many values may still be made up
}

// refused says what is wrong with a value, or nothing. It is the author's own value, yet the message does not hold it.
// A schema that does not compile refuses nothing: it stands under a keyword that is known to be wrong, since a document
// without fault has compiled as a whole.
func (t *trial) refused(n *node, value any) string {
	validator, known := t.validators[n]
	if !known {
		compiled, err := t.compiler.Compile(documentURL + "#" + (&url.URL{Fragment: n.pointer}).EscapedFragment())
		if err == nil {
			validator = compiled
		}
		t.validators[n] = validator
	}
	if validator == nil {
		return ""
	}
	violations := t.schema.validate(validator, value)
	if len(violations) == 0 {
		return ""
	}
	if first := violations[0]; first.Pointer != "" {
		return first.Pointer + " " + first.Message
	}
	return violations[0].Message
}

// refusedByAny says why one of the schemas refuses a value, or nothing.
func (t *trial) refusedByAny(applied []*node, value any) string {
	for _, n := range applied {
		if why := t.refused(n, value); why != "" {
			return why
		}
	}
	return ""
}

func (t *trial) accepted(applied []*node, value any) bool {
	return t.refusedByAny(applied, value) == ""
}

func (t *trial) checkList(n *node, rule, keyword string) []Problem {
	list, _ := n.doc[keyword].([]any)
	var problems []Problem
	for i, value := range list {
		if why := t.refused(n, value); why != "" {
			problems = append(problems, Problem{
				Rule: rule, Field: jsonptr.AppendIndex(jsonptr.Append(n.pointer, keyword), i),
				Message: fmt.Sprintf("value %d is refused by its own schema: %s", i+1, why),
				Remedy:  "correct the value or the keyword that refuses it",
			})
		}
	}
	return problems
}

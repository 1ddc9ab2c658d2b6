package schema

import (
	"fmt"
	"net/url"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// maxDefaults bounds how many defaults one default may bring with it.
const maxDefaults = 10_000

// checkValues tries the values that a schema itself holds: its defaults, filled in as a call would see them, its
// examples and the values of its enums.
func (s *Schema) checkValues(compiler *jsonschema.Compiler, lenient bool) []Problem {
	s.graph.markFills()
	if problems := s.checkDefaultsEnd(); len(problems) > 0 {
		return problems
	}
	var problems []Problem
	for _, n := range s.graph.order {
		c := checker{schema: s, node: n}
		if !c.compile(compiler) {
			continue
		}
		problems = append(problems, c.checkDefault(lenient)...)
		if lenient {
			continue
		}
		problems = append(problems, c.checkList(RuleExample, "examples")...)
		problems = append(problems, c.checkList(RuleEnum, "enum")...)
	}
	return problems
}

// checkDefaultsEnd refuses a default that brings itself with it.
func (s *Schema) checkDefaultsEnd() []Problem {
	for _, n := range s.graph.order {
		value, ok := n.doc["default"]
		if !ok {
			continue
		}
		f := filler{budget: maxDefaults}
		f.fill(n, clone(value))
		if f.budget <= 0 {
			return []Problem{{
				Rule: RuleRecursion, Field: jsonptr.Append(n.pointer, "default"), Message: "brings itself with it, without end",
				Remedy: "remove the default of the object that recurs",
			}}
		}
	}
	return nil
}

// A checker tries values on one subschema.
type checker struct {
	schema    *Schema
	node      *node
	validator *jsonschema.Schema
}

// compile reports whether the subschema holds values and can be tried on them. One that cannot stands under a keyword
// that is known to be wrong: a document without fault has compiled as a whole.
func (c *checker) compile(compiler *jsonschema.Compiler) bool {
	for _, keyword := range []string{"default", "examples", "enum"} {
		if _, ok := c.node.doc[keyword]; ok {
			var err error
			c.validator, err = compiler.Compile(documentURL + "#" + (&url.URL{Fragment: c.node.pointer}).EscapedFragment())
			return err == nil
		}
	}
	return false
}

// refused says what is wrong with a value, or nothing. It is the author's own value, yet the message does not hold it.
func (c *checker) refused(value any) string {
	violations := c.schema.validate(c.validator, value)
	if len(violations) == 0 {
		return ""
	}
	if first := violations[0]; first.Pointer != "" {
		return first.Pointer + " " + first.Message
	}
	return violations[0].Message
}

func (c *checker) checkDefault(lenient bool) []Problem {
	value, ok := c.node.doc["default"]
	if !ok {
		return nil
	}
	f := filler{budget: maxDefaults}
	filled, _ := f.fill(c.node, clone(value))
	why := c.refused(filled)
	switch {
	case why == "":
		return nil
	case lenient:
		delete(c.node.doc, "default")
		return nil
	}
	return []Problem{{
		Rule: RuleDefault, Field: jsonptr.Append(c.node.pointer, "default"), Message: "is refused by its own schema: " + why,
		Remedy: "correct the default or the keyword that refuses it",
	}}
}

func (c *checker) checkList(rule, keyword string) []Problem {
	list, _ := c.node.doc[keyword].([]any)
	var problems []Problem
	for i, value := range list {
		if why := c.refused(value); why != "" {
			problems = append(problems, Problem{
				Rule: rule, Field: jsonptr.AppendIndex(jsonptr.Append(c.node.pointer, keyword), i),
				Message: fmt.Sprintf("value %d is refused by its own schema: %s", i+1, why),
				Remedy:  "correct the value or the keyword that refuses it",
			})
		}
	}
	return problems
}

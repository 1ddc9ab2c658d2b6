package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/contract/internal/derive"
	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/risk"
)

// output compares what a bound tool returns with the schema that its definition
// declares, and reports where the type cannot fit. It returns the schema to
// publish, nil if the type decides it.
func (b *binding) output(c *checker, out reflect.Type, replaced json.RawMessage) json.RawMessage {
	if b == nil || b.capability == nil || b.capability.Return == nil || b.capability.Return.Schema == nil {
		return replaced
	}
	declared := b.capability.Return.Schema
	if replaced != nil {
		c.bad(ruleBindReturn, "return", "the definition has the schema of the return value and OutputSchema replaces it",
			"correct the schema in the definition, and leave OutputSchema out")
		return replaced
	}
	o := outputMatch{checker: c, restricted: c.doc.Risk == risk.Restricted}
	switch {
	case out == emptyType:
		o.differs("", "the definition declares a value and the handler returns none", "return the value, or remove the schema from "+
			"the definition")
		return nil
	case isText(out):
		o.text(declared)
		return nil
	case out.Kind() == reflect.Struct:
		o.structure(declared, out)
	}
	if o.restricted {
		return nil // it publishes the exposed fields only
	}
	return declared
}

// isText reports whether results of type t are text.
func isText(t reflect.Type) bool { return t.Kind() == reflect.String && t.Name() == "string" }

// An outputMatch compares a declared schema with a type of results.
type outputMatch struct {
	*checker

	restricted bool
}

func (o outputMatch) differs(name, message, remedy string) {
	clause := "return"
	if name != "" {
		clause += jsonptr.Join(name)
	}
	o.bad(ruleBindReturn, clause, message, remedy)
}

func (o outputMatch) text(declared json.RawMessage) {
	var root map[string]any
	if json.Unmarshal(declared, &root) != nil { // true or false, in a definition that was made in Go
		o.differs("", "the schema of the return value is not an object, and the handler returns text", "declare the type string")
		return
	}
	if said, ok := root["type"]; ok && said != "string" {
		o.differs("", "the definition declares another value than text and the handler returns text",
			"return a struct, or declare the type string")
		return
	}
	for _, keyword := range slices.Sorted(maps.Keys(root)) {
		if keyword != "type" && !jsonschema.Annotates(keyword) {
			o.differs("", "the definition bounds a text with "+keyword+", but a text result has no schema",
				"return a struct with a bounded member, or declare only the type string in the definition")
			return
		}
	}
}

func (o outputMatch) structure(declared json.RawMessage, out reflect.Type) {
	want, ok := readRoot(declared)
	if !ok {
		return
	}
	derived, problems := derive.Derive(out, schema.Output, o.publishing(schema.Output))
	if len(problems) > 0 {
		for _, p := range problems {
			if o.restricted {
				break // the published schema is derived, and Build reports the same
			}
			o.bad(p.Rule, "outputSchema "+p.Field, p.Message, p.Remedy)
		}
		return
	}
	have, ok := readRoot(derived)
	if !ok {
		return
	}
	closed := want.Child("additionalProperties", "").IsFalse() && !want.Has("patternProperties")
	for _, name := range want.names() {
		member := have.property(name)
		if member == nil {
			o.differs(name, "the definition declares a member that the result does not have", "give the result a member of this name, or "+
				"remove it from the definition")
			continue
		}
		if says := typeOf(want.property(name)); says != definition.AnyParameter {
			if is := typeOf(member); is != says {
				o.differs(name, fmt.Sprintf("the definition declares %s and the result has %s", taking(says), taking(is)),
					"correct one of them")
			}
		}
		if want.Requires(name) && !have.Requires(name) {
			o.differs(name, "the definition requires a member that the result may leave out",
				"remove omitempty or omitzero from its json tag, or do not require it")
		}
	}
	for _, name := range have.names() {
		if closed && want.property(name) == nil {
			o.differs(name, "the result has a member that the definition does not allow", "declare it in the definition, or remove it "+
				"from the result")
		}
	}
}

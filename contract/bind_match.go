package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

// A rootShape is the root of an object's schema, read so that it can be
// compared with a definition.
type rootShape struct{ *tree.Node }

// readRoot returns false for anything but the schema of an object. Compiling
// the schema reports why.
func readRoot(text *tree.Text) (rootShape, bool) {
	document, err := text.Document()
	if err != nil || document.Root.Value("type") != "object" {
		return rootShape{}, false
	}
	return rootShape{document.Root}, true
}

func (s rootShape) property(name string) *tree.Node { return s.Child("properties", name) }

// maxReferences caps the chain of references that typeOf follows.
const maxReferences = 16

// typeOf returns which of the six types a schema has: any, unless it names a
// single type.
func typeOf(n *tree.Node) definition.ParameterType {
	for range maxReferences {
		if n == nil {
			break
		}
		if text := n.Text("type"); text != "" {
			if text == "integer" {
				return definition.NumberParameter
			}
			if text != "null" {
				return definition.ParameterType(text)
			}
		}
		n = n.Ref
	}
	return definition.AnyParameter
}

// names returns the names of all members in properties and required, sorted.
func (s rootShape) names() []string {
	names := s.Texts("required")
	for _, property := range s.Below("properties") {
		names = append(names, property.Step().Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func listed(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// typePhrase returns a type as part of a sentence.
func typePhrase(t definition.ParameterType) string {
	switch t {
	case definition.AnyParameter:
		return "any value"
	case definition.ArrayParameter, definition.ObjectParameter:
		return fmt.Sprintf("an %s", t)
	case definition.StringParameter, definition.NumberParameter, definition.BooleanParameter:
	}
	return fmt.Sprintf("a %s", t)
}

// input compares the input of a bound tool with the definition's parameters,
// and returns the schema to publish, nil if the type decides it. replaced is
// the schema that the tool author wrote, nil if there is none.
func (b *binding) input(c *checker, in reflect.Type, replaced *tree.Text) *tree.Text {
	if b == nil || b.capability == nil {
		return replaced
	}
	text := replaced
	switch {
	case text != nil:
	case in == rawType:
		text = tree.NewText(json.RawMessage(`{"type":"object"}`))
	default:
		derived, problems := derive.Derive(in, schema.Input, c.publishing(schema.Input))
		if len(problems) > 0 {
			return nil // Build reports them for the type
		}
		text = tree.NewText(derived)
	}
	root, ok := readRoot(text)
	if !ok {
		return text
	}
	i := inputMatch{checker: c, root: root, parameters: b.capability.Parameters, open: replaced == nil &&
		in.Kind() != reflect.Struct}
	if i.match() && replaced == nil {
		return tree.NewText(i.schema(text.Raw))
	}
	return text
}

// An inputMatch compares a schema of arguments with parameters.
type inputMatch struct {
	*checker

	root       rootShape
	parameters []definition.Parameter
	open       bool // the type is a map and has any parameter
}

func (i inputMatch) match() bool {
	before := len(i.mistakes)
	declared := map[string]bool{}
	for _, p := range i.parameters {
		declared[p.Name] = true
		i.parameter(p)
	}
	for _, name := range i.root.names() {
		if !declared[name] {
			i.differs(name, "the input has a member that the definition does not declare",
				"declare it in the definition, or remove it from the input")
		}
	}
	return len(i.mistakes) == before
}

func (i inputMatch) differs(name, message, remedy string) {
	i.bad(ruleBindParameter, "parameters"+strictjson.Pointer("", name), message, remedy)
}

func (i inputMatch) parameter(p definition.Parameter) {
	member := i.root.property(p.Name)
	if i.open && member == nil {
		if of := i.root.Child("additionalProperties", ""); of != nil {
			i.sameType(p, typeOf(of))
		}
		return
	}
	if member == nil {
		i.differs(p.Name, "the definition declares a member that the input does not have",
			fmt.Sprintf("give the input a member of this "+
				"name that takes %s, or remove it from the definition", typePhrase(p.Type)))
		return
	}
	i.sameType(p, typeOf(member))
	switch required := i.root.Requires(p.Name); {
	case p.Required && !required:
		i.differs(p.Name, "the definition requires the member and the input does not",
			"remove omitempty or omitzero from its json tag, or do not require it")
	case !p.Required && required:
		i.differs(p.Name, "the definition does not require the member and the input does",
			"add omitempty or omitzero to its json tag, or require it")
	}
}

func (i inputMatch) sameType(p definition.Parameter, takes definition.ParameterType) {
	if takes != p.Type {
		i.differs(p.Name, fmt.Sprintf("the definition declares %s and the input takes %s", typePhrase(p.Type), typePhrase(takes)),
			"correct one of them")
	}
}

// schema returns raw with the parameters in the definition's order, and adds
// the definition's descriptions where the type has none.
func (i inputMatch) schema(raw json.RawMessage) json.RawMessage {
	var members, properties map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || json.Unmarshal(members["properties"], &properties) != nil {
		properties = nil
	}
	var out bytes.Buffer
	out.WriteString(`{"type":"object","properties":{`)
	var required []string
	for n, p := range i.parameters {
		if n > 0 {
			out.WriteByte(',')
		}
		property := properties[p.Name]
		if property == nil {
			property = parameterSchema(p)
		}
		out.Write(quoted(p.Name))
		out.WriteByte(':')
		out.Write(withDescription(property, p.Description))
		if p.Required {
			required = append(required, p.Name)
		}
	}
	out.WriteString(`},"additionalProperties":false`)
	if len(required) > 0 {
		out.WriteString(`,"required":`)
		out.Write(quoted(required))
	}
	for _, keyword := range slices.Sorted(maps.Keys(members)) {
		switch keyword {
		case "type", "properties", "additionalProperties", "required":
			continue
		}
		out.WriteByte(',')
		out.Write(quoted(keyword))
		out.WriteByte(':')
		out.Write(members[keyword])
	}
	out.WriteByte('}')
	return out.Bytes()
}

func parameterSchema(p definition.Parameter) json.RawMessage {
	if p.Type == definition.AnyParameter {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(`{"type":"` + string(p.Type) + `"}`)
}

// withDescription appends a description to a schema that has none.
func withDescription(property json.RawMessage, description string) json.RawMessage {
	var keywords map[string]json.RawMessage
	if description == "" || json.Unmarshal(property, &keywords) != nil || keywords["description"] != nil {
		return property
	}
	open := bytes.TrimSuffix(property, []byte("}"))
	if len(keywords) > 0 {
		open = append(slices.Clip(open), ',')
	}
	return slices.Concat(open, []byte(`"description":`), quoted(description), []byte("}"))
}

// quoted returns checked texts as JSON.
func quoted(v any) []byte {
	data, _ := strictjson.MarshalValue(v)
	return data
}

// output compares the result type of a bound tool with the schema that its
// definition declares, and reports where the type cannot fit. It returns the
// schema to publish, nil if the type decides it.
func (b *binding) output(c *checker, out reflect.Type, replaced *tree.Text) *tree.Text {
	if b == nil || b.capability == nil || b.capability.Return == nil || b.capability.Return.Schema == nil {
		return replaced
	}
	declared := tree.NewText(b.capability.Return.Schema)
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

// An outputMatch compares a declared schema with a result type.
type outputMatch struct {
	*checker

	restricted bool
}

func (o outputMatch) differs(name, message, remedy string) {
	clause := "return"
	if name != "" {
		clause += strictjson.Pointer("", name)
	}
	o.bad(ruleBindReturn, clause, message, remedy)
}

func (o outputMatch) text(declared *tree.Text) {
	document, err := declared.Document()
	if err != nil {
		return // compiling it reports why
	}
	root := document.Root
	if root.Form() != tree.Object { // true or false, in a definition that was made in Go
		o.differs("", "the schema of the return value is not an object, and the handler returns text", "declare the type string")
		return
	}
	if declared, ok := root.Get("type"); ok && declared != "string" {
		o.differs("", "the definition declares another value than text and the handler returns text",
			"return a struct, or declare the type string")
		return
	}
	for _, keyword := range root.Names() {
		if keyword != "type" && !tree.Annotates(keyword) {
			o.differs("", "the definition bounds a text with "+keyword+", but a text result has no schema",
				"return a struct with a bounded member, or declare only the type string in the definition")
			return
		}
	}
}

func (o outputMatch) structure(declared *tree.Text, out reflect.Type) {
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
	have, ok := readRoot(tree.NewText(derived))
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
				o.differs(name, fmt.Sprintf("the definition declares %s and the result has %s", typePhrase(says), typePhrase(is)),
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

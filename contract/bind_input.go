package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/contract/internal/derive"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// input compares the input of a bound tool with the definition's parameters,
// and returns the schema to publish. The schema is nil if the type decides it.
// replaced is the schema that the tool author wrote, nil if there is none.
func (b *binding) input(c *checker, in reflect.Type, replaced json.RawMessage) json.RawMessage {
	if b == nil || b.capability == nil {
		return replaced
	}
	raw := replaced
	switch {
	case raw != nil:
	case in == rawType:
		raw = json.RawMessage(`{"type":"object"}`)
	default:
		derived, problems := derive.Derive(in, schema.Input, c.publishing(schema.Input))
		if len(problems) > 0 {
			return nil // Build reports them for the type
		}
		raw = derived
	}
	root, ok := readRoot(raw)
	if !ok {
		return raw
	}
	i := inputMatch{checker: c, root: root, parameters: b.capability.Parameters, open: replaced == nil &&
		in.Kind() != reflect.Struct}
	if i.match() && replaced == nil {
		return i.schema(raw)
	}
	return raw
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
	i.bad(ruleBindParameter, "parameters"+jsonptr.Join(name), message, remedy)
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
				"name that takes %s, or remove it from the definition", taking(p.Type)))
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
		i.differs(p.Name, fmt.Sprintf("the definition declares %s and the input takes %s", taking(p.Type), taking(takes)),
			"correct one of them")
	}
}

// schema returns raw with the parameters in the definition's order, and with
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
		out.Write(described(property, p.Description))
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

// parameterSchema returns the schema of a parameter's type.
func parameterSchema(p definition.Parameter) json.RawMessage {
	if p.Type == definition.AnyParameter {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(`{"type":"` + p.Type.String() + `"}`)
}

// described adds a description to the end of a schema that has none.
func described(property json.RawMessage, description string) json.RawMessage {
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

package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/internal/suggest"
	"github.com/toolcontract/toolcontract/risk"
)

// ParseDefinition reads a definition and checks all of it. The error joins a
// [DefinitionError] for every mistake, in the order of their pointers; where
// the JSON itself is wrong (bad syntax, a name twice in an object, bad UTF-8,
// nested over 64 deep, over 100,000 values) it is that one alone.
//
// It is read strictly: a member that the specification does not have is a
// mistake, but metadata is free. Of a parameter the description and required
// may be left out, which then is false.
func ParseDefinition(data []byte) (Definition, error) {
	tree, err := strictjson.Parse(data, strictjson.Limits{})
	if err != nil {
		return Definition{}, definitionSyntax(err)
	}
	r := &definitionReader{unread: map[string]bool{}}
	d := r.definition(tree)
	c := &definitionChecker{mistakes: r.mistakes, unread: r.unread}
	c.check(d)
	if err := c.err(d); err != nil {
		return Definition{}, err
	}
	return d.withWrittenSchemas(data), nil
}

func definitionSyntax(err error) error {
	e := &DefinitionError{Rule: strictjson.RuleSyntax, Message: "must be one JSON value"}
	if syntax, ok := errors.AsType[*strictjson.Error](err); ok {
		e.Rule, e.Pointer, e.Message = syntax.Rule, syntax.Pointer, syntax.Message
	}
	return e
}

// withWrittenSchemas keeps the order in which the author wrote the members of
// the schemas.
func (d Definition) withWrittenSchemas(data []byte) Definition {
	var written struct {
		Capabilities []struct {
			Return struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"return"`
		} `json:"capabilities"`
	}
	if json.Unmarshal(data, &written) != nil {
		return d
	}
	for i, c := range written.Capabilities {
		var compact bytes.Buffer
		if schema := c.Return.Schema; schema != nil && json.Compact(&compact, schema) == nil {
			d.Capabilities[i].Return.Schema = compact.Bytes()
		}
	}
	return d
}

// A definitionReader takes a tree apart. It reports what has no place in a
// Definition; what is missing or wrong in one is the checker's to report.
type definitionReader struct {
	mistakes []*DefinitionError
	unread   map[string]bool // pointers to what could not be read
}

func (r *definitionReader) bad(rule, pointer, message string) {
	r.mistakes = append(r.mistakes, &DefinitionError{Rule: rule, Pointer: pointer, Message: message})
	r.unread[pointer] = true
}

func (r *definitionReader) definition(tree any) Definition {
	m := r.object(tree, "", "id", "name", "version", "description", "capabilities", "securityLevel", "metadata")
	d := Definition{
		ID:          r.text(m, "", "id"),
		Name:        r.text(m, "", "name"),
		Version:     r.text(m, "", "version"),
		Description: r.text(m, "", "description"),
	}
	d.Capabilities = readList(r, m, "", "capabilities", r.capability)
	d.SecurityLevel, d.levelUnsaid = r.securityLevel(m)
	if metadata, ok := m["metadata"]; ok {
		if d.Metadata, ok = metadata.(map[string]any); !ok {
			r.bad(RuleDefinitionType, "/metadata", "must be an object")
		}
	}
	return d
}

func (r *definitionReader) capability(tree any, pointer string) Capability {
	m := r.object(tree, pointer, "name", "description", "parameters", "return")
	c := Capability{Name: r.text(m, pointer, "name"), Description: r.text(m, pointer, "description")}
	c.Parameters = readList(r, m, pointer, "parameters", r.parameter)
	if value, ok := m["return"]; ok {
		c.Return = r.returnValue(value, pointer+"/return")
	}
	return c
}

func (r *definitionReader) parameter(tree any, pointer string) Parameter {
	m := r.object(tree, pointer, "name", "description", "type", "required")
	p := Parameter{Name: r.text(m, pointer, "name"), Description: r.optional(m, pointer, "description")}
	if text := r.text(m, pointer, "type"); text != "" && p.Type.UnmarshalText([]byte(text)) != nil {
		r.bad(RuleDefinitionParameterType, pointer+"/type", "must be string, number, boolean, object, array or any")
	}
	required, ok := m["required"]
	p.requiredUnsaid = !ok
	if p.Required, ok = required.(bool); !ok && !p.requiredUnsaid {
		r.bad(RuleDefinitionType, pointer+"/required", "must be true or false")
	}
	return p
}

func (r *definitionReader) returnValue(tree any, pointer string) *ReturnValue {
	m := r.object(tree, pointer, "description", "schema")
	v := &ReturnValue{Description: r.optional(m, pointer, "description")}
	if schema, ok := m["schema"]; ok {
		if _, ok := schema.(map[string]any); !ok {
			r.bad(RuleDefinitionType, pointer+"/schema", "must be a JSON Schema, written as an object")
			return v
		}
		v.Schema, _ = strictjson.Marshal(schema) // of a tree that was read, it cannot fail
	}
	return v
}

func (r *definitionReader) securityLevel(m map[string]any) (level risk.SecurityLevel, unsaid bool) {
	value, ok := m["securityLevel"]
	if !ok {
		return 0, true
	}
	switch n := value.(type) {
	case int64:
		if 0 <= n && n <= int64(risk.MaxSecurityLevel) {
			return risk.SecurityLevel(n), false
		}
		r.bad(RuleDefinitionSecurityLevel, "/securityLevel", "must be an integer from 0 to 10")
	case uint64, float64:
		r.bad(RuleDefinitionSecurityLevel, "/securityLevel", "must be an integer from 0 to 10")
	default:
		r.bad(RuleDefinitionType, "/securityLevel", "must be a number")
	}
	return 0, false
}

// object reports members beyond those that are known.
func (r *definitionReader) object(tree any, pointer string, known ...string) map[string]any {
	m, ok := tree.(map[string]any)
	if !ok {
		r.bad(RuleDefinitionType, pointer, "must be an object")
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if slices.Contains(known, name) {
			continue
		}
		message := "is not a member that a definition has here"
		if word := suggest.Nearest(name, known); word != "" {
			message += ` (did you mean "` + word + `"?)`
		}
		r.bad(RuleDefinitionMember, jsonptr.Append(pointer, name), message)
	}
	return m
}

// text returns "" where there is none.
func (r *definitionReader) text(m map[string]any, pointer, name string) string {
	value, ok := m[name]
	if !ok {
		return ""
	}
	text, ok := value.(string)
	if !ok {
		r.bad(RuleDefinitionType, pointer+"/"+name, "must be a string")
	}
	return text
}

// optional refuses an empty text too: leaving it out says the same.
func (r *definitionReader) optional(m map[string]any, pointer, name string) string {
	if m[name] == "" {
		r.bad(RuleDefinitionText, pointer+"/"+name, "is empty; leave it out")
	}
	return r.text(m, pointer, name)
}

// readList returns nil where there is none.
func readList[T any](r *definitionReader, m map[string]any, pointer, name string, read func(any, string) T) []T {
	value, ok := m[name]
	if !ok {
		return nil
	}
	pointer += "/" + name
	items, ok := value.([]any)
	if !ok {
		r.bad(RuleDefinitionType, pointer, "must be an array")
		return nil
	}
	list := make([]T, len(items))
	for i, item := range items {
		list[i] = read(item, jsonptr.AppendIndex(pointer, i))
	}
	return list
}

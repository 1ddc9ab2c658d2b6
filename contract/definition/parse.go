package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

// Parse reads a definition and checks all of it. The error joins an [Error] for
// every mistake, in the order of their pointers. If the JSON itself is wrong,
// that is the only mistake: bad syntax or UTF-8, a name twice in an object,
// more than 64 levels, or more than 100,000 values.
//
// Unknown members are mistakes, except in metadata. A parameter may leave out
// its description, and "required", which is then false.
func Parse(data []byte) (Definition, error) {
	tree, err := strictjson.Parse(data, strictjson.Limits{})
	if err != nil {
		return Definition{}, syntaxError(err)
	}
	r := &reader{unread: map[string]bool{}}
	d := r.definition(tree)
	c := &checker{mistakes: r.mistakes, unread: r.unread}
	c.check(d)
	if err := c.err(d); err != nil {
		return Definition{}, err
	}
	return d.withWrittenSchemas(data), nil
}

func syntaxError(err error) error {
	e := &Error{Rule: strictjson.RuleSyntax, Message: "must be one JSON value"}
	if syntax, ok := errors.AsType[*strictjson.Error](err); ok {
		e.Rule, e.Where, e.Message = syntax.Rule, syntax.Pointer, syntax.Message
	}
	return e
}

// withWrittenSchemas returns d with its schemas as they are written in data, so
// that their members keep their order.
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

// A reader makes a Definition of a JSON tree. It reports values that have no
// place in a Definition. The checker reports everything else.
type reader struct {
	mistakes []*Error
	unread   map[string]bool // pointers to the values that were reported
}

func (r *reader) bad(rule, pointer, message string) {
	r.mistakes = append(r.mistakes, &Error{Rule: rule, Where: pointer, Message: message})
	r.unread[pointer] = true
}

func (r *reader) definition(tree any) Definition {
	m := r.object(tree, "", "id", "name", "version", "description", "capabilities", "securityLevel", "metadata")
	d := Definition{
		ID:          r.text(m, "", "id"),
		Name:        r.text(m, "", "name"),
		Version:     r.text(m, "", "version"),
		Description: r.text(m, "", "description"),
	}
	d.Capabilities = readList(r, m, "", "capabilities", r.capability)
	d.SecurityLevel, d.lacksLevel = r.securityLevel(m)
	if metadata, ok := m["metadata"]; ok {
		if d.Metadata, ok = metadata.(map[string]any); !ok {
			r.bad(ruleType, "/metadata", "must be an object")
		}
	}
	return d
}

func (r *reader) capability(tree any, pointer string) Capability {
	m := r.object(tree, pointer, "name", "description", "parameters", "return")
	c := Capability{Name: r.text(m, pointer, "name"), Description: r.text(m, pointer, "description")}
	c.Parameters = readList(r, m, pointer, "parameters", r.parameter)
	if value, ok := m["return"]; ok {
		c.Return = r.returnValue(value, pointer+"/return")
	}
	return c
}

func (r *reader) parameter(tree any, pointer string) Parameter {
	m := r.object(tree, pointer, "name", "description", "type", "required")
	p := Parameter{Name: r.text(m, pointer, "name"), Description: r.optional(m, pointer, "description")}
	p.Type = ParameterType(r.text(m, pointer, "type"))
	required, ok := m["required"]
	p.lacksRequired = !ok
	if p.Required, ok = required.(bool); !ok && !p.lacksRequired {
		r.bad(ruleType, pointer+"/required", "must be true or false")
	}
	return p
}

func (r *reader) returnValue(tree any, pointer string) *ReturnValue {
	m := r.object(tree, pointer, "description", "schema")
	v := &ReturnValue{Description: r.optional(m, pointer, "description")}
	if schema, ok := m["schema"]; ok {
		if _, ok := schema.(map[string]any); !ok {
			r.bad(ruleType, pointer+"/schema", "must be a JSON Schema, written as an object")
			return v
		}
		v.Schema, _ = strictjson.Marshal(schema) // a tree that was parsed can be written
	}
	return v
}

func (r *reader) securityLevel(m map[string]any) (level risk.SecurityLevel, missing bool) {
	value, ok := m["securityLevel"]
	if !ok {
		return 0, true
	}
	switch n := value.(type) {
	case int64:
		if 0 <= n && n <= int64(risk.MaxSecurityLevel) {
			return risk.SecurityLevel(n), false
		}
		r.bad(ruleSecurityLevel, "/securityLevel", "must be an integer from 0 to 10")
	case uint64, float64:
		r.bad(ruleSecurityLevel, "/securityLevel", "must be an integer from 0 to 10")
	default:
		r.bad(ruleType, "/securityLevel", "must be a number")
	}
	return 0, false
}

// object returns the members of an object, and reports the unknown ones.
func (r *reader) object(tree any, pointer string, known ...string) map[string]any {
	m, ok := tree.(map[string]any)
	if !ok {
		r.bad(ruleType, pointer, "must be an object")
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if slices.Contains(known, name) {
			continue
		}
		message := "is not a member that a definition has here"
		if word := enum.Nearest(name, known); word != "" {
			message += ` (did you mean "` + word + `"?)`
		}
		r.bad(ruleMember, strictjson.Pointer(pointer, name), message)
	}
	return m
}

// text returns the text of a member, "" if there is none.
func (r *reader) text(m map[string]any, pointer, name string) string {
	value, ok := m[name]
	if !ok {
		return ""
	}
	text, ok := value.(string)
	if !ok {
		r.bad(ruleType, pointer+"/"+name, "must be a string")
	}
	return text
}

// optional is text for a member that may be left out, and must not be empty.
func (r *reader) optional(m map[string]any, pointer, name string) string {
	if m[name] == "" {
		r.bad(ruleText, pointer+"/"+name, "is empty; leave it out")
	}
	return r.text(m, pointer, name)
}

// readList returns the items of a member that is an array, nil if there is
// none.
func readList[T any](r *reader, m map[string]any, pointer, name string, read func(any, string) T) []T {
	value, ok := m[name]
	if !ok {
		return nil
	}
	pointer += "/" + name
	items, ok := value.([]any)
	if !ok {
		r.bad(ruleType, pointer, "must be an array")
		return nil
	}
	list := make([]T, len(items))
	for i, item := range items {
		list[i] = read(item, strictjson.PointerIndex(pointer, i))
	}
	return list
}

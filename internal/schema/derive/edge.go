package derive

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	invopop "github.com/invopop/jsonschema"

	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// giverTarget returns the schema that a type describes for itself.
func (d *deriver) giverTarget(t reflect.Type, path string) target {
	var given *invopop.Schema
	if !callOn(d, t, path, func(zero schemaGiver) { given = zero.JSONSchema() }) {
		return target{schema: anything()}
	}
	if given == nil {
		return d.refuse(RuleMarshaler, path, fmt.Sprintf("JSONSchema of %s returns nil", displayName(t)), "return a schema")
	}
	read, err := (&edge{}).read(given)
	if err != nil {
		return d.refuse(RuleMarshaler, path, "its schema cannot be written as JSON", "correct what its JSONSchema method returns")
	}
	return target{schema: read}
}

// extend lets a type change the schema derived for it.
func (d *deriver) extend(t reflect.Type, path string, s *tree.Builder) {
	e := &edge{known: map[*invopop.Schema]*tree.Builder{}}
	open := e.write(s)
	if !callOn(d, t, path, func(zero schemaExtender) { zero.JSONSchemaExtend(open) }) {
		return
	}
	if _, err := e.read(open); err != nil {
		d.problem(RuleMarshaler, path, "its schema cannot be written as JSON", "correct what its JSONSchemaExtend method sets")
	}
}

// An edge converts the schemas of github.com/invopop/jsonschema that authors'
// methods return and change. Their values may be of any type, so encoding/json
// writes them.
type edge struct {
	// known maps the schemas that write returned to their Builders. A schema
	// that the author doesn't move keeps its Builder.
	known map[*invopop.Schema]*tree.Builder
	depth int
}

var (
	errTwice = errors.New("derive: a keyword is given twice")
	errDepth = errors.New("derive: a schema is nested too deeply")
)

// maxDepth stops a schema that contains itself. It is more than
// [schema.Compile] accepts.
const maxDepth = 100

// fields iterates over a schema's keywords and their fields, in order.
func fields(s *invopop.Schema) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		for f, value := range reflect.ValueOf(s).Elem().Fields() {
			keyword, isKeyword := strings.CutSuffix(f.Tag.Get("json"), ",omitempty")
			if isKeyword && !yield(keyword, value) {
				return
			}
		}
	}
}

// read returns a schema made by an author, with the bytes encoding/json writes
// for it.
func (e *edge) read(s *invopop.Schema) (*tree.Builder, error) {
	if s == nil {
		return tree.Literal("null"), nil
	}
	if e.depth++; e.depth > maxDepth {
		return nil, errDepth
	}
	defer func() { e.depth-- }()
	out, isEmpty := &tree.Builder{}, true
	for keyword, field := range fields(s) {
		if field.IsZero() || (field.Kind() == reflect.Slice || field.Kind() == reflect.Map) && field.Len() == 0 {
			continue
		}
		value := field.Interface()
		var err error
		if keyword == "properties" {
			value, err = e.readMembers(maps.Collect(s.Properties.FromOldest()), slices.Collect(s.Properties.KeysFromOldest()))
		} else {
			value, err = e.readValue(value)
		}
		if err != nil {
			return nil, err
		}
		isEmpty = false
		out.Set(keyword, value)
	}
	for name, extra := range s.Extras {
		value, err := e.readValue(extra)
		if err != nil {
			return nil, err
		}
		if out.Value(name) != nil {
			return nil, errTwice
		}
		isEmpty = false
		out.SetExtra(name, value)
	}
	if isEmpty {
		if text, err := s.MarshalJSON(); err == nil && string(text) != "{}" {
			out = tree.Literal(string(text))
		}
	}
	known := e.known[s]
	if known == nil {
		return out, nil
	}
	delete(e.known, s) // it may occur twice
	out.Origin = known.Origin
	*known = *out
	return known, nil
}

func (e *edge) readValue(value any) (any, error) {
	switch v := value.(type) {
	case *invopop.Schema:
		return e.read(v)
	case []*invopop.Schema:
		list := make([]*tree.Builder, len(v))
		for i, s := range v {
			var err error
			if list[i], err = e.read(s); err != nil {
				return nil, err
			}
		}
		return list, nil
	case invopop.Definitions:
		return e.readMembers(v, slices.Sorted(maps.Keys(v)))
	case map[string]*invopop.Schema:
		return e.readMembers(v, slices.Sorted(maps.Keys(v)))
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = plain(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	default:
		return plain(v)
	}
}

// readMembers reads schemas by name, in the order of names.
func (e *edge) readMembers(schemas map[string]*invopop.Schema, names []string) (any, error) {
	list := make([]tree.Property, len(names))
	for i, name := range names {
		read, err := e.read(schemas[name])
		if err != nil {
			return nil, err
		}
		list[i] = tree.Property{Name: name, Schema: read}
	}
	return list, nil
}

// plain returns an author's value in the form a Builder writes.
func plain(value any) (written any, err error) {
	defer contain.Recover(&err)
	switch value.(type) {
	case nil, string, bool, int64, []string:
		return value, nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if number, ok := value.(json.Number); ok {
		return number, nil
	}
	text, err := jsontext.AppendFormat(nil, data) // without HTML escapes
	return json.RawMessage(text), err
}

// write returns a schema for an author to change.
func (e *edge) write(b *tree.Builder) *invopop.Schema {
	switch b.Literal() {
	case "true":
		return invopop.TrueSchema
	case "false":
		return invopop.FalseSchema
	case "null":
		return nil
	}
	s := &invopop.Schema{Extras: map[string]any{}} // without Extras, an empty schema is written as true
	e.known[s] = b
	room := maps.Collect(fields(s))
	for name, value := range b.Keywords {
		if field, ok := room[name]; !ok || !e.writeValue(field, value) {
			if held, ok := value.(*tree.Builder); ok {
				value = e.write(held)
			}
			s.Extras[name] = value
		}
	}
	return s
}

// writeValue sets a keyword's field. It reports whether the field can hold the
// value.
func (e *edge) writeValue(field reflect.Value, value any) bool {
	switch v := value.(type) {
	case *tree.Builder:
		value = e.write(v)
	case []*tree.Builder:
		list := make([]*invopop.Schema, len(v))
		for i, b := range v {
			list[i] = e.write(b)
		}
		value = list
	case []tree.Property:
		ordered := invopop.NewProperties()
		byName := map[string]*invopop.Schema{}
		for _, p := range v {
			byName[p.Name] = e.write(p.Schema)
			ordered.Set(p.Name, byName[p.Name])
		}
		value = byName
		if field.Type() == reflect.TypeOf(ordered) {
			value = ordered
		}
	}
	if given := reflect.ValueOf(value); given.Type().AssignableTo(field.Type()) {
		field.Set(given)
		return true
	}
	data, err := json.Marshal(value)
	return err == nil && json.Unmarshal(data, field.Addr().Interface()) == nil
}

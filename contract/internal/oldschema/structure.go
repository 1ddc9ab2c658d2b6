package oldschema

import (
	"reflect"

	"github.com/invopop/jsonschema"
)

// shared reports whether a type stands in $defs: a struct that is used more than once, and what reaches itself.
func (d *deriver) shared(t reflect.Type) bool {
	if t.Name() == "" || !d.composite(t) {
		return false
	}
	return d.recurs[t] || t == d.rootOf || t.Kind() == reflect.Struct && d.uses[t] > 1
}

// composite reports whether a type is written as an array or object of other types.
func (d *deriver) composite(t reflect.Type) bool {
	if t == timeType || t == urlType || anyTypes[t] || ownSchema(t) || d.writesJSON(t) != nil || d.text(t) != nil {
		return false
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return true
	case reflect.Slice, reflect.Array:
		return !d.isBytes(t.Elem())
	default:
		return false
	}
}

// survey counts how often each named type is used, and notes those that reach themselves. Every circle of types passes
// through a named one, so that types without a name are gone through each time.
func (d *deriver) survey(t reflect.Type, above map[reflect.Type]bool) {
	t = d.resolve(t, d.path)
	if !d.composite(t) {
		return
	}
	if t.Name() != "" {
		d.uses[t]++
		if above[t] {
			d.recurs[t] = true
		}
		if d.uses[t] > 1 {
			return
		}
		above[t] = true
		defer delete(above, t)
	}
	if t.Kind() != reflect.Struct {
		d.survey(t.Elem(), above)
		return
	}
	fields, _ := d.fieldsOf(t)
	for _, f := range fields {
		d.survey(d.memberType(t, f, d.path), above)
	}
}

// structure writes a struct out: its members in the order of declaration, nothing beside them.
func (d *deriver) structure(t reflect.Type, path string) shape {
	out := &jsonschema.Schema{
		Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema,
	}
	fields, problems := d.fieldsOf(t)
	owner := func(of reflect.Type) string {
		if of.Name() == "" || of == t {
			return path
		}
		return displayName(of)
	}
	for _, f := range fields {
		d.declare(f.goPath(owner(f.Owner)))
	}
	for _, problem := range problems {
		d.declare(problem.Field)
		d.problems = append(d.problems, problem)
	}
	for _, f := range fields {
		at := f.goPath(owner(f.Owner))
		member := d.member(t, f, at)
		required := !f.Optional() && !(f.ViaPointer && d.dir == Output)
		required = d.tags(f, at, &member, required)
		member.schema = d.protected(f, member.schema)
		d.fields[member.schema] = at
		out.Properties.Set(f.Name, member.schema)
		if required {
			out.Required = append(out.Required, f.Name)
		}
	}
	return shape{schema: out, kind: kindObject}
}

// member returns the shape of one field's value.
func (d *deriver) member(owner reflect.Type, f field, at string) shape {
	if d.dir == Output && f.Struct.Type.Kind() == reflect.Pointer && !f.Optional() {
		d.problem(RuleOutputPointer, at, "a nil pointer would be written as null", "add omitempty or omitzero to the json tag, or use a value")
	}
	t := d.memberType(owner, f, at)
	if f.Quoted() {
		return d.quoted(t, at)
	}
	return d.of(t, at)
}

// memberType is the type of a field, or the one that its struct names in its place.
func (d *deriver) memberType(owner reflect.Type, f field, at string) reflect.Type {
	t := f.Struct.Type
	if has(owner, propAliasType) {
		callOn(d, owner, at, func(zero propertyAliaser) {
			if other := zero.JSONSchemaProperty(f.Name); other != nil {
				t = reflect.TypeOf(other)
			}
		})
	}
	return t
}

// quoted is the shape of a field with the json option string: a number or boolean within text.
func (d *deriver) quoted(t reflect.Type, at string) shape {
	t = indirect(t)
	if !marshals(t) {
		switch t.Kind() { //nolint:exhaustive // the other kinds are refused
		case reflect.Bool:
			return shape{schema: &jsonschema.Schema{Type: "string", Enum: []any{"true", "false"}}, kind: kindString, fixed: true}
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
			reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
			out := integerText(t)
			out.Type = "string"
			return shape{schema: out, kind: kindString, fixed: true}
		}
	}
	return d.refuse(RuleField, at, "the json option string is kept for integers and booleans only", "remove the option")
}

package derive

import (
	"reflect"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// isShared reports whether a type goes to $defs: a struct that is used more
// than once, or a type that contains itself.
func (d *deriver) isShared(t reflect.Type) bool {
	if t.Name() == "" || !d.isComposite(t) {
		return false
	}
	return d.recurs[t] || t == d.root || t.Kind() == reflect.Struct && d.uses[t] > 1
}

// isComposite reports whether a type is written as an array or object of other
// types.
func (d *deriver) isComposite(t reflect.Type) bool {
	switch t {
	case timeType, urlType, rawType, valueType:
		return false
	}
	if ownSchema(t) || d.json(t) != nil || d.text(t) != nil || d.typeSchema(t) != nil {
		return false
	}
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map || isList(t) && !isByte(t.Elem())
}

// survey counts how often each named type is used, and notes those that contain
// themselves. It terminates, because every circle of types contains a named
// one.
func (d *deriver) survey(t reflect.Type, above map[reflect.Type]bool) {
	t = d.resolve(t, d.path)
	if elem, ok := strictjson.NullElem(t); ok {
		d.survey(elem, above)
		return
	}
	if !d.isComposite(t) {
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
	for _, f := range d.structOf(t).members {
		d.survey(d.memberType(t, f, d.path), above)
	}
}

// structure writes a struct in place, its members in declaration order.
func (d *deriver) structure(t reflect.Type, path string) target {
	out := typed("object").Set("additionalProperties", tree.Literal("false"))
	s := d.structOf(t)
	goPath := func(f strictjson.Field) string {
		if f.Owner.Name() == "" || f.Owner == t {
			return path + "." + f.Struct.Name
		}
		return displayName(f.Owner) + "." + f.Struct.Name
	}
	paths := make([]string, len(s.members))
	for i, f := range s.members {
		paths[i] = goPath(f)
		d.declare(paths[i])
	}
	for _, problem := range s.problems {
		d.declare(problem.Field)
		d.problems = append(d.problems, problem)
	}
	properties := make([]tree.Property, len(s.members))
	var required []string
	for i, f := range s.members {
		at := paths[i]
		value := d.member(t, f, at)
		if d.tags(f, at, &value) {
			required = append(required, f.Name)
		}
		d.checkPointer(f, at, value)
		property := value.written()
		property.Origin = at
		d.protect(f.Struct, property)
		properties[i] = tree.Property{Name: f.Name, Schema: property}
	}
	out.Set("properties", properties)
	if len(required) > 0 {
		out.Set("required", required)
	}
	d.checkOneOf(s, path)
	if len(s.markers) > 0 {
		d.oneOf(path, s.members, s.count, out)
	}
	return target{schema: out, kind: kindObject}
}

// checkPointer reports an output field that would be written as null, which its
// schema doesn't accept.
func (d *deriver) checkPointer(f strictjson.Field, at string, value target) {
	if d.dir == schema.Output && f.Struct.Type.Kind() == reflect.Pointer && !f.Optional() && !value.null {
		d.problem(RuleOutputPointer, at, "a nil pointer would be written as null", "add omitempty or omitzero to the json tag, or "+
			"nullable to the jsonschema tag, or use a value")
	}
}

// member returns the schema for a field's value.
func (d *deriver) member(owner reflect.Type, f strictjson.Field, at string) target {
	t := d.memberType(owner, f, at)
	if f.Quoted() {
		return d.quoted(t, at)
	}
	return d.of(t, at)
}

// memberType returns a field's type, or the one that its struct's
// JSONSchemaProperty returns instead.
func (d *deriver) memberType(owner reflect.Type, f strictjson.Field, at string) reflect.Type {
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

// quoted returns the schema for a field with the json option string: a number
// or boolean in text form.
func (d *deriver) quoted(t reflect.Type, at string) target {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case marshals(t):
	case t.Kind() == reflect.Bool:
		return target{schema: typed("string").Set("enum", []any{"true", "false"}), kind: kindString, fixed: true}
	case isInteger(t):
		return target{schema: integerText(t).Set("type", "string"), kind: kindString, fixed: true}
	}
	return d.refuse(RuleField, at, "the json option string is supported only for integers and booleans", "remove the option")
}

// protect adds to a field's schema the keywords that protect the field.
func (d *deriver) protect(f reflect.StructField, s *tree.Builder) {
	if d.opts.Protect == nil {
		return
	}
	for _, keyword := range d.opts.Protect(f) {
		s.Set(keyword, true)
	}
}

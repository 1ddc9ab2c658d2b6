package derive

import (
	"reflect"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// markers returns the fields of a struct whose type is Options.OneOf.
func (d *deriver) markers(t reflect.Type) []reflect.StructField {
	if d.opts.OneOf == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var markers []reflect.StructField
	for f := range t.Fields() {
		if f.Type == d.opts.OneOf {
			markers = append(markers, f)
		}
	}
	return markers
}

// checkOneOf reports a marker that isn't blank, or one in an embedded struct,
// whose fields belong to another object.
func (d *deriver) checkOneOf(s *structType, path string) {
	for _, f := range s.markers {
		if f.Name != "_" {
			d.problem(RuleOneOf, path+"."+f.Name, "a marker field has a name", "call the field _")
		}
	}
	for _, f := range s.all {
		embedded := f.Struct.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		if f.Promoted && len(d.markers(embedded)) > 0 {
			d.problem(RuleOneOf, path+"."+f.Struct.Name, "the marker of an embedded struct has no meaning", "give the field a name")
		}
	}
}

// oneOf restricts a struct to exactly one of its members. Each must be a
// pointer that is omitted when nil, so that encoding/json writes only the one
// that is set. all is the number of members, some of which may not be
// published.
func (d *deriver) oneOf(path string, members []strictjson.Field, all int, out *tree.Builder) {
	if all < 2 {
		d.problem(RuleOneOf, path, "a choice has fewer than two members", "add a member, or remove the marker")
	}
	properties, _ := out.Value("properties").([]tree.Property)
	for i, f := range members {
		at, property := path+"."+f.Struct.Name, properties[i].Schema
		switch {
		case f.Struct.Type.Kind() != reflect.Pointer || !f.Optional():
			d.problem(RuleOneOf, at, "a member of a choice is not an optional pointer", "use a pointer with omitempty")
		case out.Value("required") != nil:
			d.problem(RuleOneOf, at, "a member of a choice is required", "remove required")
		case property.Value("default") != nil:
			d.problem(RuleOneOf, at, "a member of a choice has a default, which would be a second choice", "remove the default")
		case isNullable(property):
			d.problem(RuleOneOf, at, "a member of a choice accepts null, which chooses nothing", "remove nullable")
		}
	}
	out.Set("maxProperties", int64(1))
	if len(members) == all {
		out.Set("minProperties", int64(1))
	}
}

func isNullable(s *tree.Builder) bool {
	branches, _ := s.Value("anyOf").([]*tree.Builder)
	return len(branches) == 2 && branches[1].Value("type") == "null"
}

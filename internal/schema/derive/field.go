package derive

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A structType holds the fields of a struct.
type structType struct {
	all      []strictjson.Field    // see [strictjson.AllFields]
	count    int                   // all members, including unpublished ones
	members  []strictjson.Field    // the published ones, in the order encoding/json writes them
	problems []schema.Problem      // the mistakes of all fields
	markers  []reflect.StructField // see [deriver.markers]
}

func (d *deriver) structOf(t reflect.Type) *structType {
	if known := d.structs[t]; known != nil {
		return known
	}
	s := &structType{all: strictjson.AllFields(t)}
	d.structs[t] = s
	var c fieldChecker
	c.unexported(t)
	for _, f := range s.all {
		c.tag(f)
		if f.Promoted {
			c.embedding(f)
		}
	}
	members, hidden := strictjson.ResolveFields(s.all)
	for _, f := range hidden {
		c.problem(f, "another field has the same JSON name, and the two hide each other", "choose another name in the json tag")
	}
	s.problems = c.problems
	s.count = len(members)
	s.members = members
	if d.opts.Keep != nil {
		s.members = slices.DeleteFunc(slices.Clone(members), func(f strictjson.Field) bool { return !d.opts.Keep(f.Struct) })
	}
	s.markers = d.markers(t)
	return s
}

// A fieldChecker collects mistakes in a struct's fields.
type fieldChecker struct{ problems []schema.Problem }

func (c *fieldChecker) problem(f strictjson.Field, message, remedy string) {
	c.add(RuleField, f, message, remedy)
}

func (c *fieldChecker) add(rule string, f strictjson.Field, message, remedy string) {
	field := displayName(f.Owner) + "." + f.Struct.Name
	c.problems = append(c.problems, schema.Problem{Rule: rule, Field: field, Message: message, Remedy: remedy})
}

var jsonOptions = []string{"omitempty", "omitzero", "string"}

// tag checks that encoding/json and the strict decoder read a json tag the same
// way.
func (c *fieldChecker) tag(f strictjson.Field) {
	if f.Tagged && (strings.ContainsAny(f.Name, `\'"`+"`") || strings.ContainsFunc(f.Name, func(r rune) bool {
		return r == 0xFFFD ||
			r < ' '
	})) {
		c.problem(f, "its JSON name holds a quote, a backslash or a control character", "choose another name in the json tag")
	}
	for _, option := range f.Options {
		switch {
		case slices.Contains(jsonOptions, option):
		case option == "inline" || option == "embed":
			c.problem(f, fmt.Sprintf("encoding/json does not know the option %q: the field is written as an object of its own", option),
				"embed the struct without a name, or remove the option")
		default:
			c.problem(f, fmt.Sprintf("%q is not an option of a json tag%s", option, enum.DidYouMean(option, jsonOptions)),
				"use omitempty, omitzero or string")
		}
	}
}

// schemaTags are the keys of tags that describe the schema of a field.
var schemaTags = []string{"jsonschema", "jsonschema_description", "jsonschema_extras"}

// unexported reports fields that encoding/json ignores, although their tags
// are about their JSON.
func (c *fieldChecker) unexported(owner reflect.Type) {
	for f := range owner.Fields() {
		if f.IsExported() || f.Anonymous || f.Name == "_" || f.Tag.Get("json") == "-" {
			continue
		}
		for _, key := range append([]string{"json"}, schemaTags...) {
			if _, ok := f.Tag.Lookup(key); ok {
				c.problem(strictjson.Field{Owner: owner, Struct: f}, "the field has the tag "+key+
					", but is not exported, so it is not a member of the JSON", "export the field, or remove its tags")
				break
			}
		}
	}
}

// embedding checks an embedded struct whose fields are promoted.
func (c *fieldChecker) embedding(f strictjson.Field) {
	embedded := f.Struct.Type
	isPointer := f.Struct.Type.Kind() == reflect.Pointer
	if isPointer {
		embedded = embedded.Elem()
	}
	switch {
	case marshals(embedded):
		c.problem(f, "an embedded type with its own JSON or text form takes the place of the whole struct", "give the field a name")
	case isPointer && !f.Struct.IsExported():
		c.problem(f, "an embedded pointer to an unexported struct cannot be filled", "embed the struct itself")
	}
	c.unexported(embedded)
	for _, key := range schemaTags {
		if _, ok := f.Struct.Tag.Lookup(key); ok {
			c.add(RuleTagApplies, f, "the tag "+key+" has no meaning on an embedded struct",
				"tag the fields of the struct, or give the field a name")
		}
	}
}

package oldschema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/jsonfield"
)

// A field is one member of the JSON object that a struct becomes.
type field struct{ jsonfield.Field }

// goPath is how problems name a field.
func (f field) goPath(owner string) string { return owner + "." + f.Struct.Name }

// fieldsOf returns the members of a struct in the order in which encoding/json writes them, and the mistakes that
// would hide one.
func (d *deriver) fieldsOf(t reflect.Type) ([]field, []Problem) {
	var lint fieldLint
	all := jsonfield.All(t)
	for _, f := range all {
		lint.tag(field{f})
		if f.Promoted {
			lint.embedding(field{f})
		}
	}
	members, hidden := jsonfield.Resolve(all)
	for _, f := range hidden {
		lint.problem(field{f}, "another field has the same JSON name, and the two hide each other", "choose another name in the json tag")
	}
	fields := make([]field, 0, len(members))
	for _, f := range members {
		if d.keep == nil || d.keep(f.Struct) {
			fields = append(fields, field{f})
		}
	}
	return fields, lint.problems
}

// A fieldLint collects what is wrong with the fields of one struct.
type fieldLint struct{ problems []Problem }

// tag checks the json tag, as encoding/json and the strict decoder both read it.
func (l *fieldLint) tag(f field) {
	if f.Tagged && (strings.ContainsAny(f.Name, `\'"`+"`") || strings.ContainsFunc(f.Name, func(r rune) bool { return r == 0xFFFD || r < ' ' })) {
		l.problem(f, "its JSON name holds a quote, a backslash or a control character", "choose another name in the json tag")
	}
	known := []string{"omitempty", "omitzero", "string"}
	for _, option := range f.Options {
		switch {
		case slices.Contains(known, option):
		case option == "inline" || option == "embed":
			l.problem(f, fmt.Sprintf("encoding/json does not know the option %q: the field is written as an object of its own", option),
				"embed the struct without a name, or remove the option")
		default:
			l.problem(f, fmt.Sprintf("%q is not an option of a json tag%s", option, didYouMean(option, known)), "use omitempty, omitzero or string")
		}
	}
}

// embedding reports what cannot be promoted.
func (l *fieldLint) embedding(f field) {
	switch {
	case marshals(indirect(f.Struct.Type)):
		l.problem(f, "an embedded type with its own JSON or text form takes the place of the whole struct", "give the field a name")
	case f.Struct.Type.Kind() == reflect.Pointer && !f.Struct.IsExported():
		l.problem(f, "an embedded pointer to an unexported struct cannot be filled", "embed the struct itself")
	}
	for _, key := range []string{"jsonschema", "jsonschema_description", "jsonschema_extras"} {
		if _, ok := f.Struct.Tag.Lookup(key); ok {
			l.problems = append(l.problems, Problem{
				RuleTagApplies, f.goPath(displayName(f.Owner)), "the tag " + key + " says nothing about an embedded struct",
				"tag the fields of the struct, or give the field a name",
			})
		}
	}
}

func (l *fieldLint) problem(f field, message, remedy string) {
	l.problems = append(l.problems, Problem{RuleField, f.goPath(displayName(f.Owner)), message, remedy})
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A field is one member of the JSON object that a struct becomes.
type field struct {
	reflect.StructField
	owner    reflect.Type // the struct that declares it
	index    []int        // the path to it, through embedded structs
	name     string       // of the member
	tagged   bool         // the name comes from the json tag
	omits    bool         // omitempty or omitzero
	asString bool         // the string option
	viaNil   bool         // promoted through an embedded pointer, which may be nil
}

// goPath is how problems name a field.
func (f field) goPath(owner string) string { return owner + "." + f.Name }

// fieldsOf returns the members of a struct in the order in which encoding/json writes them, and the mistakes that
// would hide one. Of the fields of one name the least nested wins, then a tagged one; two equals hide each other.
func (d *deriver) fieldsOf(t reflect.Type) ([]field, []Problem) {
	w := fieldWalk{seen: map[reflect.Type]bool{t: true}}
	level := []field{{StructField: reflect.StructField{Type: t}}}
	for len(level) > 0 {
		var deeper []field
		for _, at := range level {
			deeper = append(deeper, w.structure(at)...)
		}
		level = deeper
	}
	fields := w.dominant()
	if d.keep != nil {
		fields = slices.DeleteFunc(fields, func(f field) bool { return !d.keep(f.StructField) })
	}
	return fields, w.problems
}

// A fieldWalk goes through a struct and the structs embedded in it, level by level.
type fieldWalk struct {
	seen     map[reflect.Type]bool
	found    []field
	problems []Problem
}

// structure collects the fields of one struct and returns the structs embedded in it.
func (w *fieldWalk) structure(at field) (embedded []field) {
	t := indirect(at.Type)
	for i := range t.NumField() {
		f := field{
			StructField: t.Field(i), owner: t, viaNil: at.viaNil,
			index: append(slices.Clone(at.index), i),
		}
		if f.StructField.Name == "_" || !f.IsExported() && !f.Anonymous || f.Tag.Get("json") == "-" {
			continue
		}
		w.tag(&f)
		promoted := indirect(f.Type)
		switch {
		case f.Anonymous && !f.tagged && promoted.Kind() == reflect.Struct:
			w.embedding(f)
			if f.Type.Kind() == reflect.Pointer {
				f.viaNil = true
			}
			if !w.seen[promoted] {
				w.seen[promoted] = true
				embedded = append(embedded, f)
			}
		case f.IsExported():
			w.found = append(w.found, f)
		case f.Type.Kind() == reflect.Struct: // embedded under a name of its own
			w.found = append(w.found, f)
		case promoted.Kind() == reflect.Struct:
			w.embedding(f)
		}
	}
	return embedded
}

// tag reads the json tag, as encoding/json and the strict decoder both read it.
func (w *fieldWalk) tag(f *field) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	f.name, f.tagged = f.Name, name != ""
	if f.tagged {
		f.name = name
	}
	if strings.ContainsAny(name, `\'"`+"`") || strings.ContainsFunc(name, func(r rune) bool { return r == 0xFFFD || r < ' ' }) {
		w.problem(*f, "its JSON name holds a quote, a backslash or a control character", "choose another name in the json tag")
	}
	if options == "" {
		return
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty", "omitzero":
			f.omits = true
		case "string":
			f.asString = true
		case "inline", "embed":
			w.problem(*f, fmt.Sprintf("encoding/json does not know the option %q: the field is written as an object of its own", option),
				"embed the struct without a name, or remove the option")
		default:
			w.problem(*f, fmt.Sprintf("%q is not an option of a json tag%s", option, didYouMean(option, []string{"omitempty", "omitzero", "string"})),
				"use omitempty, omitzero or string")
		}
	}
}

// embedding reports what cannot be promoted.
func (w *fieldWalk) embedding(f field) {
	switch {
	case marshals(indirect(f.Type)):
		w.problem(f, "an embedded type with its own JSON or text form takes the place of the whole struct", "give the field a name")
	case f.Type.Kind() == reflect.Pointer && !f.IsExported():
		w.problem(f, "an embedded pointer to an unexported struct cannot be filled", "embed the struct itself")
	}
	for _, key := range []string{"jsonschema", "jsonschema_description", "jsonschema_extras"} {
		if _, ok := f.Tag.Lookup(key); ok {
			w.problems = append(w.problems, Problem{
				RuleTagApplies, f.goPath(displayName(f.owner)), "the tag " + key + " says nothing about an embedded struct",
				"tag the fields of the struct, or give the field a name",
			})
		}
	}
}

func (w *fieldWalk) problem(f field, message, remedy string) {
	w.problems = append(w.problems, Problem{RuleField, f.goPath(displayName(f.owner)), message, remedy})
}

// dominant resolves fields of one name and sorts what remains in the order of declaration.
func (w *fieldWalk) dominant() []field {
	byName := map[string][]field{}
	for _, f := range w.found {
		byName[f.name] = append(byName[f.name], f)
	}
	var fields []field
	for _, f := range w.found {
		rivals := byName[f.name]
		if rivals[0].index == nil {
			continue
		}
		byName[f.name] = []field{{}}
		best := slices.MinFunc(rivals, byRank)
		equals := slices.DeleteFunc(slices.Clone(rivals), func(r field) bool { return byRank(r, best) != 0 })
		if len(equals) > 1 {
			w.problem(equals[1], fmt.Sprintf("%s has the same JSON name, and the two hide each other", equals[0].goPath(displayName(equals[0].owner))),
				"choose another name in the json tag")
			continue
		}
		fields = append(fields, best)
	}
	slices.SortFunc(fields, func(a, b field) int { return slices.Compare(a.index, b.index) })
	return fields
}

// byRank orders fields of one name: the least nested first, then those with a tag.
func byRank(a, b field) int {
	if len(a.index) != len(b.index) {
		return len(a.index) - len(b.index)
	}
	switch {
	case a.tagged && !b.tagged:
		return -1
	case b.tagged && !a.tagged:
		return 1
	default:
		return 0
	}
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

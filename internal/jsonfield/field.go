package jsonfield

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// A Field is one member of the JSON object that a struct is written as.
type Field struct {
	// Name is the member's name.
	Name string
	// Struct is the Go field. Its Index leads to it from the outermost struct,
	// through embedded ones.
	Struct reflect.StructField
	// Optional says that the member may be left out: omitempty or omitzero.
	Optional bool
	// Quoted says that the json tag has the option string.
	Quoted bool

	tagged bool
}

// Of returns the members of t, a struct type, in the order of their
// declaration. The rules are those of [encoding/json.Marshal]: the least
// nested field of a name wins, then the one with a tag; a tie hides them all.
func Of(t reflect.Type) []Field {
	byName := map[string][]Field{}
	walk(t, nil, map[reflect.Type]bool{}, func(f Field) { byName[f.Name] = append(byName[f.Name], f) })
	var fields []Field
	for _, candidates := range byName {
		if f, ok := dominant(candidates); ok {
			fields = append(fields, f)
		}
	}
	slices.SortFunc(fields, func(a, b Field) int { return slices.Compare(a.Struct.Index, b.Struct.Index) })
	return fields
}

func walk(t reflect.Type, index []int, above map[reflect.Type]bool, found func(Field)) {
	if above[t] {
		return // a struct that embeds itself adds nothing below the first level
	}
	above[t] = true
	defer delete(above, t)
	for sf := range t.Fields() {
		tag, hasTag := sf.Tag.Lookup("json")
		if sf.Name == "_" || tag == "-" {
			continue
		}
		elem := sf.Type
		if elem.Kind() == reflect.Pointer && elem.Name() == "" {
			elem = elem.Elem()
		}
		embeddedStruct := sf.Anonymous && elem.Kind() == reflect.Struct
		if !sf.IsExported() && !embeddedStruct {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		sf.Index = append(slices.Clip(slices.Clone(index)), sf.Index...)
		if embeddedStruct && name == "" {
			walk(elem, sf.Index, above, found)
			continue
		}
		f := Field{Name: name, Struct: sf, tagged: hasTag && name != ""}
		if name == "" {
			f.Name = sf.Name
		}
		for option := range strings.SplitSeq(options, ",") {
			f.Optional = f.Optional || option == "omitempty" || option == "omitzero"
			f.Quoted = f.Quoted || option == "string"
		}
		found(f)
	}
}

func dominant(candidates []Field) (Field, bool) {
	slices.SortStableFunc(candidates, func(a, b Field) int {
		if c := cmp.Compare(len(a.Struct.Index), len(b.Struct.Index)); c != 0 {
			return c
		}
		if a.tagged != b.tagged {
			if a.tagged {
				return -1
			}
			return 1
		}
		return 0
	})
	first := candidates[0]
	if len(candidates) > 1 && len(candidates[1].Struct.Index) == len(first.Struct.Index) && candidates[1].tagged == first.tagged {
		return Field{}, false
	}
	return first, true
}

package strictjson

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A Field is a field of a struct, or of a struct embedded in it, that
// encoding/json considers.
type Field struct {
	// Name is the name of the member of the JSON object.
	Name string
	// Struct is the Go field. Its Index is the path from the outermost struct,
	// through embedded structs.
	Struct reflect.StructField
	// Owner is the struct that declares the field.
	Owner reflect.Type
	// Tagged is true if the json tag has the name.
	Tagged bool
	// Options are the options of the json tag, after the name.
	Options []string
	// Promoted is true for an embedded struct whose fields are members in its
	// place. It is not a member itself.
	Promoted bool
	// ViaPointer is true if the path to the field has an embedded pointer,
	// which may be nil.
	ViaPointer bool
}

// Optional reports whether the member may be left out: omitempty or omitzero.
func (f Field) Optional() bool {
	return slices.Contains(f.Options, "omitempty") || slices.Contains(f.Options, "omitzero")
}

// Quoted reports whether the json tag has the option string.
func (f Field) Quoted() bool { return slices.Contains(f.Options, "string") }

// FieldsOf returns the members of t, a struct type, in the order of their
// declaration. It follows the rules of [encoding/json.Marshal]: the least
// nested field of a name wins, then the one with a tag, and a tie hides them
// all. Callers must not change the fields.
func FieldsOf(t reflect.Type) []Field {
	members, _ := ResolveFields(AllFields(t))
	return members
}

// AllFields returns every field of t and of the structs embedded in it, in the
// order of declaration, including promoted and hidden fields. It omits blank,
// unexported and "-" fields, except unexported embedded structs. Callers must
// not change the fields.
func AllFields(t reflect.Type) []Field {
	if fields, ok := knownFields.Load(t); ok {
		return fields.([]Field) //nolint:forcetypeassert // knownFields has no others
	}
	fields := make([]Field, 0, t.NumField())
	walk(Field{}, t, map[reflect.Type]bool{}, func(f Field) { fields = append(fields, f) })
	fields = slices.Clip(fields)
	knownFields.Store(t, fields)
	return fields
}

// knownFields caches the fields of types, because a type's tags and its schema
// are read one after the other.
var knownFields sync.Map // of reflect.Type to []Field

// ResolveFields returns the members among the fields of [AllFields], in the
// order of declaration. It also returns the fields that tie with an earlier
// field of their name, which hides both. The results may share the memory of
// all.
func ResolveFields(all []Field) (members, hidden []Field) {
	if isFlat(all) {
		return slices.Clip(all), nil
	}
	byName := map[string][]Field{}
	for _, f := range all {
		if !f.Promoted {
			byName[f.Name] = append(byName[f.Name], f)
		}
	}
	for _, rivals := range byName {
		slices.SortStableFunc(rivals, byRank)
		if len(rivals) > 1 && byRank(rivals[0], rivals[1]) == 0 {
			hidden = append(hidden, rivals[1])
			continue
		}
		members = append(members, rivals[0])
	}
	// Stable, as above: a second kind of sorting for the same type would add
	// 15 KB to each binary.
	slices.SortStableFunc(members, byIndex)
	slices.SortStableFunc(hidden, byIndex)
	return members, hidden
}

// isFlat reports whether all fields are members, because none is promoted and
// all names are different.
func isFlat(all []Field) bool {
	names := make(map[string]bool, len(all))
	for _, f := range all {
		if f.Promoted || names[f.Name] {
			return false
		}
		names[f.Name] = true
	}
	return true
}

func walk(outer Field, t reflect.Type, above map[reflect.Type]bool, found func(Field)) {
	if above[t] {
		return // a struct that embeds itself adds no fields below the first level
	}
	above[t] = true
	defer delete(above, t)
	for sf := range t.Fields() {
		tag := sf.Tag.Get("json")
		if sf.Name == "_" || tag == "-" {
			continue
		}
		elem := sf.Type
		if elem.Kind() == reflect.Pointer && elem.Name() == "" {
			elem = elem.Elem()
		}
		embedded := sf.Anonymous && elem.Kind() == reflect.Struct
		if !sf.IsExported() && !embedded {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if len(outer.Struct.Index) > 0 {
			sf.Index = slices.Concat(outer.Struct.Index, sf.Index)
		}
		f := Field{
			Name: cmp.Or(name, sf.Name), Struct: sf, Owner: t, Tagged: name != "",
			Promoted: embedded && name == "", ViaPointer: outer.ViaPointer,
		}
		if options != "" {
			f.Options = strings.Split(options, ",")
		}
		found(f)
		if f.Promoted {
			f.ViaPointer = f.ViaPointer || sf.Type.Kind() == reflect.Pointer
			walk(f, elem, above, found)
		}
	}
}

// byRank orders fields of one name: less nested first, then those with a tag.
func byRank(a, b Field) int {
	if c := cmp.Compare(len(a.Struct.Index), len(b.Struct.Index)); c != 0 {
		return c
	}
	switch {
	case a.Tagged && !b.Tagged:
		return -1
	case b.Tagged && !a.Tagged:
		return 1
	}
	return 0
}

func byIndex(a, b Field) int { return slices.Compare(a.Struct.Index, b.Struct.Index) }

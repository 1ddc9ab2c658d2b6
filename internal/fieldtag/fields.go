package fieldtag

import (
	"maps"
	"reflect"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Fields holds the field tags of a Go type and of the types within it, by the
// JSON of that type. Recursive types have recursive Fields. A type that defines
// its own JSON or schema has no fields. The methods accept nil, which has no
// fields either. Fields is safe for concurrent use.
type Fields struct {
	members map[string]*field // of a struct, by JSON name; nil for any other type
	elem    *Fields           // of a slice, an array or a map
}

// A field is one member of the JSON of a struct.
type field struct {
	words Words
	value *Fields
}

// A Reader reads the tags of the fields of one input or output type.
type Reader struct {
	// Direction is Input or Output.
	Direction schema.Direction
	// IsMarker reports whether a field type marks a blank field whose tags
	// declare clauses. Such fields are skipped.
	IsMarker func(reflect.Type) bool
	// Report is called with each mistake.
	Report func(field, message, remedy string)
}

// Read returns the tags of the fields of t.
func (r Reader) Read(t reflect.Type) *Fields {
	return (&reading{Reader: r, root: t, known: map[reflect.Type]*Fields{}}).fields(t)
}

// A reading is one run of [Reader.Read].
type reading struct {
	Reader
	root  reflect.Type
	known map[reflect.Type]*Fields
}

func (r *reading) fields(t reflect.Type) *Fields {
	if known, ok := r.known[t]; ok {
		return known
	}
	read := &Fields{}
	r.known[t] = read
	if elem, ok := strictjson.NullElem(t); ok {
		read = r.fields(elem)
		r.known[t] = read
		return read
	}
	if derive.OwnForm(t, r.Direction) {
		r.reportTagsWithin(t, map[reflect.Type]bool{})
		return read
	}
	switch t.Kind() { //nolint:exhaustive // the other kinds have no members
	case reflect.Pointer:
		read = r.fields(t.Elem())
		r.known[t] = read
	case reflect.Struct:
		read.members = map[string]*field{}
		members := strictjson.FieldsOf(t)
		for _, f := range members {
			read.members[f.Name] = &field{words: r.words(t, f), value: r.fields(f.Struct.Type)}
		}
		r.reportNonMembers(t, members)
	case reflect.Slice, reflect.Array, reflect.Map:
		read.elem = r.fields(t.Elem())
	}
	return read
}

// TypeName returns the name of a type for an error. An unnamed struct is
// "struct", because its string has all of its fields and tags.
func TypeName(t reflect.Type) string {
	if t.Kind() == reflect.Struct && t.Name() == "" {
		return "struct"
	}
	return t.String()
}

func (r *reading) words(t reflect.Type, f strictjson.Field) Words {
	where := TypeName(t) + "." + f.Struct.Name
	words := wordsOf(f.Struct, r.Direction, func(message, remedy string) { r.Report(where, message, remedy) })
	if words.Has(IdempotencyKey) && t != r.root {
		r.Report(where, "idempotency-key applies to direct fields of the input", "tag a direct field")
	}
	return words
}

// reportTagsWithin reports the contract tags within a type that defines its own
// JSON or schema. They have no effect, because its JSON does not come from its
// fields.
func (r *reading) reportTagsWithin(t reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] || t.PkgPath() == "time" {
		return
	}
	seen[t] = true
	switch t.Kind() { //nolint:exhaustive // the other kinds have no fields
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		r.reportTagsWithin(t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if r.isTagged(f) {
				r.Report(TypeName(t)+"."+f.Name, "the contract tag has no meaning within a type that has its own JSON or its own schema",
					"tag the field that holds the type, or remove it")
			}
			if f.IsExported() || f.Anonymous {
				r.reportTagsWithin(f.Type, seen)
			}
		}
	}
}

// reportNonMembers reports the contract tags of fields that are not members of
// the JSON: embedded structs, unexported fields and fields with the json tag
// "-". They have no effect.
func (r *reading) reportNonMembers(t reflect.Type, members []strictjson.Field) {
	nests := func(f strictjson.Field) bool { return f.Struct.Anonymous || len(f.Struct.Index) > 1 }
	if len(members) == t.NumField() && !slices.ContainsFunc(members, nests) {
		return // every field is a member
	}
	for _, sf := range reflect.VisibleFields(t) {
		isMember := func(f strictjson.Field) bool { return slices.Equal(f.Struct.Index, sf.Index) }
		if r.isTagged(sf) && !slices.ContainsFunc(members, isMember) {
			r.Report(TypeName(t)+"."+sf.Name, "the contract tag is on a field that is not a member of the JSON",
				"tag the fields that are, or remove it")
		}
	}
}

func (r *reading) isTagged(f reflect.StructField) bool {
	_, tagged := f.Tag.Lookup("contract")
	return tagged && !r.IsMarker(f.Type)
}

// Words returns the words of a direct field by its JSON name. ok is false if
// there is no such field.
func (f *Fields) Words(name string) (words Words, ok bool) {
	if member := f.member(name); member != nil {
		return member.words, true
	}
	return 0, false
}

// Names returns the JSON names of the direct fields, sorted.
func (f *Fields) Names() []string {
	if f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.members))
}

// IsStruct reports whether the fields are those of a struct, so that its JSON
// has no other members.
func (f *Fields) IsStruct() bool { return f != nil && f.members != nil }

// HasExposed reports whether a direct field is exposed.
func (f *Fields) HasExposed() bool { return f.hasDirect(Expose) }

// HasKey reports whether a direct field is an idempotency key.
func (f *Fields) HasKey() bool { return f.hasDirect(IdempotencyKey) }

func (f *Fields) hasDirect(words Words) bool {
	if f == nil {
		return false
	}
	for _, member := range f.members {
		if member.words.Has(words) {
			return true
		}
	}
	return false
}

func (f *Fields) member(name string) *field {
	if f == nil {
		return nil
	}
	return f.members[name]
}

// below returns the fields inside a member or an item that is not a struct
// member.
func (f *Fields) below() *Fields {
	if f == nil {
		return nil
	}
	return f.elem
}

// Mark adds words to the member that a path of names leads to, in which * is
// each item of an array and each member of a map. It is for raw JSON, which has
// no fields, and must not be called once f is used.
func (f *Fields) Mark(path []string, words Words) {
	if path[0] == "*" && len(path) > 1 {
		if f.elem == nil {
			f.elem = &Fields{}
		}
		f.elem.Mark(path[1:], words)
		return
	}
	if f.members == nil {
		f.members = map[string]*field{}
	}
	if f.members[path[0]] == nil {
		f.members[path[0]] = &field{value: &Fields{}}
	}
	member := f.members[path[0]]
	if len(path) == 1 {
		member.words |= words
		return
	}
	member.value.Mark(path[1:], words)
}

package contract

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/jsonfield"
	"github.com/toolcontract/toolcontract/internal/suggest"
)

// fieldFlags is what the contract tag of an input or output field says.
type fieldFlags uint8

const (
	flagSensitive fieldFlags = 1 << iota
	flagSecret
	flagReview
	flagExpose
	flagKey
)

// fieldOptions lists the words of a contract field tag, and where they apply.
var fieldOptions = []struct {
	word          string
	flag          fieldFlags
	input, output bool
}{
	{"sensitive", flagSensitive, true, true},
	{"secret", flagSecret, true, false},
	{"review", flagReview, true, false},
	{"idempotency-key", flagKey, true, false},
	{"expose", flagExpose, false, true},
}

// A shape is the JSON shape of a type as far as field tags matter. Recursive
// types have recursive shapes; a type that gives its own JSON or schema has an
// empty one.
type shape struct {
	members map[string]*taggedField // of an object
	elem    *shape                  // of an array or a map
}

type taggedField struct {
	flags fieldFlags
	shape *shape
}

// A shapeReader reads the field tags of a type and what is wrong with them.
type shapeReader struct {
	root   reflect.Type
	output bool
	seen   map[reflect.Type]*shape
	bad    func(field, message, remedy string)
}

func (r *shapeReader) read(t reflect.Type) *shape {
	if s, ok := r.seen[t]; ok {
		return s
	}
	s := &shape{}
	r.seen[t] = s
	if schema.OwnForm(t, r.direction()) {
		r.unread(t, map[reflect.Type]bool{})
		return s
	}
	switch t.Kind() { //nolint:exhaustive // the other kinds have no members
	case reflect.Pointer:
		s = r.read(t.Elem())
		r.seen[t] = s
	case reflect.Struct:
		s.members = map[string]*taggedField{}
		fields := jsonfield.Of(t)
		for _, f := range fields {
			s.members[f.Name] = &taggedField{flags: r.flags(t, f), shape: r.read(f.Struct.Type)}
		}
		r.strays(t, fields)
	case reflect.Slice, reflect.Array, reflect.Map:
		s.elem = r.read(t.Elem())
	}
	return s
}

func (r *shapeReader) direction() schema.Direction {
	if r.output {
		return schema.Output
	}
	return schema.Input
}

// unread reports the contract tags in and below a type that says itself what
// its JSON or its schema is: its fields do not say it, so neither do their tags.
func (r *shapeReader) unread(t reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() { //nolint:exhaustive // the other kinds have no fields
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		r.unread(t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if _, tagged := f.Tag.Lookup("contract"); tagged && !isMarker(f.Type) {
				r.bad(t.String()+"."+f.Name, "the contract tag says nothing within a type that gives its own JSON or its own schema", "tag the field that holds the type, or remove it")
			}
			if f.IsExported() || f.Anonymous {
				r.unread(f.Type, seen)
			}
		}
	}
}

func (r *shapeReader) flags(t reflect.Type, f jsonfield.Field) fieldFlags {
	where := t.String() + "." + f.Struct.Name
	flags := readFieldTag(f.Struct, r.output, func(message, remedy string) { r.bad(where, message, remedy) })
	if flags&flagKey != 0 && t != r.root {
		r.bad(where, "idempotency-key applies to direct fields of the input", "tag a direct field")
	}
	return flags
}

// strays reports contract tags that would say nothing, because their field is
// not a member of the JSON: an embedded struct, whose fields stand in its
// place, an unexported one, or one whose json tag is "-".
func (r *shapeReader) strays(t reflect.Type, fields []jsonfield.Field) {
	for _, sf := range reflect.VisibleFields(t) {
		_, tagged := sf.Tag.Lookup("contract")
		isMember := slices.ContainsFunc(fields, func(f jsonfield.Field) bool { return slices.Equal(f.Struct.Index, sf.Index) })
		if tagged && !isMember && !isMarker(sf.Type) {
			r.bad(t.String()+"."+sf.Name, "the contract tag is on a field that is not a member of the JSON", "tag the fields that are, or remove it")
		}
	}
}

// readFieldTag reads the contract tag of one field; bad may be nil.
func readFieldTag(f reflect.StructField, output bool, bad func(message, remedy string)) fieldFlags {
	if bad == nil {
		bad = func(string, string) {}
	}
	pairs, message := parseStructTag(string(f.Tag))
	if message != "" {
		bad(message, "mend the tag")
	}
	var flags fieldFlags
	for _, p := range pairs {
		if p.key != "contract" {
			continue
		}
		for word := range strings.SplitSeq(p.value, ",") {
			flag, message := fieldFlag(word, output)
			if message != "" {
				bad(message, fieldWords(word, output))
			}
			flags |= flag
		}
	}
	return flags
}

func fieldFlag(word string, output bool) (fieldFlags, string) {
	for _, o := range fieldOptions {
		if o.word != word {
			continue
		}
		if output && !o.output || !output && !o.input {
			return 0, word + " does not apply to this side of the tool"
		}
		return o.flag, ""
	}
	return 0, fmt.Sprintf("unknown contract field tag %q", word)
}

// fieldWords is the remedy for a word that a field of this side does not take.
func fieldWords(word string, output bool) string {
	var known []string
	for _, o := range fieldOptions {
		if output && o.output || !output && o.input {
			known = append(known, o.word)
		}
	}
	remedy := "known here are " + strings.Join(known, ", ")
	if near := suggest.Nearest(word, known); near != "" {
		remedy = "did you mean " + near + "? " + remedy
	}
	return remedy
}

// protections are the annotations with which a derived schema publishes a tag.
var protections = []struct {
	flag    fieldFlags
	keyword string
}{
	{flagSensitive, schema.SensitiveKeyword},
	{flagSecret, schema.SecretKeyword},
	{flagReview, schema.ReviewKeyword},
}

// publishing makes derived schemas say what the tags of their fields protect: a
// protection is part of the contract, and of what a comparison sees.
func publishing(output bool) schema.Options {
	return schema.Options{Protect: func(f reflect.StructField) []string {
		var keywords []string
		flags := readFieldTag(f, output, nil)
		for _, p := range protections {
			if flags&p.flag != 0 {
				keywords = append(keywords, p.keyword)
			}
		}
		return keywords
	}}
}

// hidden collects the text of every sensitive or secret value in tree, longest
// first, so that replacing them in turn leaves no part of one.
func (s *shape) hidden(tree any) []string {
	var values []string
	s.visit(tree, false, func(v string) { values = append(values, v) })
	slices.SortFunc(values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(values)
}

// visit walks tree along s; below a sensitive field everything is hidden, with
// or without a shape.
func (s *shape) visit(tree any, hide bool, found func(string)) {
	switch v := tree.(type) {
	case map[string]any:
		for name, member := range v {
			below, hideMember := (*shape)(nil), hide
			if s != nil && s.members[name] != nil {
				field := s.members[name]
				below, hideMember = field.shape, hide || field.flags&(flagSensitive|flagSecret) != 0
			} else {
				if s != nil {
					below = s.elem
				}
				if hide && name != "" {
					found(name) // a key of a map is the caller's value too
				}
			}
			below.visit(member, hideMember, found)
		}
	case []any:
		var below *shape
		if s != nil {
			below = s.elem
		}
		for _, member := range v {
			below.visit(member, hide, found)
		}
	case string:
		if hide && v != "" {
			found(v)
		}
	case int64:
		if hide {
			found(strconv.FormatInt(v, 10))
		}
	case uint64:
		if hide {
			found(strconv.FormatUint(v, 10))
		}
	case float64:
		if hide {
			found(strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
}

// expose returns tree without the struct members that are not exposed, at any
// depth: a nested struct needs its own tags.
func (s *shape) expose(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for name, member := range v {
			if s.members == nil {
				kept[name] = s.elemOrEmpty().expose(member)
			} else if f := s.members[name]; f != nil && f.flags&flagExpose != 0 {
				kept[name] = f.shape.expose(member)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, member := range v {
			kept[i] = s.elemOrEmpty().expose(member)
		}
		return kept
	}
	return tree
}

// elemOrEmpty stands in for what has no Go struct below it, such as raw JSON.
func (s *shape) elemOrEmpty() *shape {
	if s.elem == nil {
		return &shape{}
	}
	return s.elem
}

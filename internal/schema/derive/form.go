package derive

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"

	jsonv2 "github.com/go-json-experiment/json"
	invopop "github.com/invopop/jsonschema"

	"github.com/toolcontract/toolcontract/internal/schema"
)

// The methods by which a type describes its own schema.
type (
	schemaGiver     interface{ JSONSchema() *invopop.Schema }
	schemaExtender  interface{ JSONSchemaExtend(*invopop.Schema) }
	schemaAlias     interface{ JSONSchemaAlias() any }
	propertyAliaser interface{ JSONSchemaProperty(string) any }
)

var (
	giverType     = reflect.TypeFor[schemaGiver]()
	extenderType  = reflect.TypeFor[schemaExtender]()
	aliasType     = reflect.TypeFor[schemaAlias]()
	propAliasType = reflect.TypeFor[propertyAliaser]()

	// The methods by which a type writes and reads its own JSON or text.
	writerTypes = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[jsonv2.MarshalerTo]()}
	readerTypes = []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[jsonv2.UnmarshalerFrom]()}
	textWriters = []reflect.Type{reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextAppender]()}
	textReaders = []reflect.Type{reflect.TypeFor[encoding.TextUnmarshaler]()}
)

// jsonMethods names the methods of writerTypes and readerTypes. reflect has the
// names too, but a program that looks up a method by index keeps every method
// of every type.
var jsonMethods = map[reflect.Type]string{
	writerTypes[0]: "MarshalJSON", writerTypes[1]: "MarshalJSONTo",
	readerTypes[0]: "UnmarshalJSON", readerTypes[1]: "UnmarshalJSONFrom",
}

// OwnForm reports whether methods of t, or of a pointer to it, define its JSON,
// text or schema in the given direction, so that its fields don't.
func OwnForm(t reflect.Type, dir schema.Direction) bool {
	d := deriver{dir: dir}
	return ownSchema(t) || d.json(t) != nil || d.text(t) != nil
}

func ownSchema(t reflect.Type) bool { return has(t, giverType) || has(t, aliasType) }

// marshals reports whether a type defines its own JSON or text form, in either
// direction.
func marshals(t reflect.Type) bool {
	return implements(t, writerTypes) != nil || implements(t, readerTypes) != nil ||
		implements(t, textWriters) != nil || implements(t, textReaders) != nil
}

// json returns the interface by which a type reads its own JSON (or writes it,
// for an output), or nil.
func (d *deriver) json(t reflect.Type) reflect.Type {
	if d.dir == schema.Output {
		return implements(t, writerTypes)
	}
	return implements(t, readerTypes)
}

// text returns the interface by which a type reads or writes its own text, or
// nil.
func (d *deriver) text(t reflect.Type) reflect.Type {
	if d.dir == schema.Output {
		return implements(t, textWriters)
	}
	return implements(t, textReaders)
}

func has(t, method reflect.Type) bool { return implements(t, []reflect.Type{method}) != nil }

// implements returns the first of the interfaces that t or a pointer to it
// implements, or nil.
func implements(t reflect.Type, interfaces []reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface || t.PkgPath() == "" && t.Kind() != reflect.Struct {
		return nil // predeclared and unnamed types have no methods, except structs that embed a type
	}
	for _, i := range interfaces {
		if t.Implements(i) || reflect.PointerTo(t).Implements(i) {
			return i
		}
	}
	return nil
}

// callOn calls a method of the author on a zero value of t. It reports whether
// the method returned.
func callOn[I any](d *deriver, t reflect.Type, path string, method func(zero I)) (ok bool) {
	defer func() {
		if recover() != nil {
			d.problem(RuleMarshaler, path, fmt.Sprintf("the method of %s that describes its schema panics on a zero value",
				displayName(t)),
				"let it work without a value")
			ok = false
		}
	}()
	if zero, has := reflect.TypeAssert[I](reflect.New(t)); has {
		method(zero)
	}
	return true
}

// resolve returns the type that represents t in JSON: a pointer's element, or
// the type that JSONSchemaAlias returns.
func (d *deriver) resolve(t reflect.Type, path string) reflect.Type {
	for seen := map[reflect.Type]bool{}; !seen[t]; {
		seen[t] = true
		switch {
		case t.Kind() == reflect.Pointer:
			t = t.Elem()
		case has(t, aliasType):
			t = d.alias(t, path)
		}
	}
	return t
}

func (d *deriver) alias(t reflect.Type, path string) reflect.Type {
	if other, known := d.aliases[t]; known {
		return other
	}
	other := t
	callOn(d, t, path, func(zero schemaAlias) {
		if named := reflect.TypeOf(zero.JSONSchemaAlias()); named != nil {
			other = named
		}
	})
	d.aliases[t] = other
	return other
}

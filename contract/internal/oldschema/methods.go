package oldschema

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/invopop/jsonschema"
)

// The methods by which a type writes its own JSON, and those by which it gives its own schema.
type (
	schemaGiver     interface{ JSONSchema() *jsonschema.Schema }
	schemaExtender  interface{ JSONSchemaExtend(*jsonschema.Schema) }
	schemaAlias     interface{ JSONSchemaAlias() any }
	propertyAliaser interface{ JSONSchemaProperty(string) any }
)

var (
	giverType     = reflect.TypeFor[schemaGiver]()
	extenderType  = reflect.TypeFor[schemaExtender]()
	aliasType     = reflect.TypeFor[schemaAlias]()
	propAliasType = reflect.TypeFor[propertyAliaser]()

	writerTypes = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[jsonv2.MarshalerTo]()}
	readerTypes = []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[jsonv2.UnmarshalerFrom]()}
	textWriters = []reflect.Type{reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextAppender]()}
	textReaders = []reflect.Type{reflect.TypeFor[encoding.TextUnmarshaler]()}
)

var errNoJSON = errors.New("schema: no JSON")

// implements reports whether t or a pointer to it has the methods of any of the interfaces, and by which.
func implements(t reflect.Type, interfaces []reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return nil
	}
	for _, i := range interfaces {
		if t.Implements(i) || reflect.PointerTo(t).Implements(i) {
			return i
		}
	}
	return nil
}

func has(t, method reflect.Type) bool { return implements(t, []reflect.Type{method}) != nil }

// ownSchema reports whether a type gives its schema itself.
func ownSchema(t reflect.Type) bool { return has(t, giverType) || has(t, aliasType) }

// OwnForm reports whether t, or a pointer to it, says by its methods what its JSON, its text or its schema is in the
// given direction, so that its fields do not.
func OwnForm(t reflect.Type, dir Direction) bool {
	d := deriver{dir: dir}
	return ownSchema(t) || d.writesJSON(t) != nil || d.text(t) != nil
}

// marshals reports whether a type has a JSON or text form of its own, in either direction.
func marshals(t reflect.Type) bool {
	for _, interfaces := range [][]reflect.Type{writerTypes, readerTypes, textWriters, textReaders} {
		if implements(t, interfaces) != nil {
			return true
		}
	}
	return false
}

// writesJSON returns the interface by which a type writes (for an output) or reads its own JSON, or nil.
func (d *deriver) writesJSON(t reflect.Type) reflect.Type {
	if d.dir == Output {
		return implements(t, writerTypes)
	}
	return implements(t, readerTypes)
}

// text returns the interface by which a type writes or reads its own text, or nil.
func (d *deriver) text(t reflect.Type) reflect.Type {
	if d.dir == Output {
		return implements(t, textWriters)
	}
	return implements(t, textReaders)
}

// call runs an author's method on a zero value of t. It reports whether the method returned.
func callOn[I any](d *deriver, t reflect.Type, path string, method func(zero I)) (ok bool) {
	defer func() {
		if recover() != nil {
			d.problem(RuleMarshaler, path, fmt.Sprintf("the method of %s that describes its schema panics on a zero value", displayName(t)),
				"let it work without a value")
			ok = false
		}
	}()
	if zero, has := reflect.TypeAssert[I](reflect.New(t)); has {
		method(zero)
	}
	return true
}

package strictjson

import (
	"database/sql/driver"
	"encoding"
	stdjson "encoding/json"
	"reflect"

	"github.com/go-json-experiment/json"
)

// callable are the methods that [Unmarshal] and [MarshalValue] call.
var callable = []reflect.Type{
	reflect.TypeFor[stdjson.Marshaler](), reflect.TypeFor[stdjson.Unmarshaler](),
	reflect.TypeFor[json.MarshalerTo](), reflect.TypeFor[json.UnmarshalerFrom](),
	reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextAppender](), reflect.TypeFor[encoding.TextUnmarshaler](),
	reflect.TypeFor[driver.Valuer](), reflect.TypeFor[interface{ Scan(src any) error }](), // sql.Scanner
	reflect.TypeFor[interface{ IsZero() bool }](),
}

// CallsMethods reports whether [Unmarshal] or [MarshalValue] may call a method
// of t or of a type in it. The values of an interface may have any methods, but
// those of time.Time and time.Duration are known.
func CallsMethods(t reflect.Type) bool { return callsMethods(t, map[reflect.Type]bool{}) }

func callsMethods(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || t.PkgPath() == "time" {
		return false
	}
	seen[t] = true
	if t.PkgPath() == "" && (t.Kind() < reflect.Array || t.Kind() == reflect.String) {
		return false // a predeclared type has no methods
	}
	for _, method := range callable {
		if t.Implements(method) || reflect.PointerTo(t).Implements(method) {
			return true
		}
	}
	switch t.Kind() { //nolint:exhaustive // the other kinds hold no values of other types
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return callsMethods(t.Elem(), seen)
	case reflect.Map:
		return callsMethods(t.Key(), seen) || callsMethods(t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if callsMethods(f.Type, seen) {
				return true
			}
		}
	}
	return t == reflect.TypeFor[stdjson.Number]()
}

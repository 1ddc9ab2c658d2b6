package derive

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A kind classifies a schema's values, as far as tags depend on it.
type kind int

const (
	kindOther  kind = iota // anything, or a type that describes its own schema
	kindString             // any text, including base64 and times
	kindInteger
	kindNumber
	kindBoolean
	kindArray
	kindObject
	kindDuration // of [Options].Duration
)

// A target is a Go type's schema that tags apply to.
type target struct {
	schema *tree.Builder
	kind   kind
	fixed  bool     // the type determines the format, so a tag must not change it
	item   *target  // of an array that is written in place
	null   bool     // null is a valid value too
	own    []string // the keywords that tags must not change

	nanoseconds bool // a time.Duration, or a list or map of them
}

func (t *target) list(keyword string) []any {
	list, _ := t.schema.Value(keyword).([]any)
	return list
}

func (t *target) add(keyword string, value any) {
	t.schema.Set(keyword, append(slices.Clip(t.list(keyword)), value))
}

// written returns the schema for a value: of the target or null, if null is a
// valid value too. The keywords that describe the field stay beside the anyOf,
// where clients look for them.
func (t *target) written() *tree.Builder {
	if !t.null {
		return t.schema
	}
	out := &tree.Builder{}
	for _, keyword := range []string{"title", "description", "default", "examples", "readOnly", "writeOnly"} {
		if value := t.schema.Value(keyword); value != nil {
			out.Set(keyword, value)
			t.schema.Delete(keyword)
		}
	}
	out.Set("anyOf", []*tree.Builder{t.schema, typed("null")})
	return out
}

// typed returns a schema with a single type.
func typed(name string) *tree.Builder { return new(tree.Builder).Set("type", name) }

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	urlType      = reflect.TypeFor[url.URL]()
	numberType   = reflect.TypeFor[json.Number]()
	rawType      = reflect.TypeFor[json.RawMessage]()
	valueType    = reflect.TypeFor[jsontext.Value]()
)

// anything returns the schema that accepts every value. It is written as {}
// rather than true, because some clients expect every property to be an object.
func anything() *tree.Builder { return &tree.Builder{} }

func (d *deriver) refuse(rule, path, message, remedy string) target {
	d.problem(rule, path, message, remedy)
	return target{schema: anything()}
}

// of returns a type's schema: a reference if the type is in $defs, otherwise
// the schema in place.
func (d *deriver) of(t reflect.Type, path string) target {
	t = d.resolve(t, path)
	if elem, ok := strictjson.NullElem(t); ok {
		out := d.of(elem, path)
		out.null = true
		return out
	}
	if !d.isShared(t) {
		return d.body(t, path)
	}
	out := target{schema: new(tree.Builder).Set("$ref", "#"), kind: kindObject}
	if isList(t) {
		out.kind = kindArray
	}
	if t == d.root {
		return out
	}
	name := d.name(t)
	if _, known := d.defs[name]; !known {
		d.defs[name] = &tree.Builder{}
		d.defs[name] = d.body(t, displayName(t)).schema
	}
	out.schema.Set("$ref", "#/$defs/"+name)
	return out
}

func (d *deriver) body(t reflect.Type, path string) target {
	if given := d.typeSchema(t); given != nil {
		d.reportKnown(t, path)
		return given.target()
	}
	if has(t, giverType) {
		return d.giverTarget(t, path)
	}
	out := d.plain(t, path)
	if has(t, extenderType) {
		d.extend(t, path, out.schema)
	}
	return out
}

// plain writes in place a type that doesn't describe its own schema.
func (d *deriver) plain(t reflect.Type, path string) target {
	switch t {
	case timeType:
		return target{schema: typed("string").Set("format", "date-time"), kind: kindString, fixed: true}
	case durationType:
		return target{
			schema: typed("integer").Set("format", "int64").Set("description", "A duration in nanoseconds."),
			kind:   kindInteger, fixed: true, nanoseconds: true,
		}
	case d.opts.Duration:
		return target{
			schema: typed("string").Set("format", "duration").Set("description", "A duration (ISO 8601), such as PT1H30M."),
			kind:   kindDuration, own: []string{"format"},
		}
	case numberType:
		return d.refuse(RuleType, path, "a json.Number keeps digits that no reader agrees on",
			"use int64, uint64, float64 or json.RawMessage")
	case urlType:
		return d.refuse(RuleType, path, "url.URL is written as an object by encoding/json", "use a string with format=uri")
	case rawType, valueType:
		return target{schema: anything()}
	}
	if method := d.json(t); method != nil {
		return d.refuse(RuleMarshaler, path, fmt.Sprintf("%s has its own %s, so its schema cannot be derived from its fields",
			displayName(t), jsonMethods[method]),
			"give its schema with TypeSchemas, or, if the type is yours, by a method JSONSchema() *tree.Schema of "+
				"github.com/invopop/jsonschema")
	}
	if d.text(t) != nil {
		return target{schema: typed("string"), kind: kindString}
	}
	return d.byKind(t, path)
}

func (d *deriver) byKind(t reflect.Type, path string) target {
	switch {
	case isInteger(t):
		return target{schema: integer(t), kind: kindInteger, fixed: true}
	case isList(t):
		return d.list(t, path)
	}
	switch t.Kind() {
	case reflect.Bool:
		return target{schema: typed("boolean"), kind: kindBoolean}
	case reflect.String:
		return target{schema: typed("string"), kind: kindString}
	case reflect.Float32:
		// Other languages send the shortest text of the largest float32, which
		// is slightly above its value.
		return target{schema: typed("number").Set("minimum", json.Number("-3.4028235e38")).
			Set("maximum", json.Number("3.4028235e38")), kind: kindNumber}
	case reflect.Float64:
		return target{schema: typed("number"), kind: kindNumber}
	case reflect.Map:
		return d.mapping(t, path)
	case reflect.Struct:
		return d.structure(t, path)
	case reflect.Interface:
		if d.dir != schema.Output && t.NumMethod() > 0 {
			return d.refuse(RuleType, path, "an interface with methods cannot be filled from JSON", "use any, json.RawMessage or a struct")
		}
		return target{schema: anything()}
	default:
		return d.refuse(RuleType, path, fmt.Sprintf("a %s has no JSON form", t.Kind()),
			`use another type, or leave the field out with json:"-"`)
	}
}

func isNull(t reflect.Type) bool {
	_, ok := strictjson.NullElem(t)
	return ok
}

func isList(t reflect.Type) bool { return t.Kind() == reflect.Slice || t.Kind() == reflect.Array }

func isInteger(t reflect.Type) bool { return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr }

func isUnsigned(t reflect.Type) bool { return reflect.Uint <= t.Kind() && t.Kind() <= reflect.Uintptr }

// integer returns the range of an integer type, or the format that replaces it
// if a double would round the range.
func integer(t reflect.Type) *tree.Builder {
	out := typed("integer")
	switch bits := t.Bits(); {
	case isUnsigned(t):
		out.Set("minimum", decimal(0))
		if bits < 64 {
			out.Set("maximum", decimal(int64(1)<<bits-1))
		}
	case bits < 64:
		out.Set("minimum", decimal(-1<<(bits-1))).Set("maximum", decimal(int64(1)<<(bits-1)-1))
	default:
		out.Set("format", "int64")
	}
	return out
}

func decimal(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// integerText returns the schema for an integer's decimal text, without leading
// zeros.
func integerText(t reflect.Type) *tree.Builder {
	pattern, format := "^(0|-?[1-9][0-9]*)$", "int%d"
	if isUnsigned(t) {
		pattern, format = "^(0|[1-9][0-9]*)$", "uint%d"
	}
	return new(tree.Builder).Set("pattern", pattern).Set("format", fmt.Sprintf(format, t.Bits()))
}

func (d *deriver) list(t reflect.Type, path string) target {
	if t.Kind() == reflect.Slice && isByte(t.Elem()) {
		return target{schema: typed("string").Set("contentEncoding", "base64"), kind: kindString}
	}
	item := d.of(t.Elem(), path)
	out := typed("array").Set("items", item.written())
	if t.Kind() == reflect.Array {
		out.Set("minItems", int64(t.Len())).Set("maxItems", int64(t.Len()))
	}
	return target{schema: out, kind: kindArray, item: &item, nanoseconds: item.nanoseconds}
}

// isByte reports whether a slice of t is written as base64: t is a byte without
// a form of its own.
func isByte(t reflect.Type) bool {
	return t.Kind() == reflect.Uint8 && !ownSchema(t) && !marshals(t)
}

func (d *deriver) mapping(t reflect.Type, path string) target {
	out := typed("object")
	var value target
	switch key := t.Key(); {
	case key.Kind() == reflect.String || d.text(key) != nil: // any text is a valid key
	case isInteger(key):
		out.Set("propertyNames", integerText(key))
	default:
		d.problem(RuleType, path, fmt.Sprintf("a map's key cannot be a %s", key.Kind()),
			"use strings, integers or a text marshaler as keys")
	}
	if t.Elem().Kind() != reflect.Interface || t.Elem().NumMethod() > 0 {
		value = d.of(t.Elem(), path)
		out.Set("additionalProperties", value.written())
	}
	return target{schema: out, kind: kindObject, nanoseconds: value.nanoseconds}
}

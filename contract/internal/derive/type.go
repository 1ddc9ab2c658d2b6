package derive

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A kind is the kind of the values of a schema, as far as tags depend on it.
type kind int

const (
	kindOther  kind = iota // anything, or a type that describes its own schema
	kindString             // text of any form, including base64 and times
	kindInteger
	kindNumber
	kindBoolean
	kindArray
	kindObject
)

// A target is the schema of a Go type to which tags apply.
type target struct {
	schema *jsonschema.Schema
	kind   kind
	fixed  bool     // the type determines the format, which a tag must not change
	item   *target  // of an array that is written out
	null   bool     // null is a value too
	own    []string // the keywords that tags must not change
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	urlType      = reflect.TypeFor[url.URL]()
	numberType   = reflect.TypeFor[json.Number]()
	rawType      = reflect.TypeFor[json.RawMessage]()
	valueType    = reflect.TypeFor[jsontext.Value]()
)

// anything returns the schema that accepts every value. It is written {} and
// not true, because some clients expect every property to be an object.
func anything() *jsonschema.Schema { return &jsonschema.Schema{Extras: map[string]any{}} }

func (d *deriver) refuse(rule, path, message, remedy string) target {
	d.problem(rule, path, message, remedy)
	return target{schema: anything()}
}

// of returns the schema of a type: a reference if the type is in $defs, or else
// the type written out.
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
	out := target{schema: &jsonschema.Schema{Ref: "#"}, kind: kindObject}
	if isList(t) {
		out.kind = kindArray
	}
	if t == d.root {
		return out
	}
	name := d.name(t)
	if _, known := d.defs[name]; !known {
		d.defs[name] = &jsonschema.Schema{}
		d.defs[name] = d.body(t, displayName(t)).schema
	}
	out.schema.Ref = "#/$defs/" + name
	return out
}

// body writes a type out.
func (d *deriver) body(t reflect.Type, path string) target {
	if given := d.typeSchema(t); given != nil {
		d.reportKnown(t, path)
		return given.target()
	}
	if has(t, giverType) {
		return d.given(t, path)
	}
	out := d.plain(t, path)
	if has(t, extenderType) {
		d.described = true
		callOn(d, t, path, func(zero schemaExtender) { zero.JSONSchemaExtend(out.schema) })
	}
	return out
}

// plain writes out a type that does not describe its own schema.
func (d *deriver) plain(t reflect.Type, path string) target {
	switch t {
	case timeType:
		return target{schema: &jsonschema.Schema{Type: "string", Format: "date-time"}, kind: kindString, fixed: true}
	case durationType:
		return target{
			schema: &jsonschema.Schema{Type: "integer", Format: "int64", Description: "A duration in nanoseconds."},
			kind:   kindInteger, fixed: true,
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
			"give its schema with TypeSchemas, or, if the type is yours, by a method JSONSchema() *jsonschema.Schema of "+
				"github.com/invopop/jsonschema")
	}
	if d.text(t) != nil {
		return target{schema: &jsonschema.Schema{Type: "string"}, kind: kindString}
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
		return target{schema: &jsonschema.Schema{Type: "boolean"}, kind: kindBoolean}
	case reflect.String:
		return target{schema: &jsonschema.Schema{Type: "string"}, kind: kindString}
	case reflect.Float32:
		// Other languages send the shortest text of the largest float32, which
		// is a little above its value.
		return target{schema: &jsonschema.Schema{Type: "number", Minimum: "-3.4028235e38", Maximum: "3.4028235e38"}, kind: kindNumber}
	case reflect.Float64:
		return target{schema: &jsonschema.Schema{Type: "number"}, kind: kindNumber}
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

// integer returns the range of an integer type, or the format that stands for
// it if a double would round the range.
func integer(t reflect.Type) *jsonschema.Schema {
	out := &jsonschema.Schema{Type: "integer"}
	switch bits := t.Bits(); {
	case isUnsigned(t):
		out.Minimum = "0"
		if bits < 64 {
			out.Maximum = decimal(int64(1)<<bits - 1)
		}
	case bits < 64:
		out.Minimum, out.Maximum = decimal(-1<<(bits-1)), decimal(int64(1)<<(bits-1)-1)
	default:
		out.Format = "int64"
	}
	return out
}

func decimal(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// integerText returns the schema of the decimal text of an integer, without
// leading zeros.
func integerText(t reflect.Type) *jsonschema.Schema {
	if isUnsigned(t) {
		return &jsonschema.Schema{Pattern: "^(0|[1-9][0-9]*)$", Format: fmt.Sprintf("uint%d", t.Bits())}
	}
	return &jsonschema.Schema{Pattern: "^(0|-?[1-9][0-9]*)$", Format: fmt.Sprintf("int%d", t.Bits())}
}

func (d *deriver) list(t reflect.Type, path string) target {
	if t.Kind() == reflect.Slice && isByte(t.Elem()) {
		return target{schema: &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}, kind: kindString}
	}
	item := d.of(t.Elem(), path)
	out := &jsonschema.Schema{Type: "array", Items: item.written()}
	if t.Kind() == reflect.Array {
		length := uint64(t.Len())
		out.MinItems, out.MaxItems = &length, &length
	}
	return target{schema: out, kind: kindArray, item: &item}
}

// isByte reports whether a slice of t is written as base64: t is a byte without
// a form of its own.
func isByte(t reflect.Type) bool {
	return t.Kind() == reflect.Uint8 && !ownSchema(t) && !marshals(t)
}

func (d *deriver) mapping(t reflect.Type, path string) target {
	out := &jsonschema.Schema{Type: "object"}
	switch key := t.Key(); {
	case key.Kind() == reflect.String || d.text(key) != nil: // any name is a key
	case isInteger(key):
		out.PropertyNames = integerText(key)
	default:
		d.problem(RuleType, path, fmt.Sprintf("a map's key cannot be a %s", key.Kind()),
			"use strings, integers or a text marshaler as keys")
	}
	if t.Elem().Kind() != reflect.Interface || t.Elem().NumMethod() > 0 {
		value := d.of(t.Elem(), path)
		out.AdditionalProperties = value.written()
	}
	return target{schema: out, kind: kindObject}
}

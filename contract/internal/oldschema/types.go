package oldschema

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
)

// A valueKind is what a schema's values are, as far as tags are concerned.
type valueKind int

const (
	kindOther  valueKind = iota // anything, or a type that gives its own schema
	kindString                  // text of any sort, base64 and times too
	kindInteger
	kindNumber
	kindBoolean
	kindArray
	kindObject
)

// A shape is the schema of a Go type and what tags need to know about it.
type shape struct {
	schema *jsonschema.Schema
	kind   valueKind
	fixed  bool   // the type demands the format, which a tag must not change
	item   *shape // of an array, where its items are written out
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	urlType      = reflect.TypeFor[url.URL]()
	numberType   = reflect.TypeFor[json.Number]()
	anyTypes     = map[reflect.Type]bool{reflect.TypeFor[json.RawMessage](): true, reflect.TypeFor[jsontext.Value](): true}
)

// anything is the schema that accepts every value, written {} and not true: some clients take every property for an
// object.
func anything() *jsonschema.Schema { return &jsonschema.Schema{Extras: map[string]any{}} }

// of returns the shape of a type: a reference where the type stands in $defs, else the type written out.
func (d *deriver) of(t reflect.Type, path string) shape {
	t = d.resolve(t, path)
	if !d.shared(t) {
		return d.body(t, path)
	}
	out := shape{schema: &jsonschema.Schema{Ref: "#"}, kind: kindObject}
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		out.kind = kindArray
	}
	if t == d.rootOf {
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
func (d *deriver) body(t reflect.Type, path string) shape {
	if has(t, giverType) {
		return d.given(t, path)
	}
	out := d.plain(t, path)
	if has(t, extenderType) {
		callOn(d, t, path, func(zero schemaExtender) { zero.JSONSchemaExtend(out.schema) })
	}
	return out
}

// plain writes out a type that does not give its own schema.
func (d *deriver) plain(t reflect.Type, path string) shape {
	switch {
	case t == timeType:
		return shape{schema: &jsonschema.Schema{Type: "string", Format: "date-time"}, kind: kindString, fixed: true}
	case t == durationType:
		return shape{
			schema: &jsonschema.Schema{Type: "integer", Format: "int64", Description: "A duration in nanoseconds."},
			kind:   kindInteger, fixed: true,
		}
	case t == numberType:
		return d.refuse(RuleType, path, "a json.Number keeps digits that no reader agrees on", "use int64, uint64, float64 or json.RawMessage")
	case t == urlType:
		return d.refuse(RuleType, path, "url.URL is written as an object by encoding/json", "use a string with format=uri")
	case anyTypes[t]:
		return shape{schema: anything()}
	}
	if method := d.writesJSON(t); method != nil {
		return d.refuse(RuleMarshaler, path, fmt.Sprintf("%s has its own %s, and its schema cannot be told from its fields", displayName(t), method.Method(0).Name),
			"give it a method JSONSchema() *jsonschema.Schema, of github.com/invopop/jsonschema")
	}
	if d.text(t) != nil {
		return shape{schema: &jsonschema.Schema{Type: "string"}, kind: kindString}
	}
	return d.byKind(t, path)
}

func (d *deriver) byKind(t reflect.Type, path string) shape {
	switch t.Kind() {
	case reflect.Bool:
		return shape{schema: &jsonschema.Schema{Type: "boolean"}, kind: kindBoolean}
	case reflect.String:
		return shape{schema: &jsonschema.Schema{Type: "string"}, kind: kindString}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return shape{schema: signed(t.Bits()), kind: kindInteger, fixed: true}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return shape{schema: unsigned(t.Bits()), kind: kindInteger, fixed: true}
	case reflect.Float32:
		// The shortest text of the largest float32, a little above its value, is what other languages send.
		return shape{schema: &jsonschema.Schema{Type: "number", Minimum: "-3.4028235e38", Maximum: "3.4028235e38"}, kind: kindNumber}
	case reflect.Float64:
		return shape{schema: &jsonschema.Schema{Type: "number"}, kind: kindNumber}
	case reflect.Slice, reflect.Array:
		return d.list(t, path)
	case reflect.Map:
		return d.mapping(t, path)
	case reflect.Struct:
		return d.structure(t, path)
	case reflect.Interface:
		if d.dir != Output && t.NumMethod() > 0 {
			return d.refuse(RuleType, path, "an interface with methods cannot be filled from JSON", "use any, json.RawMessage or a struct")
		}
		return shape{schema: anything()}
	default:
		return d.refuse(RuleType, path, fmt.Sprintf("a %s has no JSON form", t.Kind()), `use another type, or leave the field out with json:"-"`)
	}
}

func (d *deriver) refuse(rule, path, message, remedy string) shape {
	d.problem(rule, path, message, remedy)
	return shape{schema: anything()}
}

// signed publishes the range of a signed integer or, where a double would round it, the format that stands for it.
func signed(bits int) *jsonschema.Schema {
	if bits == 64 {
		return &jsonschema.Schema{Type: "integer", Format: "int64"}
	}
	limit := int64(1) << (bits - 1)
	return &jsonschema.Schema{Type: "integer", Minimum: decimal(-limit), Maximum: decimal(limit - 1)}
}

func unsigned(bits int) *jsonschema.Schema {
	out := &jsonschema.Schema{Type: "integer", Minimum: "0"}
	if bits < 64 {
		out.Maximum = decimal(int64(1)<<bits - 1)
	}
	return out
}

func decimal(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

func (d *deriver) list(t reflect.Type, path string) shape {
	if t.Kind() == reflect.Slice && d.isBytes(t.Elem()) {
		return shape{schema: &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}, kind: kindString}
	}
	item := d.of(t.Elem(), path)
	out := &jsonschema.Schema{Type: "array", Items: item.schema}
	if t.Kind() == reflect.Array {
		length := uint64(t.Len())
		out.MinItems, out.MaxItems = &length, &length
	}
	return shape{schema: out, kind: kindArray, item: &item}
}

// isBytes reports whether a slice of t is written as base64: t is a byte without a form of its own.
func (d *deriver) isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Uint8 && !ownSchema(t) && !marshals(t)
}

func (d *deriver) mapping(t reflect.Type, path string) shape {
	out := &jsonschema.Schema{Type: "object", PropertyNames: d.key(t.Key(), path)}
	if t.Elem().Kind() != reflect.Interface || t.Elem().NumMethod() > 0 {
		out.AdditionalProperties = d.of(t.Elem(), path).schema
	}
	return shape{schema: out, kind: kindObject}
}

// key returns the schema of a map's names, or nil where every name is a key.
func (d *deriver) key(t reflect.Type, path string) *jsonschema.Schema {
	if d.text(t) != nil || t.Kind() == reflect.String {
		return nil
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return integerText(t)
	default:
		d.problem(RuleType, path, fmt.Sprintf("a map's key cannot be a %s", t.Kind()), "use strings, integers or a text marshaler as keys")
		return nil
	}
}

// integerText is the schema of the decimal text of an integer, in its one form: without zeros before it.
func integerText(t reflect.Type) *jsonschema.Schema {
	pattern, format := "^(0|-?[1-9][0-9]*)$", fmt.Sprintf("int%d", t.Bits())
	switch t.Kind() { //nolint:exhaustive // the other kinds are signed
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		pattern, format = "^(0|[1-9][0-9]*)$", "u"+format
	}
	return &jsonschema.Schema{Pattern: pattern, Format: format}
}

// resolve returns the type that a type stands for: what a pointer points to, and what JSONSchemaAlias names.
func (d *deriver) resolve(t reflect.Type, path string) reflect.Type {
	for seen := map[reflect.Type]bool{}; !seen[t]; {
		seen[t] = true
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
			continue
		}
		if !has(t, aliasType) {
			return t
		}
		other, asked := d.aliases[t]
		if !asked {
			other = t
			callOn(d, t, path, func(zero schemaAlias) {
				if named := reflect.TypeOf(zero.JSONSchemaAlias()); named != nil {
					other = named
				}
			})
			d.aliases[t] = other
		}
		t = other
	}
	return t
}

// given takes the schema that a type gives itself.
func (d *deriver) given(t reflect.Type, path string) shape {
	var given *jsonschema.Schema
	if !callOn(d, t, path, func(zero schemaGiver) { given = zero.JSONSchema() }) {
		return shape{schema: anything()}
	}
	if given == nil {
		return d.refuse(RuleMarshaler, path, fmt.Sprintf("JSONSchema of %s returns nil", displayName(t)), "return a schema")
	}
	own := *given
	return shape{schema: &own}
}

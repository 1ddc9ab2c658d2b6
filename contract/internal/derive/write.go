package derive

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
)

// A writer writes schemas that this package made, in the same bytes as
// [marshal]. It saves marshal's passes over the text of every level. A schema
// that a method of an author returned or changed may be any value, so it must
// go through marshal.
type writer struct {
	out []byte
	// unsure means that marshal might write another text.
	unsure bool
}

// write returns the text of a schema. It returns false if marshal must write
// the schema.
func write(s *jsonschema.Schema) (text json.RawMessage, ok bool) {
	w := writer{out: make([]byte, 0, 1024)}
	w.schema(s)
	return slices.Clip(w.out), !w.unsure
}

// schema writes a schema with its keywords in the order of the fields of
// jsonschema.Schema, and then the extras.
func (w *writer) schema(s *jsonschema.Schema) {
	switch s {
	case nil:
		w.unsure = true
		return
	case jsonschema.FalseSchema:
		w.out = append(w.out, "false"...)
		return
	}
	begin := len(w.out)
	w.out = append(w.out, '{')
	w.text("$schema", s.Version)
	w.text("$id", string(s.ID))
	w.text("$anchor", s.Anchor)
	w.text("$ref", s.Ref)
	w.text("$dynamicRef", s.DynamicRef)
	w.schemasByName("$defs", s.Definitions)
	w.text("$comment", s.Comments)
	writeList(w, "allOf", s.AllOf, w.schema)
	writeList(w, "anyOf", s.AnyOf, w.schema)
	writeList(w, "oneOf", s.OneOf, w.schema)
	w.subschema("not", s.Not)
	w.subschema("if", s.If)
	w.subschema("then", s.Then)
	w.subschema("else", s.Else)
	w.schemasByName("dependentSchemas", s.DependentSchemas)
	writeList(w, "prefixItems", s.PrefixItems, w.schema)
	w.subschema("items", s.Items)
	w.subschema("contains", s.Contains)
	w.properties(s)
	w.schemasByName("patternProperties", s.PatternProperties)
	w.subschema("additionalProperties", s.AdditionalProperties)
	w.subschema("propertyNames", s.PropertyNames)
	w.text("type", s.Type)
	writeList(w, "enum", s.Enum, w.any)
	w.value("const", s.Const)
	w.number("multipleOf", s.MultipleOf)
	w.number("maximum", s.Maximum)
	w.number("exclusiveMaximum", s.ExclusiveMaximum)
	w.number("minimum", s.Minimum)
	w.number("exclusiveMinimum", s.ExclusiveMinimum)
	w.count("maxLength", s.MaxLength)
	w.count("minLength", s.MinLength)
	w.text("pattern", s.Pattern)
	w.count("maxItems", s.MaxItems)
	w.count("minItems", s.MinItems)
	w.flag("uniqueItems", s.UniqueItems)
	w.count("maxContains", s.MaxContains)
	w.count("minContains", s.MinContains)
	w.count("maxProperties", s.MaxProperties)
	w.count("minProperties", s.MinProperties)
	writeList(w, "required", s.Required, w.quote)
	w.unsure = w.unsure || len(s.DependentRequired) > 0
	w.text("format", s.Format)
	w.text("contentEncoding", s.ContentEncoding)
	w.text("contentMediaType", s.ContentMediaType)
	w.subschema("contentSchema", s.ContentSchema)
	w.text("title", s.Title)
	w.text("description", s.Description)
	w.value("default", s.Default)
	w.flag("deprecated", s.Deprecated)
	w.flag("readOnly", s.ReadOnly)
	w.flag("writeOnly", s.WriteOnly)
	writeList(w, "examples", s.Examples, w.any)
	w.extras(s.Extras)
	if len(w.out) > begin+1 {
		w.out = append(w.out, '}')
		return
	}
	text, err := s.MarshalJSON() // it distinguishes true, false and {}
	w.out = append(w.out[:begin], text...)
	w.unsure = w.unsure || err != nil
}

// keyword begins a keyword, or a member of an object.
func (w *writer) keyword(name string) {
	w.separate()
	w.quote(name)
	w.out = append(w.out, ':')
}

// separate writes a comma, unless an object or an array has just begun.
func (w *writer) separate() {
	if last := w.out[len(w.out)-1]; last != '{' && last != '[' {
		w.out = append(w.out, ',')
	}
}

func (w *writer) quote(text string) {
	var err error
	w.out, err = jsontext.AppendQuote(w.out, text)
	w.unsure = w.unsure || err != nil
}

func (w *writer) text(name, text string) {
	if text != "" {
		w.keyword(name)
		w.quote(text)
	}
}

// writeList writes a keyword whose value is a list, unless the list is empty.
func writeList[T any](w *writer, name string, list []T, write func(T)) {
	if len(list) == 0 {
		return
	}
	w.keyword(name)
	w.out = append(w.out, '[')
	for _, item := range list {
		w.separate()
		write(item)
	}
	w.out = append(w.out, ']')
}

func (w *writer) number(name string, n json.Number) {
	if n != "" {
		w.keyword(name)
		w.out = append(w.out, n...)
	}
}

func (w *writer) count(name string, n *uint64) {
	if n != nil {
		w.keyword(name)
		w.out = strconv.AppendUint(w.out, *n, 10)
	}
}

func (w *writer) flag(name string, set bool) {
	if set {
		w.keyword(name)
		w.out = append(w.out, "true"...)
	}
}

func (w *writer) value(name string, v any) {
	if v != nil {
		w.keyword(name)
		w.any(v)
	}
}

// any writes a value of a tag, or one that was parsed.
func (w *writer) any(v any) {
	switch v := v.(type) {
	case string:
		w.quote(v)
	case bool:
		w.out = strconv.AppendBool(w.out, v)
	case int64:
		w.out = strconv.AppendInt(w.out, v, 10)
	default:
		w.other(v)
	}
}

func (w *writer) other(v any) {
	data, err := json.Marshal(v)
	if err == nil {
		data, err = jsontext.AppendFormat(nil, data)
	}
	w.out = append(w.out, data...)
	w.unsure = w.unsure || err != nil
}

func (w *writer) subschema(name string, s *jsonschema.Schema) {
	if s != nil {
		w.keyword(name)
		w.schema(s)
	}
}

func (w *writer) schemasByName(name string, members map[string]*jsonschema.Schema) {
	if len(members) == 0 {
		return
	}
	w.keyword(name)
	w.out = append(w.out, '{')
	for _, member := range slices.Sorted(maps.Keys(members)) {
		w.subschemaOf(member, members[member])
	}
	w.out = append(w.out, '}')
}

func (w *writer) properties(s *jsonschema.Schema) {
	if s.Properties == nil {
		return
	}
	w.keyword("properties")
	w.out = append(w.out, '{')
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		w.subschemaOf(p.Key, p.Value)
	}
	w.out = append(w.out, '}')
}

func (w *writer) subschemaOf(name string, s *jsonschema.Schema) {
	w.keyword(name)
	w.schema(s)
}

// extras writes the keywords that jsonschema.Schema has no field for. It is
// unsure about a name that could be that of a field, because marshal would
// write that keyword twice.
func (w *writer) extras(extras map[string]any) {
	if len(extras) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(extras)) {
		w.keyword(name)
		w.any(extras[name])
		w.unsure = w.unsure || !strings.HasPrefix(name, "x-")
	}
}

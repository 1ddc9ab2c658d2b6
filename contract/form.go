package contract

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/fieldtag"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A form is what a person fills in: a flat object.
type form struct {
	schema *schema.Schema  // that of the answer
	shown  json.RawMessage // in the subset of JSON Schema that clients show (MCP, elicitation)
}

// formKeywords lists the keywords that a field of a form may have besides its
// title, its description and its default.
var formKeywords = map[string][]string{
	"string": {"minLength", "maxLength", "enum", "format"}, "number": {"minimum", "maximum"},
	"integer": {"minimum", "maximum", "format"}, "boolean": nil,
}

// formFormats lists the formats of texts that clients know.
var formFormats = []any{"email", "uri", "date", "date-time"}

// guardFields are the fields of the guard's own forms (package people).
var guardFields = []string{"confirm", "word"}

// formOf derives the form of a struct.
func formOf(t reflect.Type) (*form, []schema.Problem) {
	compiled, problems := derive.Compile(t, schema.Input, derive.Options{
		Protect: fieldtag.Keywords(schema.Input), OneOf: reflect.TypeFor[OneOf](), Duration: reflect.TypeFor[Duration](),
	})
	if len(problems) > 0 {
		return nil, problems
	}
	bad := func(field, message, remedy string) {
		problems = append(problems, schema.Problem{Rule: ruleAsksForm, Field: field, Message: message, Remedy: remedy})
	}
	tree, err := strictjson.Parse(compiled.JSON(), strictjson.Limits{})
	root, _ := tree.(map[string]any)
	fields, _ := root["properties"].(map[string]any)
	if err != nil || len(fields) == 0 || root["oneOf"] != nil {
		bad(t.String(), "is not a struct with fields of its own", "use one, without OneOf")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		field, _ := fields[name].(map[string]any)
		kind, _ := field["type"].(string)
		allowed, known := formKeywords[kind]
		if !known {
			bad(name, "is no text, number or boolean", "use a string, a number or a bool, not a pointer, a list or a struct")
			continue
		}
		if kind == "integer" {
			delete(field, "format")
		}
		if format := field["format"]; format != nil && !slices.Contains(formFormats, format) {
			bad(name, "has a format that forms do not have", "use email, uri, date or date-time, or leave it out")
		}
		if slices.Contains(guardFields, name) {
			bad(name, "is a field of the questions whether a call may run", "choose another name")
		}
		for _, keyword := range slices.Sorted(maps.Keys(field)) {
			if strings.HasPrefix(keyword, "x-") {
				bad(name, "is protected, but clients may keep and show what a form asks for", "ask for it on a page of your own")
			} else if !slices.Contains(append(allowed, "type", "title", "description", "default"), keyword) {
				bad(name, "has "+keyword+", which forms do not have", "leave it out, and check the answer in the handler")
			}
		}
	}
	shape := map[string]any{"type": "object", "properties": fields}
	if required, ok := root["required"]; ok {
		shape["required"] = required
	}
	shown, err := strictjson.Marshal(shape)
	if err != nil || len(problems) > 0 {
		return nil, problems
	}
	return &form{compiled, shown}, nil
}

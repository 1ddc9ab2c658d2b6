package derive

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	invopop "github.com/invopop/jsonschema"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/panics"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A TypeSchema is the JSON Schema of a Go type that does not describe its own.
// [NewTypeSchema] makes one. It is immutable.
type TypeSchema struct {
	schema *invopop.Schema
	own    []string // the keywords that it has, which tags cannot change
	kind   kind
	null   bool // null is a value too
}

// knownTypes holds the schemas of types of widely used modules, by their import
// path and name. No module is imported for them.
var knownTypes = map[string]string{
	"math/big.Int":                          `{"type":"integer"}`,
	"github.com/shopspring/decimal.Decimal": `{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]+)?$"}`,
	"github.com/google/uuid.UUID":           `{"type":"string","format":"uuid"}`,
	"cloud.google.com/go/civil.Date":        `{"type":"string","format":"date"}`,
}

// typeSchema returns the schema of a type that Options or [knownTypes] have, or
// nil.
func (d *deriver) typeSchema(t reflect.Type) *TypeSchema {
	if given := d.opts.Types[t]; given != nil {
		return given
	}
	if t.PkgPath() == "" {
		return nil // a predeclared or unnamed type
	}
	known, seen := d.known[t]
	if !seen {
		if raw, ok := knownTypes[t.PkgPath()+"."+t.Name()]; ok && !ownSchema(t) {
			known.schema, known.problems = NewTypeSchema(t, json.RawMessage(raw))
		}
		d.known[t] = known
	}
	return known.schema
}

// A knownType is the schema of one of [knownTypes], and in which ways the type
// differs from it. Some can be set up to write another form.
type knownType struct {
	schema   *TypeSchema
	problems []schema.Problem
}

// reportKnown reports that a known type differs from its schema.
func (d *deriver) reportKnown(t reflect.Type, path string) {
	for _, p := range d.known[t].problems {
		d.problem(p.Rule, path, p.Message, "give the schema that it has in this program with TypeSchemas")
	}
}

// notInTypes lists the keywords that the schema of a type cannot have, and why.
var notInTypes = map[string]string{
	"$ref": "refers to another schema", "$defs": "defines other schemas", "definitions": "defines other schemas",
	"$id": "identifies a document", "$schema": "identifies a draft", "$anchor": "names a schema",
	"default": "belongs to a field, not to its type",
}

// NewTypeSchema checks a schema for the values of a type, and the type against
// it. The zero value must be written with a JSON type of the schema. Each
// sample, which is a value of the type, must be written as the schema demands,
// and be read and written again as it was. Each of the schema's examples must
// be read as a value of the type. The Field of a problem is a JSON Pointer into
// the schema.
//
// It calls methods of the type, and recovers from their panics.
func NewTypeSchema(t reflect.Type, raw json.RawMessage, samples ...any) (*TypeSchema, []schema.Problem) {
	fragment, err := strictjson.Parse(raw, strictjson.Limits{})
	keywords, isObject := fragment.(map[string]any)
	if err != nil || !isObject || len(keywords) == 0 {
		return nil, []schema.Problem{{Rule: schema.RuleCompile, Message: "is not a JSON object with keywords",
			Remedy: `write a schema such as {"type":"string"}`}}
	}
	if problems := selfContained(fragment); len(problems) > 0 {
		return nil, problems
	}
	compiled, problems := schema.Compile(jsonschema.WriteObject([]jsonschema.Keyword{
		{Name: "type", Text: json.RawMessage(`"object"`)},
		{Name: "properties", Text: jsonschema.WriteObject([]jsonschema.Keyword{{Name: "v", Text: raw}})},
	}), schema.CompileOptions{})
	if len(problems) > 0 {
		for i := range problems {
			problems[i].Field = strings.TrimPrefix(problems[i].Field, "/properties/v")
		}
		return nil, problems
	}
	made, err := typeSchemaOf(keywords)
	if err != nil {
		return nil, []schema.Problem{{Rule: schema.RuleCompile, Message: "is not a JSON Schema",
			Remedy: "see JSON Schema, draft 2020-12"}}
	}
	c := typeCheck{of: t, schema: compiled, types: typesOf(keywords)}
	c.zero()
	for i, sample := range samples {
		c.sample(i, sample)
	}
	examples, _ := keywords["examples"].([]any)
	for i, example := range examples {
		c.example(i, example)
	}
	return made, c.problems
}

// selfContained reports keywords that have no meaning in the schema of a type.
func selfContained(fragment any) []schema.Problem {
	var problems []schema.Problem
	for _, n := range jsonschema.Of(fragment).All {
		for keyword := range n.Keywords() {
			why := notInTypes[keyword]
			if schema.IsProtection(keyword) {
				why = "belongs to a field: tag the field with contract:\"" + strings.TrimPrefix(keyword, "x-") + "\""
			}
			if why != "" {
				problems = append(problems, schema.Problem{
					Rule: schema.RuleCompile, Field: jsonptr.Append(n.Pointer(), keyword),
					Message: "is not part of the schema of a type: it " + why, Remedy: "remove it",
				})
			}
		}
	}
	slices.SortFunc(problems, func(a, b schema.Problem) int { return strings.Compare(a.Field, b.Field) })
	return problems
}

// typesOf returns the JSON types that a schema names, nil if it names none.
func typesOf(keywords map[string]any) []string {
	switch types := keywords["type"].(type) {
	case string:
		return []string{types}
	case []any:
		names := make([]string, len(types))
		for i, name := range types {
			names[i], _ = name.(string)
		}
		return names
	}
	return nil
}

// kindsOf maps JSON types to the kinds to which tags apply.
var kindsOf = map[string]kind{
	"string": kindString, "integer": kindInteger, "number": kindNumber, "boolean": kindBoolean, "array": kindArray,
	"object": kindObject,
}

func typeSchemaOf(keywords map[string]any) (*TypeSchema, error) {
	made := &TypeSchema{schema: &invopop.Schema{}}
	own, extras := map[string]any{}, map[string]any{}
	for keyword, value := range keywords {
		made.own = append(made.own, keyword)
		if jsonschema.IsKeyword(keyword) {
			own[keyword] = value
		} else {
			extras[keyword] = value
		}
	}
	types := typesOf(keywords)
	one := slices.DeleteFunc(slices.Clone(types), func(name string) bool { return name == "null" })
	switch {
	case len(one) == 1:
		own["type"], made.kind, made.null = one[0], kindsOf[one[0]], len(types) > 1
	case len(types) > 0:
		delete(own, "type")
		extras["type"] = types
	}
	data, err := strictjson.Marshal(own)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, made.schema); err != nil {
		return nil, err
	}
	if examples, ok := keywords["examples"].([]any); ok {
		made.schema.Examples = examples // with exact integers
	}
	if enum, ok := keywords["enum"].([]any); ok {
		made.schema.Enum = enum
	}
	if len(extras) > 0 {
		made.schema.Extras = extras
	}
	return made, nil
}

// target returns a copy of the schema, to which the tags of a field apply.
func (s *TypeSchema) target() target {
	own := *s.schema
	own.Examples = slices.Clip(own.Examples)
	return target{schema: &own, kind: s.kind, own: s.own, null: s.null}
}

// A typeCheck compares a type with the schema that was given for it.
type typeCheck struct {
	of       reflect.Type
	schema   *schema.Schema
	types    []string
	problems []schema.Problem
}

func (c *typeCheck) problem(field, message, remedy string) {
	c.problems = append(c.problems, schema.Problem{Rule: RuleTypeSchema, Field: field, Message: message, Remedy: remedy})
}

// zero compares only the JSON type, because a zero value need not be valid. A
// type that can only be read is not written.
func (c *typeCheck) zero() {
	reads := implements(c.of, readerTypes) != nil || implements(c.of, textReaders) != nil
	writes := implements(c.of, writerTypes) != nil || implements(c.of, textWriters) != nil
	if len(c.types) == 0 || reads && !writes {
		return
	}
	_, tree, err := written(reflect.New(c.of).Interface())
	if err == nil && !fitsType(tree, c.types) {
		c.problem("/type", fmt.Sprintf("the zero value of %s is written as another JSON type", displayName(c.of)),
			"correct the type of the schema")
	}
}

func fitsType(tree any, types []string) bool {
	name := "null"
	switch tree.(type) {
	case string:
		name = "string"
	case bool:
		name = "boolean"
	case int64, uint64:
		name = "integer"
	case float64:
		name = "number"
	case []any:
		name = "array"
	case map[string]any:
		name = "object"
	}
	return slices.Contains(types, name) || name == "integer" && slices.Contains(types, "number")
}

func (c *typeCheck) sample(i int, sample any) {
	which := fmt.Sprintf("sample %d of %s", i+1, displayName(c.of))
	data, tree, err := written(sample)
	if err != nil {
		c.problem("", which+" has no JSON form", "give samples that can be written")
		return
	}
	if broken := c.schema.Validate(map[string]any{"v": tree}); len(broken) > 0 {
		c.problem("", which+" is refused by the schema: "+broken[0].Message, "correct the schema, or give another sample")
		return
	}
	if again, ok := c.readAgain(data); !ok || string(again) != string(data) {
		c.problem("", which+" is not read as it was written", "use a type that reads what it writes")
	}
}

func (c *typeCheck) example(i int, example any) {
	data, err := strictjson.Marshal(example)
	if err != nil {
		return // Compile has read it
	}
	if _, ok := c.readAgain(data); !ok {
		c.problem(jsonptr.AppendIndex("/examples", i), displayName(c.of)+" cannot be read from the example",
			"correct the schema or its example")
	}
}

// readAgain reads data as a value of the type, and writes that.
func (c *typeCheck) readAgain(data []byte) (again []byte, ok bool) {
	value := reflect.New(c.of).Interface()
	read := func() (err error) {
		defer panics.Recover(&err)
		return strictjson.Unmarshal(slices.Clone(data), value)
	}
	if read() != nil {
		return nil, false
	}
	again, _, err := written(value)
	return again, err == nil
}

// written returns the canonical JSON of a value of an author's type.
func written(value any) (data []byte, tree any, err error) {
	defer panics.Recover(&err)
	raw, err := strictjson.MarshalValue(value)
	if err != nil {
		return nil, nil, err
	}
	if tree, err = strictjson.Parse(raw, strictjson.Limits{}); err != nil {
		return nil, nil, err
	}
	data, err = strictjson.Marshal(tree)
	return data, tree, err
}

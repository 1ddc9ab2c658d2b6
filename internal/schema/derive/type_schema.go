package derive

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A TypeSchema is the JSON Schema of a Go type that doesn't describe its own.
// [NewTypeSchema] returns one. It is immutable.
type TypeSchema struct{ root *tree.Node }

// knownTypes holds the schemas of types from widely used modules, by import
// path and name. None of those modules is imported for this.
var knownTypes = map[string]string{
	"math/big.Int":                          `{"type":"integer"}`,
	"github.com/shopspring/decimal.Decimal": `{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]+)?$"}`,
	"github.com/google/uuid.UUID":           `{"type":"string","format":"uuid"}`,
	"cloud.google.com/go/civil.Date":        `{"type":"string","format":"date"}`,
}

// typeSchema returns the schema that Options or [knownTypes] have for a type,
// or nil.
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

// A knownType is the schema of one of [knownTypes], with the ways in which the
// type deviates from it. Some of these types can be configured to write another
// form.
type knownType struct {
	schema   *TypeSchema
	problems []schema.Problem
}

// reportKnown reports that a known type deviates from its schema.
func (d *deriver) reportKnown(t reflect.Type, path string) {
	for _, p := range d.known[t].problems {
		d.problem(p.Rule, path, p.Message, "give the schema that it has in this program with TypeSchemas")
	}
}

// notInTypes lists the keywords that a type's schema must not have, and why.
var notInTypes = map[string]string{
	"$ref": "refers to another schema", "$defs": "defines other schemas", "definitions": "defines other schemas",
	"$id": "identifies a document", "$schema": "identifies a draft", "$anchor": "names a schema",
	"default": "belongs to a field, not to its type",
}

// NewTypeSchema checks a schema for the values of a type, and the type against
// the schema. The zero value must be written as a JSON type that the schema
// has. Each sample, which is a value of the type, must be written as the schema
// demands, and must come out the same after being read and written again. Each
// of the schema's examples must be readable as a value of the type. A problem's
// Field is a JSON Pointer into the schema.
//
// It calls methods of the type, and recovers from their panics.
func NewTypeSchema(t reflect.Type, raw json.RawMessage, samples ...any) (*TypeSchema, []schema.Problem) {
	document, err := tree.Read(raw)
	if err != nil || document.Root.Form() != tree.Object || !document.Root.Bounds() {
		return nil, []schema.Problem{{Rule: schema.RuleCompile, Message: "is not a JSON object with keywords",
			Remedy: `write a schema such as {"type":"string"}`}}
	}
	if problems := selfContained(document); len(problems) > 0 {
		return nil, problems
	}
	compiled, problems := schema.Compile(tree.WriteObject([]tree.Keyword{
		{Name: "type", Text: json.RawMessage(`"object"`)},
		{Name: "properties", Text: tree.WriteObject([]tree.Keyword{{Name: "v", Text: raw}})},
	}), schema.CompileOptions{})
	if len(problems) > 0 {
		for i := range problems {
			problems[i].Field = strings.TrimPrefix(problems[i].Field, "/properties/v")
		}
		return nil, problems
	}
	c := typeCheck{of: t, schema: compiled, root: document.Root}
	c.zero()
	for i, sample := range samples {
		c.sample(i, sample)
	}
	for i, example := range document.Root.List("examples") {
		c.example(i, example)
	}
	return &TypeSchema{document.Root}, c.problems
}

// selfContained reports keywords that have no meaning in a type's schema.
func selfContained(document *tree.Document) []schema.Problem {
	var problems []schema.Problem
	for _, n := range document.All {
		for keyword := range n.Keywords() {
			why := notInTypes[keyword]
			if schema.IsProtection(keyword) {
				why = "belongs to a field: tag the field with contract:\"" + strings.TrimPrefix(keyword, "x-") + "\""
			}
			if why != "" {
				problems = append(problems, schema.Problem{
					Rule: schema.RuleCompile, Field: strictjson.Pointer(n.Pointer(), keyword),
					Message: "is not part of the schema of a type: it " + why, Remedy: "remove it",
				})
			}
		}
	}
	slices.SortStableFunc(problems, func(a, b schema.Problem) int { return strings.Compare(a.Field, b.Field) })
	return problems
}

// kindsOf maps JSON types to the kinds that tags apply to.
var kindsOf = map[tree.Types]kind{
	tree.StringType: kindString, tree.IntegerType: kindInteger, tree.NumberType: kindNumber,
	tree.BooleanType: kindBoolean, tree.ArrayType: kindArray, tree.ObjectType: kindObject,
}

// target returns a copy of the schema for a field's tags to apply to.
func (s *TypeSchema) target() target {
	out := target{schema: tree.Build(s.root), own: s.root.Names()}
	types, _ := s.root.Types()
	names, isList := s.root.Value("type").([]any)
	if !isList {
		out.kind = kindsOf[types]
		return out
	}
	out.schema.Delete("type")
	one := slices.DeleteFunc(slices.Clone(names), func(name any) bool { return name == "null" })
	if len(one) != 1 {
		out.schema.SetExtra("type", names)
		return out
	}
	out.schema.Set("type", one[0])
	out.kind = kindsOf[types&^tree.NullType]
	out.null = len(names) > 1
	return out
}

// A typeCheck compares a type with the schema declared for it.
type typeCheck struct {
	of       reflect.Type
	schema   *schema.Schema
	root     *tree.Node // of the schema
	problems []schema.Problem
}

func (c *typeCheck) problem(field, message, remedy string) {
	c.problems = append(c.problems, schema.Problem{Rule: RuleTypeSchema, Field: field, Message: message, Remedy: remedy})
}

// zero compares only the JSON type, because a zero value need not be valid. It
// skips a type that can only be read.
func (c *typeCheck) zero() {
	reads := implements(c.of, readerTypes) != nil || implements(c.of, textReaders) != nil
	writes := implements(c.of, writerTypes) != nil || implements(c.of, textWriters) != nil
	types, named := c.root.Types()
	if !named || reads && !writes {
		return
	}
	_, document, err := written(reflect.New(c.of).Interface())
	if err == nil && !types.Accepts(document) {
		c.problem("/type", fmt.Sprintf("the zero value of %s is written as another JSON type", displayName(c.of)),
			"correct the type of the schema")
	}
}

func (c *typeCheck) sample(i int, sample any) {
	which := fmt.Sprintf("sample %d of %s", i+1, displayName(c.of))
	data, document, err := written(sample)
	if err != nil {
		c.problem("", which+" has no JSON form", "give samples that can be written")
		return
	}
	if broken := c.schema.Validate(map[string]any{"v": document}); len(broken) > 0 {
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
		return // Compile has already read it
	}
	if _, ok := c.readAgain(data); !ok {
		c.problem(strictjson.PointerIndex("/examples", i), displayName(c.of)+" cannot be read from the example",
			"correct the schema or its example")
	}
}

// readAgain reads data as a value of the type and writes that value.
func (c *typeCheck) readAgain(data []byte) (again []byte, ok bool) {
	value := reflect.New(c.of).Interface()
	read := func() (err error) {
		defer contain.Recover(&err)
		return strictjson.Unmarshal(slices.Clone(data), value)
	}
	if read() != nil {
		return nil, false
	}
	again, _, err := written(value)
	return again, err == nil
}

// written returns the canonical JSON of a value of an author's type.
func written(value any) (data []byte, document any, err error) {
	defer contain.Recover(&err)
	raw, err := strictjson.MarshalValue(value)
	if err != nil {
		return nil, nil, err
	}
	if document, err = strictjson.Parse(raw, strictjson.Limits{}); err != nil {
		return nil, nil, err
	}
	data, err = strictjson.Marshal(document)
	return data, document, err
}

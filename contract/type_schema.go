package contract

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema/derive"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A TypeSchema gives the JSON Schema of a Go type that is not yours and does
// not describe its own. Make one with [TypeSchemaFor], and declare it with
// [Builder.TypeSchemas], or once for many tools with [Base].
//
// The zero value is a mistake that Build reports. A TypeSchema is immutable and
// safe for concurrent use.
type TypeSchema struct {
	of      reflect.Type
	schema  json.RawMessage
	samples []any
}

// TypeSchemaFor returns the schema of T, a named type that is neither a pointer
// nor an interface. T must read and write JSON of this form, with its own
// methods or by the rules of encoding/json that the package describes.
//
// The schema is a JSON object of draft 2020-12 without $ref, $defs and default.
// It applies to arguments and results wherever T occurs: in a struct, a slice,
// a map or behind a pointer. A field's jsonschema tag may add keywords that
// apply to the schema's type, but may not repeat the schema's own.
//
// Build tries the schema on T. The zero value of T must be written with a JSON
// type that the schema has. Each sample must be written as the schema demands,
// and must survive being read and written again. Each of the schema's examples
// must be readable as a T. Give at least one sample: a zero value often is not
// a valid one.
func TypeSchemaFor[T any](schema json.RawMessage, samples ...T) TypeSchema {
	made := TypeSchema{of: reflect.TypeFor[T](), schema: slices.Clone(schema)}
	for _, sample := range samples {
		made.samples = append(made.samples, sample)
	}
	return made
}

const ruleTypeSchema = derive.RuleTypeSchema

// typeSchemaPrefix begins the names of the declarations of types. Each type is
// a declaration of its own, so that a tool can replace one of its Base.
const typeSchemaPrefix = "typeSchema "

func typeSchemaClause() clause {
	return clause{
		base:  func(b *Base, l *layer) { declareTypeSchemas(l, b.TypeSchemas) },
		check: checkTypeSchemas,
	}
}

// TypeSchemas gives the schemas of types that do not describe their own. If a
// type gets two schemas, the later one wins, even if the earlier one comes from
// a [Base]. Both win over the schema that the type describes itself.
func (b *Builder[In, Out]) TypeSchemas(list ...TypeSchema) *Builder[In, Out] {
	declareTypeSchemas(&b.verbs, list)
	return b
}

func declareTypeSchemas(l *layer, list []TypeSchema) {
	for _, s := range list {
		if s.of == nil || s.of.PkgPath() == "" || s.of.Kind() == reflect.Interface {
			where := "typeSchemas"
			if s.of != nil {
				where += " " + s.of.String()
			}
			l.mistake(ruleTypeSchema, where, "the schema is not that of a named type",
				"use contract.TypeSchemaFor with a named type; not a pointer, an interface or a type of Go itself")
			continue
		}
		declaration[TypeSchema](typeSchemaPrefix+s.of.PkgPath()+"."+s.of.String()).set(l, s)
	}
}

func checkTypeSchemas(c *checker) {
	c.types = map[reflect.Type]*derive.TypeSchema{}
	for _, name := range slices.Sorted(maps.Keys(c.values)) {
		if s, ok := c.values[name].(TypeSchema); ok {
			c.typeSchema(s)
		}
	}
}

func (c *checker) typeSchema(s TypeSchema) {
	made, problems := derive.NewTypeSchema(s.of, s.schema, s.samples...)
	for _, p := range problems {
		where := strings.TrimSpace("typeSchemas " + s.of.String() + " " + strictjson.PrintablePointer(p.Field))
		c.bad(p.Rule, where, p.Message, p.Remedy)
	}
	if made != nil {
		c.types[s.of] = made
	}
}

// OneOf marks a struct as a choice: exactly one of its members is present. The
// field is blank, and every other one is a pointer with omitempty or omitzero:
//
//	type Payment struct {
//		_    contract.OneOf
//		Card *Card `json:"card,omitempty"`
//		Bank *Bank `json:"bank,omitempty"`
//	}
//
// The JSON is an object with one member, such as {"card":{"number":"4111"}}.
// The member's name is the branch, and the pointer of every violation contains
// it: "/payment/card/number". In the Go value exactly one pointer is not nil. A
// result with none, or with several, is output_invalid.
//
// The branches of a union can also be told apart by a member, such as "kind".
// Write such a union as a type with the methods UnmarshalJSON and JSONSchema,
// or as the InputSchema of a handler that takes a json.RawMessage. The schema
// has oneOf, with a constant in each branch. Violations then name that
// constant.
type OneOf struct{}

package contract

import (
	"reflect"
	"slices"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

const ruleSchemaProtection = "schema.protection"

// protected reports members that a written schema publishes as sensitive,
// secret or review although t has no fields whose tags could protect them.
// Readers of the contract would rely on a protection that nothing enforces.
func (c *checker) protected(clause string, t reflect.Type, written *jsonschema.Document) {
	element := t
	for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Map, reflect.Slice, reflect.Array}, element.Kind()) {
		element = element.Elem()
	}
	if element.Kind() == reflect.Struct {
		return
	}
	for _, n := range written.All {
		for _, keyword := range schema.ProtectionKeywords() {
			if n.Is(keyword) {
				c.bad(ruleSchemaProtection, clause+" "+jsonptr.Printable(jsonptr.Append(n.Pointer(), keyword)),
					"the schema publishes a protection that nothing enforces, because the type "+t.String()+" has no fields with tags",
					"remove the keyword, or write a handler whose input is a struct with contract tags")
			}
		}
	}
}

package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A rootShape is the root of an object's schema, with the keywords that a
// definition can be compared with.
type rootShape struct {
	doc        map[string]any
	properties map[string]any
	required   []string
	schemas    *schemadoc.Document
}

// readRoot returns false for anything but the schema of an object. Compiling it
// reports why.
func readRoot(raw json.RawMessage) (rootShape, bool) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	doc, ok := tree.(map[string]any)
	if err != nil || !ok || doc["type"] != "object" {
		return rootShape{}, false
	}
	s := rootShape{doc: doc, schemas: schemadoc.New(tree)}
	s.properties, _ = doc["properties"].(map[string]any)
	names, _ := doc["required"].([]any)
	for _, name := range names {
		if text, ok := name.(string); ok {
			s.required = append(s.required, text)
		}
	}
	return s, true
}

// maxReferences is how many references in a row typeOf follows.
const maxReferences = 16

// typeOf returns which of the six types a subschema has. One that does not name
// a single type has any.
func (s rootShape) typeOf(sub any) definition.ParameterType {
	for range maxReferences {
		doc, _ := sub.(map[string]any)
		if text, ok := doc["type"].(string); ok {
			var t definition.ParameterType
			if text == "integer" {
				return definition.NumberParameter
			}
			if t.UnmarshalText([]byte(text)) == nil {
				return t
			}
		}
		ref, ok := doc["$ref"].(string)
		if !ok {
			return definition.AnyParameter
		}
		sub = s.schemas.Follow(ref)
	}
	return definition.AnyParameter
}

// names returns the names of all members in properties and required, sorted.
func (s rootShape) names() []string {
	names := append(slices.Collect(maps.Keys(s.properties)), s.required...)
	slices.Sort(names)
	return slices.Compact(names)
}

func listed(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// taking returns a type as part of a sentence.
func taking(t definition.ParameterType) string {
	switch t {
	case definition.AnyParameter:
		return "any value"
	case definition.ArrayParameter, definition.ObjectParameter:
		return fmt.Sprintf("an %s", t)
	case definition.UndeclaredParameter, definition.StringParameter, definition.NumberParameter, definition.BooleanParameter:
	}
	return fmt.Sprintf("a %s", t)
}

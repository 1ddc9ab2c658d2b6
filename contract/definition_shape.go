package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A rootShape is the root of an object's schema as far as a definition speaks
// of it.
type rootShape struct {
	doc        map[string]any
	properties map[string]any
	required   []string
	follow     func(ref string) any
}

// readRoot returns false for what is not the schema of an object; compiling
// will say why.
func readRoot(raw json.RawMessage) (rootShape, bool) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	doc, ok := tree.(map[string]any)
	if err != nil || !ok || doc["type"] != "object" {
		return rootShape{}, false
	}
	s := rootShape{doc: doc, follow: schema.References(tree)}
	s.properties, _ = doc["properties"].(map[string]any)
	names, _ := doc["required"].([]any)
	for _, name := range names {
		if text, ok := name.(string); ok {
			s.required = append(s.required, text)
		}
	}
	return s, true
}

// maxReferences bounds how many references lead to a type.
const maxReferences = 16

// typeOf returns which of the six types a subschema has. One that does not name
// a single type takes any.
func (s rootShape) typeOf(sub any) ParameterType {
	for range maxReferences {
		doc, _ := sub.(map[string]any)
		if text, ok := doc["type"].(string); ok {
			var t ParameterType
			if text == "integer" {
				return NumberParameter
			}
			if t.UnmarshalText([]byte(text)) == nil {
				return t
			}
		}
		ref, ok := doc["$ref"].(string)
		if !ok {
			return AnyParameter
		}
		sub = s.follow(ref)
	}
	return AnyParameter
}

// names are those of all members that the schema speaks of.
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

// taking says a type in a sentence.
func taking(t ParameterType) string {
	switch t {
	case AnyParameter:
		return "any value"
	case ArrayParameter, ObjectParameter:
		return fmt.Sprintf("an %s", t)
	case UndeclaredParameter, StringParameter, NumberParameter, BooleanParameter:
	}
	return fmt.Sprintf("a %s", t)
}

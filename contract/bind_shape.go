package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
)

// A rootShape is the root of an object's schema, with the keywords that a
// definition can be compared with.
type rootShape struct{ *jsonschema.Node }

// readRoot returns false for anything but the schema of an object. Compiling it
// reports why.
func readRoot(raw json.RawMessage) (rootShape, bool) {
	document, err := jsonschema.Read(raw)
	if err != nil || document.Root.Value("type") != "object" {
		return rootShape{}, false
	}
	return rootShape{document.Root}, true
}

func (s rootShape) property(name string) *jsonschema.Node { return s.Child("properties", name) }

// maxReferences is how many references in a row typeOf follows.
const maxReferences = 16

// typeOf returns which of the six types a schema has. One that does not name a
// single type has any.
func typeOf(n *jsonschema.Node) definition.ParameterType {
	for range maxReferences {
		if n == nil {
			break
		}
		if text := n.Text("type"); text != "" {
			var t definition.ParameterType
			if text == "integer" {
				return definition.NumberParameter
			}
			if t.UnmarshalText([]byte(text)) == nil {
				return t
			}
		}
		n = n.Ref
	}
	return definition.AnyParameter
}

// names returns the names of all members in properties and required, sorted.
func (s rootShape) names() []string {
	names := s.Texts("required")
	for _, property := range s.Below("properties") {
		names = append(names, property.Step().Name)
	}
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

package schema

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
)

// CompileByValidator compiles as Compile does, and asks the validator about
// every document.
func CompileByValidator(raw json.RawMessage, opts CompileOptions) (*Schema, []Problem) {
	document, err := jsonschema.Read(raw)
	if err != nil {
		return nil, []Problem{notJSON(err)}
	}
	return compile(raw, document, opts, func(*jsonschema.Document) bool { return false })
}

// IsWellFormed reports whether Compile does not ask the validator.
func IsWellFormed(tree any) bool { return isWellFormed(jsonschema.Of(tree)) }

// Compiles reports whether the validator of a compiled schema compiles, which
// may happen later.
func (s *Schema) Compiles() bool { return s.validator().root != nil }

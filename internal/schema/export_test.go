package schema

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// CompileByValidator is Compile, but asks the validator about every document.
func CompileByValidator(raw json.RawMessage, opts CompileOptions) (*Schema, []Problem) {
	document, err := tree.Read(raw)
	if err != nil {
		return nil, []Problem{notJSON(err)}
	}
	return compile(raw, document, opts, func(*tree.Document) bool { return false })
}

// IsWellFormed reports whether Compile can do without the validator.
func IsWellFormed(value any) bool { return isWellFormed(tree.Of(value)) }

// Compiles reports whether the validator of a compiled schema compiles, which
// may happen later.
func (s *Schema) Compiles() bool { return s.validator().root != nil }

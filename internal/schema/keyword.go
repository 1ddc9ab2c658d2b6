package schema

import (
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// WithoutKeyword returns a schema without a keyword, in its subschemas too. A
// schema that isn't JSON is returned unchanged, because Compile will report it.
func WithoutKeyword(raw json.RawMessage, keyword string) json.RawMessage {
	document, err := tree.Read(raw)
	if err != nil {
		return raw
	}
	changed, err := document.Rewrite(func(_ *tree.Node, written []tree.Keyword) []tree.Keyword {
		return slices.DeleteFunc(written, func(k tree.Keyword) bool { return k.Name == keyword })
	})
	if err != nil {
		return raw
	}
	return changed
}

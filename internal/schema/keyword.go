package schema

import (
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// WithoutKeyword returns a schema that lacks a keyword, also in its subschemas.
// A schema that is not JSON stays as it is, because Compile reports it.
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

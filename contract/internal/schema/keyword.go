package schema

import (
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
)

// WithoutKeyword returns a schema that lacks a keyword, also in its subschemas.
// A schema that is not JSON stays as it is, because Compile reports it.
func WithoutKeyword(raw json.RawMessage, keyword string) json.RawMessage {
	document, err := jsonschema.Read(raw)
	if err != nil {
		return raw
	}
	changed, err := document.Rewrite(func(_ *jsonschema.Node, written []jsonschema.Keyword) []jsonschema.Keyword {
		return slices.DeleteFunc(written, func(k jsonschema.Keyword) bool { return k.Name == keyword })
	})
	if err != nil {
		return raw
	}
	return changed
}

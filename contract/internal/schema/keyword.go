package schema

import (
	"encoding/json"
	"slices"
)

// WithoutKeyword returns a schema that lacks a keyword, also in its subschemas.
// A schema that is not JSON stays as it is, because Compile reports it.
func WithoutKeyword(raw json.RawMessage, keyword string) json.RawMessage {
	change := func(_, _ string, keywords []Property) ([]Property, map[string]string) {
		return slices.DeleteFunc(keywords, func(p Property) bool { return p.Name == keyword }), nil
	}
	changed, err := rewriter{change}.schema("", "", raw)
	if err != nil {
		return raw
	}
	return changed
}

package schema

import (
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// A rewriter changes the schemas of a document one after another, outermost
// first, and keeps everything else as it is written.
type rewriter struct {
	// change returns the keywords of a schema, and which of them hold the
	// subschemas of another keyword: the old name by the new one. at is the
	// schema's JSON Pointer in the new document, and was that in the old one.
	change func(at, was string, keywords []Property) (changed []Property, renamed map[string]string)
}

// schema rewrites the schema at a pointer. A schema that is not an object
// stays.
func (r rewriter) schema(at, was string, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || raw[0] != '{' {
		return raw, nil
	}
	keywords, err := Root(raw)
	if err != nil {
		return nil, err
	}
	keywords, renamed := r.change(at, was, keywords)
	for i, k := range keywords {
		old := k.Name
		if name, ok := renamed[k.Name]; ok {
			old = name
		}
		if keywords[i].Schema, err = r.below(k, jsonptr.Append(at, k.Name), jsonptr.Append(was, old)); err != nil {
			return nil, err
		}
	}
	return Object(keywords), nil
}

// below rewrites the subschemas that a keyword holds.
func (r rewriter) below(k Property, at, was string) (json.RawMessage, error) {
	switch {
	case jsonschema.HoldsOne(k.Name):
		return r.schema(at, was, k.Schema)
	case jsonschema.HoldsMap(k.Name) && k.Schema[0] == '{':
		members, err := Root(k.Schema)
		if err != nil {
			return nil, err
		}
		for i, m := range members {
			if members[i].Schema, err = r.schema(jsonptr.Append(at, m.Name), jsonptr.Append(was, m.Name), m.Schema); err != nil {
				return nil, err
			}
		}
		return Object(members), nil
	case jsonschema.HoldsList(k.Name) && k.Schema[0] == '[':
		return r.list(k.Schema, at, was)
	}
	return k.Schema, nil
}

func (r rewriter) list(raw json.RawMessage, at, was string) (json.RawMessage, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	out := []byte{'['}
	for i, item := range items {
		changed, err := r.schema(jsonptr.AppendIndex(at, i), jsonptr.AppendIndex(was, i), item)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, changed...)
	}
	return append(out, ']'), nil
}

package observe

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Protected is a value of a field tagged sensitive or secret. Values within
// such a field are protected too.
type Protected struct {
	// Pointer is the JSON Pointer of the value.
	Pointer string
	// Value is a string, a number, a boolean or nil, as returned by [Parse].
	Value any
	// Secret means that the field is secret, not just sensitive.
	Secret bool
}

// ProtectedIn returns a document's protected values under its schema, ordered
// by pointer. The schema is one from [contract.Document]. A document that is
// not JSON has none.
func ProtectedIn(inSchema, document json.RawMessage) []Protected {
	value, err := Parse(document)
	if err != nil {
		return nil
	}
	read, err := tree.Read(inSchema)
	if err != nil {
		return nil
	}
	var s protectionSearch
	s.value(read.Root, value, "", false, false)
	return s.found
}

type protectionSearch struct{ found []Protected }

// value searches a value under a schema. Everything within a protected value is
// protected.
func (s *protectionSearch) value(n *tree.Node, value any, at string, sensitive, secret bool) {
	if n != nil {
		sensitive = sensitive || n.Value(schema.SensitiveKeyword) == true
		secret = secret || n.Value(schema.SecretKeyword) == true
		for e := range n.Edges() {
			if tree.AppliesInPlace(e.Keyword) && e.Keyword != "not" {
				before := len(s.found)
				s.value(e.To, value, at, sensitive, secret)
				if len(s.found) > before {
					return
				}
			}
		}
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			to := cmp.Or(edge(n, "properties", name), edge(n, "additionalProperties", ""))
			s.value(to, value[name], strictjson.Pointer(at, name), sensitive, secret)
		}
	case []any:
		for i, item := range value {
			to := cmp.Or(edge(n, "prefixItems", strconv.Itoa(i)), edge(n, "items", ""))
			s.value(to, item, strictjson.PointerIndex(at, i), sensitive, secret)
		}
	default:
		if sensitive || secret {
			s.found = append(s.found, Protected{at, value, secret})
		}
	}
}

// edge returns the schema that a keyword applies to a member or an item, or
// nil. The given schema may be nil.
func edge(n *tree.Node, keyword, name string) *tree.Node {
	if n == nil {
		return nil
	}
	return n.Child(keyword, name)
}

package schemadiff

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// dialect is the only draft that can be compared.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// A document is one JSON Schema, with a cache of its normalized subschemas.
type document struct {
	root    any
	schemas *jsonschema.Document // resolves anchors, nil until the first one
	normals map[uintptr]*normal
	written map[uintptr]bool // subschemas made by split, which have no place in the document
}

func parse(raw json.RawMessage) (*document, bool) {
	root, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, false
	}
	if keywords, ok := root.(map[string]any); ok {
		if said, ok := keywords["$schema"].(string); ok && strings.TrimSuffix(said, "#") != dialect {
			return nil, false
		}
	}
	return &document{root: root, normals: map[uintptr]*normal{}, written: map[uintptr]bool{}}, true
}

// A subschema is a schema in a document: a map, true or false.
type subschema struct {
	doc   *document
	value any
}

func (d *document) at(value any) subschema { return subschema{d, value} }

// orAny returns the subschema of a keyword, or true if there is none.
func (s subschema) orAny(value any, ok bool) subschema {
	if !ok {
		value = true
	}
	return subschema{s.doc, value}
}

// resolve follows a reference within the document.
func (d *document) resolve(ref string) (any, bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, false
	}
	if fragment == "" || fragment[0] == '/' {
		value, err := jsonptr.Lookup(d.root, fragment)
		return value, err == nil
	}
	if d.schemas == nil {
		d.schemas = jsonschema.Of(d.root)
	}
	n := d.schemas.Resolve(ref)
	if n == nil || n.Form() != jsonschema.Object {
		return nil, false
	}
	return n.Written(), true
}

// identity returns a number that identifies the subschema in its document, 0
// for anything but a schema.
func (s subschema) identity() uintptr {
	switch value := s.value.(type) {
	case map[string]any:
		return reflect.ValueOf(value).Pointer()
	case bool:
		if value {
			return 1
		}
		return 2
	default:
		return 0
	}
}

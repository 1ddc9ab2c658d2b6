package diff

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// dialect is the only draft that can be compared.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// A document is a JSON Schema with the results computed for its subschemas.
type document struct {
	*tree.Document
	normals map[*tree.Node]*normal
	parts   map[*tree.Node][]*tree.Node // of the subschemas built by split
	values  map[string]*tree.Node       // reference targets where no schema is expected
	left    int                         // how many more schemas may be normalized; see maxRead
}

// maxRead caps how many schemas of a document are normalized. A schema that
// applies itself through an anyOf appears in more and more of the parts that
// split creates.
const maxRead = 5 * maxSteps

func parse(raw json.RawMessage) (*document, bool) {
	value, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, false
	}
	schemas := tree.Of(value)
	if dialectURL, ok := schemas.Root.Value("$schema").(string); ok && strings.TrimSuffix(dialectURL, "#") != dialect {
		return nil, false
	}
	return &document{
		Document: schemas,
		normals:  map[*tree.Node]*normal{},
		parts:    map[*tree.Node][]*tree.Node{},
		values:   map[string]*tree.Node{},
		left:     maxRead,
	}, true
}

// A subschema is a schema in a document.
type subschema struct {
	doc *document
	*tree.Node
}

func (d *document) root() subschema { return subschema{d, d.Root} }

// The schemas true and false.
var (
	anything = tree.Of(true).Root
	nothing  = tree.Of(false).Root
)

// identity identifies the subschema in its document: all true schemas share one
// identity, and all false ones another. It is nil for anything that isn't a
// schema.
func (s subschema) identity() *tree.Node { return identity(s.Node) }

func identity(n *tree.Node) *tree.Node {
	switch n.Form() {
	case tree.Object:
		return n
	case tree.True:
		return anything
	case tree.False:
		return nothing
	default:
		return nil
	}
}

// resolve follows a reference within the document. Unlike a node's Ref, it may
// lead to any value.
func (d *document) resolve(ref any) (*tree.Node, bool) {
	text, _ := ref.(string)
	if n := d.Resolve(text); n != nil {
		return n, true
	}
	fragment, ok := strings.CutPrefix(text, "#")
	pointer, err := url.PathUnescape(fragment)
	if !ok || err != nil {
		return nil, false
	}
	if n := d.values[pointer]; n != nil {
		return n, true
	}
	value, err := strictjson.Lookup(d.Root.Written(), pointer)
	if err != nil {
		return nil, false
	}
	d.values[pointer] = tree.Of(value).Root
	return d.values[pointer], true
}

package oldschema

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// A node is one schema of a document: the root or a subschema.
type node struct {
	pointer string         // where it stands
	doc     map[string]any // its keywords; nil for true and false
	edges   []edge         // its subschemas and what its $ref leads to
	number  int            // its place in the graph's order

	members map[string]*node // those of its edges that are properties, by name
	unnamed []edge           // those that are patternProperties and additionalProperties
	prefix  int              // how many are prefixItems

	// What Fill has to look for: a default of the value itself, one that can be reached from here, and one within a
	// member.
	hasDefault, fills, fillsMembers bool
	withheld                        bool // whatever default a value of this schema has is not filled in
}

// An edge leads from a schema to one that it applies.
type edge struct {
	keyword string         // such as "properties" or "$ref"
	name    string         // the property, pattern or index under that keyword, where it has one
	pattern *regexp.Regexp // name, under patternProperties; nil where it does not compile
	to      *node
}

// A graph holds every schema of one document.
type graph struct {
	root  *node
	nodes map[string]*node // by pointer
	order []*node          // as walked: sorted by name within each schema
}

// How a keyword holds subschemas (JSON Schema core, section 10).
type holding int

const (
	holdsNone holding = iota
	holdsOne
	holdsList
	holdsMap
)

// holdings are the keywords of draft 2020-12 and how each holds subschemas.
var holdings = map[string]holding{
	"not": holdsOne, "if": holdsOne, "then": holdsOne, "else": holdsOne,
	"additionalProperties": holdsOne, "propertyNames": holdsOne, "unevaluatedProperties": holdsOne,
	"items": holdsOne, "contains": holdsOne, "unevaluatedItems": holdsOne, "contentSchema": holdsOne,
	"allOf": holdsList, "anyOf": holdsList, "oneOf": holdsList, "prefixItems": holdsList,
	"properties": holdsMap, "patternProperties": holdsMap, "dependentSchemas": holdsMap,
	"$defs": holdsMap, "definitions": holdsMap,

	"$schema": holdsNone, "$id": holdsNone, "$ref": holdsNone, "$anchor": holdsNone, "$comment": holdsNone,
	"type": holdsNone, "enum": holdsNone, "const": holdsNone,
	"multipleOf": holdsNone, "minimum": holdsNone, "maximum": holdsNone, "exclusiveMinimum": holdsNone,
	"exclusiveMaximum": holdsNone,
	"minLength":        holdsNone, "maxLength": holdsNone, "pattern": holdsNone, "format": holdsNone,
	"minItems": holdsNone, "maxItems": holdsNone, "uniqueItems": holdsNone, "minContains": holdsNone,
	"maxContains":   holdsNone,
	"minProperties": holdsNone, "maxProperties": holdsNone, "required": holdsNone, "dependentRequired": holdsNone,
	"contentEncoding": holdsNone, "contentMediaType": holdsNone,
	"title": holdsNone, "description": holdsNone, "default": holdsNone, "deprecated": holdsNone,
	"readOnly": holdsNone, "writeOnly": holdsNone, "examples": holdsNone,
}

// newGraph finds every schema of a document. What stands where a schema should, and is none, is left to the
// metaschema.
func newGraph(document any) *graph {
	g := &graph{nodes: map[string]*node{}}
	g.root = g.add(document, "")
	g.link()
	return g
}

func (g *graph) add(value any, pointer string) *node {
	n := &node{pointer: pointer, number: len(g.order), members: map[string]*node{}}
	n.doc, _ = value.(map[string]any)
	g.nodes[pointer] = n
	g.order = append(g.order, n)
	for _, keyword := range slices.Sorted(maps.Keys(n.doc)) {
		value, at := n.doc[keyword], jsonptr.Append(pointer, keyword)
		switch holdings[keyword] {
		case holdsOne:
			n.edges = append(n.edges, edge{keyword: keyword, to: g.add(value, at)})
			if keyword == "additionalProperties" {
				n.unnamed = append(n.unnamed, n.edges[len(n.edges)-1])
			}
		case holdsList:
			list, _ := value.([]any)
			for i, item := range list {
				to := g.add(item, jsonptr.AppendIndex(at, i))
				n.edges = append(n.edges, edge{keyword: keyword, name: strconv.Itoa(i), to: to})
			}
			if keyword == "prefixItems" {
				n.prefix = len(list)
			}
		case holdsMap:
			members, _ := value.(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(members)) {
				to := g.add(members[name], jsonptr.Append(at, name))
				switch keyword {
				case "$defs", "definitions": // applied only where something refers to them
				case "properties":
					n.members[name] = to
					n.edges = append(n.edges, edge{keyword: keyword, name: name, to: to})
				case "patternProperties":
					pattern, err := regexp.Compile(name)
					if err != nil {
						pattern = nil
					}
					n.edges = append(n.edges, edge{keyword: keyword, name: name, pattern: pattern, to: to})
					n.unnamed = append(n.unnamed, n.edges[len(n.edges)-1])
				default:
					n.edges = append(n.edges, edge{keyword: keyword, name: name, to: to})
				}
			}
		case holdsNone:
		}
	}
	return n
}

// link adds an edge for each $ref that leads to a schema of this document.
func (g *graph) link() {
	for _, n := range g.order {
		if to := g.target(n); to != nil {
			n.edges = append(n.edges, edge{keyword: "$ref", to: to})
		}
	}
}

// target returns the schema that a node's $ref leads to, or nil.
func (g *graph) target(n *node) *node {
	ref, _ := n.doc["$ref"].(string)
	return g.resolve(ref)
}

// resolve follows "#", "#/pointer" and "#anchor"; nil is nowhere.
func (g *graph) resolve(ref string) *node {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	if fragment == "" || fragment[0] == '/' {
		return g.nodes[fragment]
	}
	for _, other := range g.order {
		if other.doc["$anchor"] == fragment {
			return other
		}
	}
	return nil
}

// properties returns the names that an object schema declares, sorted.
func (n *node) properties() []string {
	declared, _ := n.doc["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(declared))
}

// drop takes the keyword out of the document that a pointer leads into.
func (g *graph) drop(pointer string) {
	for end := len(pointer); end > 0; {
		end = strings.LastIndexByte(pointer[:end], '/')
		n, ok := g.nodes[pointer[:max(end, 0)]]
		if !ok {
			continue
		}
		keyword, _, _ := strings.Cut(pointer[end+1:], "/")
		delete(n.doc, keyword)
		return
	}
}

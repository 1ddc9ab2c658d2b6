package schemadoc

import (
	"net/url"
	"strings"
)

// A Document is a JSON Schema document with all of its schemas. It is safe for
// concurrent use as long as the keywords of its schemas do not change.
type Document struct {
	Root *Node
	// All holds the root and every subschema, in the order of [Each]: a schema
	// before its own subschemas.
	All []*Node

	byPointer map[string]*Node
}

// A Node is one schema of a document.
type Node struct {
	Pointer  string         // JSON Pointer into the document; "" is the root
	Keywords map[string]any // nil for true and false
	Edges    []Edge         // the schemas that this one applies: its subschemas, then its Ref
	Ref      *Node          // what its $ref leads to; nil if it has none, or one that leads nowhere
}

// An Edge leads from a schema to one that it applies, directly or by a $ref.
type Edge struct {
	Step
	To *Node
}

// New finds the schemas of a document, which is a JSON value.
func New(document any) *Document {
	d := &Document{byPointer: map[string]*Node{}}
	d.Root = d.add(document, "")
	for _, n := range d.All {
		ref, ok := n.Keywords["$ref"].(string)
		if !ok {
			continue
		}
		if n.Ref = d.Resolve(ref); n.Ref != nil {
			n.Edges = append(n.Edges, Edge{Step{Keyword: "$ref"}, n.Ref})
		}
	}
	return d
}

func (d *Document) add(value any, pointer string) *Node {
	n := &Node{Pointer: pointer}
	n.Keywords, _ = value.(map[string]any)
	d.byPointer[pointer] = n
	d.All = append(d.All, n)
	Each(value, func(step Step, subschema any) {
		if to := d.add(subschema, step.From(pointer)); !Defines(step.Keyword) {
			n.Edges = append(n.Edges, Edge{step, to})
		}
	})
	return n
}

// At returns the schema at a JSON Pointer, or nil if there is none.
func (d *Document) At(pointer string) *Node { return d.byPointer[pointer] }

// Resolve returns the schema that a reference leads to: "#", "#/pointer" or
// "#anchor". It returns nil if the reference leads out of the document or
// nowhere.
func (d *Document) Resolve(ref string) *Node {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	if fragment == "" || fragment[0] == '/' {
		return d.byPointer[fragment]
	}
	for _, n := range d.All {
		if n.Keywords["$anchor"] == fragment {
			return n
		}
	}
	return nil
}

// Follow returns the keywords of the schema that a reference leads to, or nil.
// The schemas true and false have no keywords.
func (d *Document) Follow(ref string) map[string]any {
	if n := d.Resolve(ref); n != nil {
		return n.Keywords
	}
	return nil
}

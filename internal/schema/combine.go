package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// bounding lists the root keywords that constrain an object's members as a
// whole, so that another member can't simply be added.
var bounding = []string{
	"$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "patternProperties", "propertyNames",
	"unevaluatedProperties", "minProperties", "maxProperties", "enum", "const",
}

// WithProperties adds optional properties to the root of a schema that
// [Compile] accepts, after the existing ones. References to the root still lead
// to the original root. It returns a Problem if a property of that name already
// exists or if the root constrains its members as a whole.
func WithProperties(raw json.RawMessage, added ...tree.Keyword) (json.RawMessage, []Problem) {
	document, err := tree.Read(raw)
	if err != nil {
		return nil, []Problem{notJSON(err)}
	}
	problems := checkPlainRoot(document)
	for _, p := range added {
		if document.Root.Child("properties", p.Name) != nil {
			problems = append(problems, Problem{
				Rule: RuleProperty, Field: strictjson.Pointer("", "properties", p.Name),
				Message: "is a property that the library adds", Remedy: "give it another name",
			})
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	root, err := unrooted(document, raw)
	if err != nil {
		return nil, []Problem{notJSON(err)}
	}
	at := slices.IndexFunc(root, func(k tree.Keyword) bool { return k.Name == "properties" })
	if at < 0 {
		return tree.WriteObject(append(root, tree.Keyword{Name: "properties", Text: tree.WriteObject(added)})), nil
	}
	properties, err := tree.Members(root[at].Text)
	if err != nil {
		return nil, []Problem{notJSON(err)}
	}
	root[at].Text = tree.WriteObject(append(properties, added...))
	return tree.WriteObject(root), nil
}

func checkPlainRoot(d *tree.Document) []Problem {
	var problems []Problem
	for _, keyword := range bounding {
		if d.Root.Has(keyword) {
			problems = append(problems, Problem{
				Rule: RuleProperty, Field: strictjson.Pointer("", keyword),
				Message: "bounds the members of the root together, and the library adds to them", Remedy: "put it below a property",
			})
		}
	}
	for _, n := range d.All {
		if !n.IsRoot() && n.Ref == d.Root && n.Text("$ref") != "#" {
			problems = append(problems, Problem{
				Rule: RuleProperty, Field: strictjson.Pointer(n.Pointer(), "$ref"),
				Message: "leads to the root, and the library adds to that", Remedy: `write "#", or put what is used twice into $defs`,
			})
		}
	}
	return problems
}

// Unrooted returns the root keywords of an equivalent schema that never refers
// to "#". If the schema does refer to it, $defs gets a copy of the root.
func Unrooted(raw json.RawMessage) ([]tree.Keyword, error) {
	document, err := tree.Read(raw)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return unrooted(document, raw)
}

func unrooted(document *tree.Document, raw json.RawMessage) ([]tree.Keyword, error) {
	toRoot := func(n *tree.Node) bool { return n.Text("$ref") == "#" }
	if !slices.ContainsFunc(document.All, toRoot) {
		return tree.Members(raw)
	}
	name := "root"
	for document.Root.Child("$defs", name) != nil {
		name += "_"
	}
	raw, err := withReferences(document, func(ref string) string {
		if ref != "#" {
			return ref
		}
		return strictjson.Pointer("#", "$defs", name)
	})
	if err != nil {
		return nil, err
	}
	root, err := tree.Members(raw)
	if err != nil {
		return nil, err
	}
	var own, rest, defs []tree.Keyword
	for _, k := range root {
		if k.Name == "$defs" {
			if defs, err = tree.Members(k.Text); err != nil {
				return nil, err
			}
			continue
		}
		rest = append(rest, k)
		if k.Name != "$schema" && k.Name != "$id" && k.Name != "$anchor" {
			own = append(own, k)
		}
	}
	defs = append(defs, tree.Keyword{Name: name, Text: tree.WriteObject(own)})
	return append(rest, tree.Keyword{Name: "$defs", Text: tree.WriteObject(defs)}), nil
}

// withReferences returns the text of a document with its references changed.
func withReferences(document *tree.Document, change func(ref string) string) (json.RawMessage, error) {
	return document.Rewrite(func(n *tree.Node, written []tree.Keyword) []tree.Keyword {
		for i, k := range written {
			if k.Name == "$ref" {
				written[i].Text = quoted(change(n.Text("$ref")))
			}
		}
		return written
	})
}

func quoted(text string) json.RawMessage {
	out, _ := jsontext.AppendQuote(nil, text) // replaces invalid UTF-8
	return out
}

// AnyOf returns the schema of an object that satisfies one of the branches,
// each a schema that [Compile] accepts. References within a branch stay within
// it.
func AnyOf(branches ...json.RawMessage) (json.RawMessage, error) {
	list := []byte{'['}
	for i, branch := range branches {
		moved, err := relocate(branch, strictjson.PointerIndex(strictjson.Pointer("#", "anyOf"), i))
		if err != nil {
			return nil, err
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, moved...)
	}
	return tree.WriteObject([]tree.Keyword{
		{Name: "type", Text: json.RawMessage(`"object"`)}, {Name: "anyOf", Text: append(list, ']')},
	}), nil
}

// relocate returns a root as a subschema reachable by the given reference. Only
// a root may have $schema and $id.
func relocate(raw json.RawMessage, to string) (json.RawMessage, error) {
	document, err := tree.Read(raw)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	moved, err := withReferences(document, func(ref string) string {
		if ref == "#" || strings.HasPrefix(ref, "#/") {
			return to + ref[1:]
		}
		return ref
	})
	if err != nil {
		return nil, err
	}
	root, err := tree.Members(moved)
	if err != nil {
		return nil, err
	}
	return tree.WriteObject(slices.DeleteFunc(root, func(k tree.Keyword) bool {
		return k.Name == "$schema" || k.Name == "$id"
	})), nil
}

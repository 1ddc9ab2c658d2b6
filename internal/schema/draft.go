package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A draft is a version of JSON Schema before 2019-09. The zero draft is
// undeclared: individual keywords reveal that a schema is older than 2020-12,
// and only those are converted.
type draft int

// drafts maps the $schema URIs of older drafts, without the "#", to their
// drafts.
var drafts = map[string]draft{
	"http://json-schema.org/draft-04/schema": 4, "https://json-schema.org/draft-04/schema": 4,
	"http://json-schema.org/draft-06/schema": 6, "https://json-schema.org/draft-06/schema": 6,
	"http://json-schema.org/draft-07/schema": 7, "https://json-schema.org/draft-07/schema": 7,
}

// introduced lists keywords that constrain values, with the first draft that
// has them. In an earlier draft they mean nothing.
var introduced = map[string]draft{
	"const": 6, "contains": 6, "propertyNames": 6,
	"if": 7, "then": 7, "else": 7, "contentEncoding": 7, "contentMediaType": 7,
	"$anchor": 2019, "dependentRequired": 2019, "dependentSchemas": 2019, "minContains": 2019, "maxContains": 2019,
	"unevaluatedItems": 2019, "unevaluatedProperties": 2019, "contentSchema": 2019, "prefixItems": 2020,
}

// besideRef lists the keywords that stay beside a $ref of an older draft:
// annotations, and what other references lead to. The draft ignores all others
// there.
var besideRef = []string{
	"$schema", "$ref", "$defs", "definitions", "title", "description", "$comment", "default", "examples", "deprecated", "readOnly",
	"writeOnly",
}

// Modern converts a schema to draft 2020-12. The result accepts the same values
// and keeps the original's order; converted reports whether a conversion was
// needed. Modern converts a schema
//
//   - whose $schema is draft-04, draft-06 or draft-07;
//   - without $schema, if a keyword shows that it is older: items that are a
//     list, additionalItems, dependencies that are an object, or an
//     exclusiveMinimum or exclusiveMaximum that is a boolean.
//
// It also converts nullable, which OpenAPI 3.0 has beside type: if it is true,
// the type also accepts null. converted doesn't count that, see [HasNullable].
//
// Every other schema stays as it is, and so does text that can't be read.
// References within the document lead to the same schemas as before. A keyword
// that constrains values in 2020-12 but doesn't exist in the declared draft is
// left out if lenient is set and is a Problem otherwise.
func Modern(text *tree.Text, lenient bool) (modern *tree.Text, converted bool, problems []Problem) {
	document, err := text.Document()
	if err != nil || document.Root.Form() != tree.Object {
		return text, false, nil // Compile will report it
	}
	declared := document.Root.Text("$schema")
	version := drafts[strings.TrimSuffix(declared, "#")]
	old := version != 0 || declared == "" && looksOld(document)
	if !old && (declared != "" && !isCurrent(declared) || !HasNullable(document)) {
		return text, false, nil
	}
	c := draftConverter{draft: version, lenient: lenient}
	var written json.RawMessage
	if document, err = tree.ReadOlder(text.Raw); err == nil {
		written, err = document.Rewrite(c.change)
	}
	if err != nil {
		return text, false, nil
	}
	return tree.NewText(written), old, c.problems
}

// HasNullable reports whether a schema of the document has the keyword nullable
// of OpenAPI 3.0 in a place where it means something.
func HasNullable(document *tree.Document) bool {
	return slices.ContainsFunc(document.All, isNullable)
}

// isNullable reports whether nullable means something in a schema: it is false,
// which is the default, or it stands beside type.
func isNullable(n *tree.Node) bool {
	is, ok := n.Value("nullable").(bool)
	return ok && (!is || n.Has("type"))
}

// looksOld reports whether a document without $schema has a keyword, or a form
// of one, that only older drafts have.
func looksOld(document *tree.Document) bool {
	for _, n := range document.All {
		for keyword, value := range n.Keywords() {
			if isOld(keyword, value) {
				return true
			}
		}
	}
	return false
}

func isOld(keyword string, value any) bool {
	switch keyword {
	case "items":
		return is[[]any](value)
	case "additionalItems":
		return true
	case "dependencies":
		return is[map[string]any](value)
	case "exclusiveMinimum", "exclusiveMaximum":
		return is[bool](value)
	}
	return false
}

// A draftConverter converts one document.
type draftConverter struct {
	draft    draft
	lenient  bool
	problems []Problem
}

func (c *draftConverter) problem(n *tree.Node, keyword, message, remedy string) {
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, Problem{Rule: RuleDialect, Field: strictjson.Pointer(n.Pointer(), keyword), Message: message,
			Remedy: remedy})
	}
}

// change converts the keywords of one schema.
func (c *draftConverter) change(n *tree.Node, written []tree.Keyword) []tree.Keyword {
	old := oldSchema{draftConverter: c, Node: n}
	isRef := n.Has("$ref")
	for _, k := range written {
		switch {
		case c.draft != 0 && isRef && !slices.Contains(besideRef, k.Name) && !(n.IsRoot() && k.Name == "type"):
		case c.draft != 0 && introduced[k.Name] > c.draft:
			if !c.lenient {
				c.problem(n, k.Name, fmt.Sprintf("is not a keyword of draft-%02d", c.draft),
					"remove $schema and write the schema in draft 2020-12")
			}
		default:
			old.keyword(k)
		}
	}
	return old.out
}

// An oldSchema is a schema during its conversion.
type oldSchema struct {
	*draftConverter
	*tree.Node

	out []tree.Keyword
}

// add adds a keyword that holds no schemas.
func (o *oldSchema) add(name string, value json.RawMessage) {
	o.out = append(o.out, tree.Keyword{Name: name, Text: value})
}

// move adds a keyword under its new name.
func (o *oldSchema) move(k tree.Keyword, name string) {
	k.Name = name
	o.out = append(o.out, k)
}

func (o *oldSchema) keyword(k tree.Keyword) {
	switch k.Name {
	case "$schema":
	case "nullable":
		if !isNullable(o.Node) {
			o.out = append(o.out, k)
		}
	case "type":
		o.types(k)
	case "id":
		o.identifier(k, o.draft == 4)
	case "$id":
		o.identifier(k, o.draft >= 6)
	case "definitions":
		if o.Has("$defs") {
			o.out = append(o.out, k)
		} else {
			o.move(k, "$defs")
		}
	case "items":
		o.items(k)
	case "additionalItems":
		if is[[]any](o.Value("items")) {
			o.move(k, "items")
		}
	case "dependencies":
		o.dependencies(k)
	case "minimum", "exclusiveMinimum":
		o.limit(k, "minimum", "exclusiveMinimum")
	case "maximum", "exclusiveMaximum":
		o.limit(k, "maximum", "exclusiveMaximum")
	default:
		o.out = append(o.out, k)
	}
}

// identifier converts a schema's identifier. A fragment becomes an anchor. The
// document's URL isn't needed, because references stay within the document.
func (o *oldSchema) identifier(k tree.Keyword, applies bool) {
	var id string
	err := json.Unmarshal(k.Text, &id)
	switch {
	case !applies || err != nil:
		o.out = append(o.out, k)
	case strings.HasPrefix(id, "#") && id != "#":
		anchor, err := json.Marshal(id[1:])
		if err != nil { // a string is always valid JSON
			o.out = append(o.out, k)
			return
		}
		o.add("$anchor", anchor)
	case !o.IsRoot():
		o.add("$id", k.Text) // Compile will refuse it
	}
}

// types adds null to the type of a nullable schema. The root stays an object,
// as the protocol demands.
func (o *oldSchema) types(k tree.Keyword) {
	types, ok := o.Types()
	if !o.Is("nullable") || !ok || types&tree.NullType != 0 || o.IsRoot() {
		o.out = append(o.out, k)
		return
	}
	list := string(k.Text)
	if k.Text[0] == '[' {
		list = strings.TrimSpace(list[1 : len(list)-1])
	}
	o.add("type", json.RawMessage("["+list+`,"null"]`))
}

func (o *oldSchema) items(k tree.Keyword) {
	list, isList := o.Value("items").([]any)
	switch {
	case !isList:
		o.out = append(o.out, k)
	case o.Has("prefixItems") && o.draft == 0:
		o.problem(o.Node, "items", "is a list, as in older drafts, beside prefixItems", "keep one of them")
	case len(list) > 0:
		o.move(k, "prefixItems")
	}
}

// dependencies splits the keyword: a list of names becomes dependentRequired, a
// schema becomes dependentSchemas.
func (o *oldSchema) dependencies(k tree.Keyword) {
	members, err := tree.Members(k.Text)
	if err != nil {
		o.out = append(o.out, k) // Compile will refuse it
		return
	}
	var required, schemas []tree.Keyword
	for _, m := range members {
		if m.Text[0] == '[' {
			required = append(required, m)
		} else {
			schemas = append(schemas, m)
		}
	}
	o.split("dependentRequired", "", required)
	o.split("dependentSchemas", k.From, schemas)
}

func (o *oldSchema) split(name, from string, members []tree.Keyword) {
	switch {
	case len(members) == 0:
	case o.Has(name) && o.draft == 0:
		o.problem(o.Node, "dependencies", "is a keyword of older drafts, beside "+name, "keep one of them")
	default:
		o.out = append(o.out, tree.Keyword{Name: name, Text: tree.WriteObject(members), From: from})
	}
}

// limit converts a draft-04 exclusive limit, which is a boolean beside the
// limit.
func (o *oldSchema) limit(k tree.Keyword, limit, exclusive string) {
	switch {
	case !is[bool](o.Value(exclusive)), k.Name == limit && !o.Is(exclusive):
		o.out = append(o.out, k)
	case k.Name == limit:
		o.add(exclusive, k.Text)
	}
}

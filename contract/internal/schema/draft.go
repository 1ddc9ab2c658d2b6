package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A draft is a version of JSON Schema before 2019-09. The zero draft is not
// declared: single keywords show that a schema is older than 2020-12, and only
// these are converted.
type draft int

// drafts maps the $schema of older drafts, without "#".
var drafts = map[string]draft{
	"http://json-schema.org/draft-04/schema": 4, "https://json-schema.org/draft-04/schema": 4,
	"http://json-schema.org/draft-06/schema": 6, "https://json-schema.org/draft-06/schema": 6,
	"http://json-schema.org/draft-07/schema": 7, "https://json-schema.org/draft-07/schema": 7,
}

// introduced lists keywords that constrain values, by the first draft that has
// them. In an older draft they mean nothing.
var introduced = map[string]draft{
	"const": 6, "contains": 6, "propertyNames": 6,
	"if": 7, "then": 7, "else": 7, "contentEncoding": 7, "contentMediaType": 7,
	"$anchor": 2019, "dependentRequired": 2019, "dependentSchemas": 2019, "minContains": 2019, "maxContains": 2019,
	"unevaluatedItems": 2019, "unevaluatedProperties": 2019, "contentSchema": 2019, "prefixItems": 2020,
}

// besideRef lists the keywords that are kept beside a $ref of an older draft,
// which ignores all others: annotations, and what other references lead to.
var besideRef = []string{
	"$schema", "$ref", "$defs", "definitions", "title", "description", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly",
}

// Modern returns a schema in draft 2020-12 that accepts the same values, in the
// order of the original, and whether it had to be converted. It converts a
// schema
//
//   - whose $schema is draft-04, draft-06 or draft-07;
//   - without $schema, if a keyword shows that it is older: items that are a
//     list, additionalItems, dependencies that are an object, or an
//     exclusiveMinimum or exclusiveMaximum that is a boolean.
//
// Every other schema stays as it is, and so does what cannot be read.
// References within the document lead to the same schemas as before. A keyword
// that constrains values in 2020-12, and that the declared draft does not have,
// is left out if lenient, and else a Problem.
func Modern(raw json.RawMessage, lenient bool) (modern json.RawMessage, converted bool, problems []Problem) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	root, ok := tree.(map[string]any)
	if err != nil || !ok {
		return raw, false, nil // Compile reports it
	}
	declared, hasDialect := root["$schema"].(string)
	version := drafts[strings.TrimSuffix(declared, "#")]
	if version == 0 && (hasDialect || !looksOld(tree)) {
		return raw, false, nil
	}
	c := draftConverter{draft: version, lenient: lenient, moved: map[string]string{}}
	modern, err = rewriter{c.change}.schema("", "", bytes.TrimSpace(raw))
	if err == nil {
		modern, err = c.refer(modern)
	}
	if err != nil {
		return raw, false, nil
	}
	return modern, true, c.problems
}

// looksOld reports whether a document without $schema has a keyword, or a form
// of one, that only older drafts have.
func looksOld(tree any) bool {
	for _, n := range jsonschema.Of(tree).All {
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
		_, ok := value.([]any)
		return ok
	case "additionalItems":
		return true
	case "dependencies":
		_, ok := value.(map[string]any)
		return ok
	case "exclusiveMinimum", "exclusiveMaximum":
		_, ok := value.(bool)
		return ok
	}
	return false
}

// A draftConverter converts one document.
type draftConverter struct {
	draft    draft
	lenient  bool
	moved    map[string]string // the new pointers of schemas, by their old ones
	problems []Problem
}

func (c *draftConverter) problem(was, keyword, message, remedy string) {
	c.problems = append(c.problems, Problem{Rule: RuleDialect, Field: jsonptr.Append(was, keyword), Message: message, Remedy: remedy})
}

// change converts the keywords of one schema.
func (c *draftConverter) change(at, was string, keywords []Property) ([]Property, map[string]string) {
	c.moved[was] = at
	old := oldSchema{draftConverter: c, was: was, values: map[string]json.RawMessage{}, renamed: map[string]string{}}
	for _, k := range keywords {
		old.values[k.Name] = k.Schema
	}
	_, isRef := old.values["$ref"]
	for _, k := range keywords {
		switch {
		case c.draft != 0 && isRef && !slices.Contains(besideRef, k.Name) && !(was == "" && k.Name == "type"):
		case c.draft != 0 && introduced[k.Name] > c.draft:
			if !c.lenient {
				c.problem(was, k.Name, fmt.Sprintf("is not a keyword of draft-%02d", c.draft), "remove $schema and write the schema in draft 2020-12")
			}
		default:
			old.keyword(k)
		}
	}
	return old.out, old.renamed
}

// An oldSchema is one schema that is being converted.
type oldSchema struct {
	*draftConverter
	was     string
	values  map[string]json.RawMessage
	out     []Property
	renamed map[string]string
}

func (o *oldSchema) add(name string, value json.RawMessage) {
	o.out = append(o.out, Property{name, value})
}

// move adds a keyword under its new name.
func (o *oldSchema) move(k Property, name string) {
	o.add(name, k.Schema)
	o.renamed[name] = k.Name
}

func (o *oldSchema) is(keyword string, kind byte) bool {
	value := o.values[keyword]
	return len(value) > 0 && value[0] == kind
}

func (o *oldSchema) keyword(k Property) {
	switch k.Name {
	case "$schema":
	case "id":
		o.identifier(k, o.draft == 4)
	case "$id":
		o.identifier(k, o.draft >= 6)
	case "definitions":
		if _, both := o.values["$defs"]; both {
			o.out = append(o.out, k)
		} else {
			o.move(k, "$defs")
		}
	case "items":
		o.items(k)
	case "additionalItems":
		if o.is("items", '[') {
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

// identifier converts the identifier of a schema. A fragment is an anchor. The
// URL of the document is not needed, because references stay within it.
func (o *oldSchema) identifier(k Property, applies bool) {
	var id string
	err := json.Unmarshal(k.Schema, &id)
	switch {
	case !applies || err != nil:
		o.out = append(o.out, k)
	case strings.HasPrefix(id, "#") && id != "#":
		anchor, err := json.Marshal(id[1:])
		if err != nil { // a string is always JSON
			o.out = append(o.out, k)
			return
		}
		o.add("$anchor", anchor)
	case o.was != "":
		o.add("$id", k.Schema) // Compile refuses it
	}
}

func (o *oldSchema) items(k Property) {
	switch {
	case !o.is("items", '['):
		o.out = append(o.out, k)
	case o.values["prefixItems"] != nil && o.draft == 0:
		o.problem(o.was, "items", "is a list, as in older drafts, beside prefixItems", "keep one of them")
	case string(bytes.Join(bytes.Fields(k.Schema), nil)) != "[]":
		o.move(k, "prefixItems")
	}
}

// dependencies splits the keyword: a list of names is dependentRequired, and a
// schema is dependentSchemas.
func (o *oldSchema) dependencies(k Property) {
	members, err := Root(k.Schema)
	if err != nil {
		o.out = append(o.out, k) // Compile refuses it
		return
	}
	var required, schemas []Property
	for _, m := range members {
		if m.Schema[0] == '[' {
			required = append(required, m)
		} else {
			schemas = append(schemas, m)
		}
	}
	o.split("dependentRequired", required)
	if o.split("dependentSchemas", schemas) {
		o.renamed["dependentSchemas"] = "dependencies"
	}
}

func (o *oldSchema) split(name string, members []Property) bool {
	if len(members) == 0 {
		return false
	}
	if o.values[name] != nil && o.draft == 0 {
		o.problem(o.was, "dependencies", "is a keyword of older drafts, beside "+name, "keep one of them")
		return false
	}
	o.add(name, Object(members))
	return true
}

// limit converts an exclusive limit of draft-04, which is a boolean beside the
// limit.
func (o *oldSchema) limit(k Property, limit, exclusive string) {
	isFlag := o.is(exclusive, 't') || o.is(exclusive, 'f')
	switch {
	case !isFlag, k.Name == limit && o.is(exclusive, 'f'):
		o.out = append(o.out, k)
	case k.Name == limit:
		o.add(exclusive, k.Schema)
	}
}

// refer makes the references of a converted document lead to where the schemas
// are now.
func (c *draftConverter) refer(raw json.RawMessage) (json.RawMessage, error) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	refs := map[string]string{}
	for _, n := range jsonschema.Of(tree).All {
		ref, _ := n.Value("$ref").(string)
		fragment, local := strings.CutPrefix(ref, "#/")
		pointer, err := url.PathUnescape(fragment)
		if !local || err != nil {
			continue
		}
		if now, ok := c.moved["/"+pointer]; ok && now != "/"+pointer {
			refs[jsonptr.Append(n.Pointer(), "$ref")] = "#" + (&url.URL{Fragment: now}).EscapedFragment()
		}
	}
	if len(refs) == 0 {
		return raw, nil
	}
	return replaceTexts(raw, refs)
}

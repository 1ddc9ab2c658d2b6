package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

var errNoObject = errors.New("schema: not an object")

// A Property is a member of an object and its schema.
type Property struct {
	Name   string
	Schema json.RawMessage
}

// Root returns the keywords of a schema's root, in their order.
func Root(raw json.RawMessage) ([]Property, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if dec.PeekKind() != '{' {
		return nil, errNoObject
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var all []Property
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		p := Property{Name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		p.Schema = bytes.Clone(value)
		all = append(all, p)
	}
	return all, nil
}

// Object writes members as a JSON object, in their order.
func Object(members []Property) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := jsontext.AppendQuote(nil, m.Name) // what is not UTF-8 is replaced
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.Schema)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// bounding are the keywords by which a root says more of its members than one at a time, so that one more would not
// just stand beside the others.
var bounding = []string{
	"$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "patternProperties", "propertyNames",
	"unevaluatedProperties", "minProperties", "maxProperties", "enum", "const",
}

// WithProperties adds optional properties to the root of a schema that [Compile] takes, behind its own. Where the schema
// refers to its root, it goes on to mean the root as it was. A Problem says that the schema has a property of the name
// already, or a root that bounds its members together.
func WithProperties(raw json.RawMessage, added ...Property) (json.RawMessage, []Problem) {
	problems := checkPlainRoot(raw)
	raw, err := Unrooted(raw)
	if err != nil {
		return nil, []Problem{notJSON(err)}
	}
	root, err := Root(raw)
	if err != nil {
		return nil, []Problem{notJSON(err)}
	}
	properties, at := []Property(nil), len(root)
	for i, keyword := range root {
		if keyword.Name == "properties" {
			at = i
			if properties, err = Root(keyword.Schema); err != nil {
				return nil, []Problem{notJSON(err)}
			}
		}
	}
	for _, p := range added {
		if slices.ContainsFunc(properties, func(own Property) bool { return own.Name == p.Name }) {
			problems = append(problems, Problem{
				Rule: RuleProperty, Field: jsonptr.Append("", "properties", p.Name),
				Message: "is a property that the library adds", Remedy: "give it another name",
			})
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	all := Property{"properties", Object(append(properties, added...))}
	if at == len(root) {
		return Object(append(root, all)), nil
	}
	root[at] = all
	return Object(root), nil
}

func checkPlainRoot(raw json.RawMessage) []Problem {
	document, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return []Problem{notJSON(err)}
	}
	var problems []Problem
	d := schemadoc.New(document)
	for _, keyword := range bounding {
		if _, has := d.Root.Keywords[keyword]; has {
			problems = append(problems, Problem{
				Rule: RuleProperty, Field: jsonptr.Append("", keyword),
				Message: "bounds the members of the root together, and the library adds to them", Remedy: "put it below a property",
			})
		}
	}
	for _, n := range d.All {
		if n != d.Root && n.Ref == d.Root && n.Keywords["$ref"] != "#" {
			problems = append(problems, Problem{
				Rule: RuleProperty, Field: jsonptr.Append(n.Pointer, "$ref"),
				Message: "leads to the root, and the library adds to that", Remedy: `write "#", or put what is used twice into $defs`,
			})
		}
	}
	return problems
}

// Unrooted returns a schema that means the same and does not refer to "#": the root stands in $defs too.
func Unrooted(raw json.RawMessage) (json.RawMessage, error) {
	if refs, err := refsTo(raw, "#"); err != nil || len(refs) == 0 {
		return raw, err
	}
	root, err := Root(raw)
	if err != nil {
		return nil, err
	}
	var own, defs []Property
	for _, p := range root {
		switch p.Name {
		case "$defs":
			if defs, err = Root(p.Schema); err != nil {
				return nil, err
			}
		case "$schema", "$id", "$anchor":
		default:
			own = append(own, p)
		}
	}
	name := "root"
	for slices.ContainsFunc(defs, func(p Property) bool { return p.Name == name }) {
		name += "_"
	}
	all := Property{"$defs", Object(append(defs, Property{name, Object(own)}))}
	raw = Object(append(slices.DeleteFunc(root, func(p Property) bool { return p.Name == "$defs" }), all))
	refs, err := refsTo(raw, "#")
	if err != nil {
		return nil, err
	}
	for at := range refs {
		refs[at] = jsonptr.Append("#", "$defs", name)
	}
	return replaceTexts(raw, refs)
}

// refsTo returns where a document refers to a place, or to one below it.
func refsTo(raw json.RawMessage, places ...string) (map[string]string, error) {
	document, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	refs := map[string]string{}
	for _, n := range schemadoc.New(document).All {
		ref, _ := n.Keywords["$ref"].(string)
		if slices.ContainsFunc(places, func(place string) bool {
			return ref == place || strings.HasSuffix(place, "/") && strings.HasPrefix(ref, place)
		}) {
			refs[jsonptr.Append(n.Pointer, "$ref")] = ref
		}
	}
	return refs, nil
}

// AnyOf returns the schema of an object that keeps one of branches, schemas that [Compile] takes. What they refer to
// within themselves they still do.
func AnyOf(branches ...json.RawMessage) (json.RawMessage, error) {
	list := []byte{'['}
	for i, branch := range branches {
		moved, err := moved(branch, jsonptr.AppendIndex(jsonptr.Append("#", "anyOf"), i))
		if err != nil {
			return nil, err
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, moved...)
	}
	return Object([]Property{{"type", json.RawMessage(`"object"`)}, {"anyOf", append(list, ']')}}), nil
}

// moved returns a root as it reads at another place, which is given as a reference: without what only a root may have.
func moved(raw json.RawMessage, to string) (json.RawMessage, error) {
	root, err := Root(raw)
	if err != nil {
		return nil, err
	}
	raw = Object(slices.DeleteFunc(root, func(p Property) bool { return p.Name == "$schema" || p.Name == "$id" }))
	refs, err := refsTo(raw, "#", "#/")
	if err != nil {
		return nil, err
	}
	for at, ref := range refs {
		refs[at] = to + ref[1:]
	}
	return replaceTexts(raw, refs)
}

// replaceTexts replaces the strings at some pointers and leaves everything else as it is written.
func replaceTexts(raw json.RawMessage, texts map[string]string) (json.RawMessage, error) {
	var out bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(raw)), jsontext.NewEncoder(&out)
	for {
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimRight(out.Bytes(), "\n"), nil
		}
		if err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		kind, length := dec.StackIndex(dec.StackDepth())
		isName := kind == '{' && length%2 == 1 // its pointer is that of its value
		if text, ok := texts[string(dec.StackPointer())]; ok && !isName {
			token = jsontext.String(text)
		}
		if err := enc.WriteToken(token); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
	}
}

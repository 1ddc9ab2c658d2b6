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

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

var errNoObject = errors.New("schema: not an object")

// A Property is a member of an object and its schema.
type Property struct {
	Name   string
	Schema json.RawMessage
}

// Root returns the keywords of the root of a schema, in their order.
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
		name, _ := jsontext.AppendQuote(nil, m.Name) // it replaces invalid UTF-8
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.Schema)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// bounding lists the keywords of a root that constrain its members together, so
// that another member cannot simply be added.
var bounding = []string{
	"$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "patternProperties", "propertyNames",
	"unevaluatedProperties", "minProperties", "maxProperties", "enum", "const",
}

// WithProperties adds optional properties to the root of a schema that
// [Compile] accepts, after its own. A reference to the root then leads to the
// root as it was. It is a Problem if the schema already has a property of the
// name, or if its root constrains its members together.
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
	d := jsonschema.Of(document)
	for _, keyword := range bounding {
		if _, has := d.Root.Get(keyword); has {
			problems = append(problems, Problem{
				Rule: RuleProperty, Field: jsonptr.Append("", keyword),
				Message: "bounds the members of the root together, and the library adds to them", Remedy: "put it below a property",
			})
		}
	}
	for _, n := range d.All {
		if n != d.Root && n.Ref == d.Root && n.Value("$ref") != "#" {
			problems = append(problems, Problem{
				Rule: RuleProperty, Field: jsonptr.Append(n.Pointer(), "$ref"),
				Message: "leads to the root, and the library adds to that", Remedy: `write "#", or put what is used twice into $defs`,
			})
		}
	}
	return problems
}

// Unrooted returns an equivalent schema that does not refer to "#". If it has
// to, it repeats the root in $defs.
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

// refsTo returns the references of a document to one of the targets, by their
// JSON Pointers. A target that ends in a slash stands for all that begin with
// it.
func refsTo(raw json.RawMessage, targets ...string) (map[string]string, error) {
	document, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	refs := map[string]string{}
	for _, n := range jsonschema.Of(document).All {
		ref, _ := n.Value("$ref").(string)
		if slices.ContainsFunc(targets, func(target string) bool {
			return ref == target || strings.HasSuffix(target, "/") && strings.HasPrefix(ref, target)
		}) {
			refs[jsonptr.Append(n.Pointer(), "$ref")] = ref
		}
	}
	return refs, nil
}

// AnyOf returns the schema of an object that satisfies one of the branches,
// which are schemas that [Compile] accepts. References within a branch stay
// within it.
func AnyOf(branches ...json.RawMessage) (json.RawMessage, error) {
	list := []byte{'['}
	for i, branch := range branches {
		moved, err := relocate(branch, jsonptr.AppendIndex(jsonptr.Append("#", "anyOf"), i))
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

// relocate returns a root as a subschema, to which the given reference leads.
// Only a root may have $schema and $id.
func relocate(raw json.RawMessage, to string) (json.RawMessage, error) {
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

// replaceTexts replaces the strings at some JSON Pointers and keeps everything
// else as it is written.
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
		isName := kind == '{' && length%2 == 1 // it has the pointer of its value
		if text, ok := texts[string(dec.StackPointer())]; ok && !isName {
			token = jsontext.String(text)
		}
		if err := enc.WriteToken(token); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
	}
}

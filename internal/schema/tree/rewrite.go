package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var errNoObject = errors.New("schema: not an object")

// A Keyword is an object member in its written form, such as a keyword of a
// schema or one of its properties.
type Keyword struct {
	Name string
	Text json.RawMessage
	// From is the keyword of the old schema whose subschemas Text holds. It is
	// "" for a new keyword, whose text isn't rewritten.
	From string
}

// Members returns the members of an object in textual order. The text must have
// been read before. The members share the text's memory.
func Members(text []byte) ([]Keyword, error) {
	dec := decoderOf(text)
	if dec.PeekKind() != jsontext.KindBeginObject {
		return nil, errNoObject
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var all []Keyword
	for dec.PeekKind() != jsontext.KindEndObject {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		k := Keyword{Name: name.String()}
		if k.Text, err = valueText(text, dec); err != nil {
			return nil, err
		}
		k.From = k.Name
		all = append(all, k)
	}
	return all, nil
}

// decoderOf returns a decoder for a text that was read before. It doesn't check
// for duplicate names, because that takes memory for the names at every level.
func decoderOf(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
}

func items(text []byte) ([]json.RawMessage, error) {
	dec := decoderOf(text)
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var all []json.RawMessage
	for dec.PeekKind() != jsontext.KindEndArray {
		item, err := valueText(text, dec)
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// valueText reads a value and returns its slice of text, which dec is reading.
func valueText(text []byte, dec *jsontext.Decoder) (json.RawMessage, error) {
	value, err := dec.ReadValue()
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	end := int(dec.InputOffset())
	return text[end-len(value) : end : end], nil
}

// WriteObject writes members as a JSON object, in the given order.
func WriteObject(members []Keyword) json.RawMessage {
	out := []byte{'{'}
	for i, m := range members {
		out = append(appendName(out, i, m.Name), m.Text...)
	}
	return append(out, '}')
}

// appendName appends the name of the member at an index, with a comma and a
// colon as needed.
func appendName(out []byte, index int, name string) []byte {
	if index > 0 {
		out = append(out, ',')
	}
	out, _ = jsontext.AppendQuote(out, name) // replaces invalid UTF-8
	return append(out, ':')
}

// Rewrite returns the document's text with changed keywords. It calls change
// for each schema that is an object and is kept, parents first. change returns
// the schema's new keywords and may modify the slice it receives. Everything
// else stays as written, except that white space is removed and references
// below a renamed keyword follow it.
func (d *Document) Rewrite(change func(n *Node, written []Keyword) []Keyword) (json.RawMessage, error) {
	r := rewriting{change: change, keywords: make([][]Keyword, len(d.All))}
	text := bytes.TrimSpace(d.text)
	if err := r.read(d.Root, text); err != nil {
		return nil, err
	}
	return r.write(make([]byte, 0, len(text)), d.Root, text), nil
}

type rewriting struct {
	change   func(n *Node, written []Keyword) []Keyword
	keywords [][]Keyword // by schema index; nil: the schema is gone or isn't an object
	renamed  bool        // a keyword with subschemas has a new name
}

// read collects the new keywords of a schema and of those below it.
func (r *rewriting) read(n *Node, text []byte) error {
	if n.Form() != Object {
		return nil
	}
	written, err := Members(text)
	if err != nil {
		return err
	}
	r.keywords[n.index] = r.change(n, written)
	for _, k := range r.keywords[n.index] {
		parts, err := partsOf(n, k)
		if err != nil {
			return err
		}
		r.renamed = r.renamed || len(parts) > 0 && k.From != k.Name
		for _, p := range parts {
			if err := r.read(p.schema, p.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// A part is a subschema of a keyword, with its text.
type part struct {
	name   string // the member's name, if the keyword's value is an object
	schema *Node
	text   []byte
}

// partsOf returns the subschemas of a keyword, in textual order.
func partsOf(n *Node, k Keyword) ([]part, error) {
	below := n.Below(k.From)
	switch {
	case len(below) == 0:
		return nil, nil
	case below[0].step.isOnly():
		return []part{{"", below[0], k.Text}}, nil
	case k.Text[0] == '[':
		texts, err := items(k.Text)
		if err != nil || len(texts) != len(below) {
			return nil, err
		}
		parts := make([]part, len(below))
		for i, text := range texts {
			parts[i] = part{"", below[i], text}
		}
		return parts, nil
	default:
		members, err := Members(k.Text)
		if err != nil {
			return nil, err
		}
		parts := make([]part, len(members))
		for i, m := range members {
			parts[i] = part{m.Name, n.Child(k.From, m.Name), m.Text}
		}
		return parts, nil
	}
}

// write appends the rewritten schema.
func (r *rewriting) write(out []byte, n *Node, text []byte) []byte {
	keywords := r.keywords[n.index]
	if n.Form() != Object {
		return append(out, text...)
	}
	out = append(out, '{')
	for i, k := range keywords {
		out = appendName(out, i, k.Name)
		if k.Name == "$ref" && r.renamed {
			k.Text = r.reference(n, k.Text)
		}
		out = r.writeValue(out, n, k)
	}
	return append(out, '}')
}

func (r *rewriting) writeValue(out []byte, n *Node, k Keyword) []byte {
	parts, err := partsOf(n, k)
	if err != nil || len(parts) == 0 { // read already returned the error
		return append(out, k.Text...)
	}
	if parts[0].schema.step.isOnly() {
		return r.write(out, parts[0].schema, parts[0].text)
	}
	isList := k.Text[0] == '['
	out = append(out, k.Text[0])
	for i, p := range parts {
		switch {
		case !isList:
			out = appendName(out, i, p.name)
		case i > 0:
			out = append(out, ',')
		}
		out = r.write(out, p.schema, p.text)
	}
	return append(out, k.Text[0]+2) // the matching closing bracket
}

// reference returns the text of a $ref that leads to its schema's new place.
func (r *rewriting) reference(n *Node, text json.RawMessage) json.RawMessage {
	if n.Ref == nil || !strings.HasPrefix(n.Text("$ref"), "#/") {
		return text
	}
	pointer, moved := r.place(n.Ref)
	if !moved {
		return text
	}
	quoted, err := jsontext.AppendQuote(nil, "#"+(&url.URL{Fragment: pointer}).EscapedFragment())
	if err != nil {
		return text
	}
	return quoted
}

// place returns the new pointer of a schema if it has moved.
func (r *rewriting) place(n *Node) (pointer string, moved bool) {
	var up []Step
	for ; n.parent != nil; n = n.parent {
		step := n.step
		i := slices.IndexFunc(r.keywords[n.parent.index], func(k Keyword) bool { return k.From == step.Keyword })
		if i < 0 {
			return "", false // it was removed
		}
		now := r.keywords[n.parent.index][i].Name
		moved = moved || now != step.Keyword
		up = append(up, Step{now, step.Name})
	}
	if !moved {
		return "", false
	}
	for _, step := range slices.Backward(up) {
		pointer = step.From(pointer)
	}
	return pointer, true
}

package tree

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Builder builds a schema. The zero value is {}. The value of a keyword is a
// *Builder, a []*Builder, a []Property, or anything else [strictjson.Marshal]
// can write. A json.Number or json.RawMessage is written as it is.
type Builder struct {
	// Origin is what the schema's author calls it. It may be empty.
	Origin string

	literal  string // true, false or null; "" means an object
	keywords []setKeyword
}

// A Property is a named member of a keyword that holds schemas by name.
type Property struct {
	Name   string
	Schema *Builder
}

// A setKeyword is a keyword with its position in a schema.
type setKeyword struct {
	place int
	name  string
	value any
}

func (k setKeyword) compare(other setKeyword) int {
	return cmp.Or(cmp.Compare(k.place, other.place), strings.Compare(k.name, other.name))
}

// order lists the keywords in the order they are written. It follows the fields
// of the Schema type of github.com/invopop/jsonschema.
var order = strings.Fields(`$schema $id $anchor $ref $dynamicRef $defs $comment allOf anyOf oneOf not if then else
	dependentSchemas prefixItems items contains properties patternProperties additionalProperties propertyNames
	type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern
	maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired
	format contentEncoding contentMediaType contentSchema
	title description default deprecated readOnly writeOnly examples`)

var places = func() map[string]int {
	places := make(map[string]int, len(order))
	for i, name := range order {
		places[name] = i
	}
	return places
}()

// afterAll is the position of keywords that order doesn't list.
const afterAll = math.MaxInt

// Literal returns a Builder for a schema that isn't an object: true, false, or
// null, which is no schema.
func Literal(text string) *Builder { return &Builder{literal: text} }

// Build returns a Builder for a schema that was read.
func Build(n *Node) *Builder {
	b := &Builder{}
	if n.Form() != Object {
		b.literal = strconv.FormatBool(n.Form() == True)
		return b
	}
	for name, value := range n.Keywords() {
		if held := n.Below(name); len(held) > 0 {
			value = buildHeld(name, held)
		}
		b.Set(name, value)
	}
	return b
}

func buildHeld(keyword string, held []*Node) any {
	switch {
	case held[0].step.isOnly():
		return Build(held[0])
	case holdsSchemas(keyword):
		list := make([]*Builder, len(held))
		for i, n := range held {
			list[i] = Build(n)
		}
		return list
	default:
		members := make([]Property, len(held))
		for i, n := range held {
			members[i] = Property{n.step.Name, Build(n)}
		}
		return members
	}
}

// Set sets the value of a keyword, replacing any earlier value, and returns b.
// Keywords not listed in order follow the others, sorted.
func (b *Builder) Set(name string, value any) *Builder {
	place, known := places[name]
	if !known {
		place = afterAll
	}
	b.set(setKeyword{place, name, value})
	return b
}

// SetExtra is Set for a keyword that always comes after the others.
func (b *Builder) SetExtra(name string, value any) { b.set(setKeyword{afterAll, name, value}) }

func (b *Builder) set(k setKeyword) {
	b.literal = ""
	i, found := slices.BinarySearchFunc(b.keywords, k, setKeyword.compare)
	if found {
		b.keywords[i] = k
		return
	}
	b.keywords = slices.Insert(b.keywords, i, k)
}

// Delete removes a keyword.
func (b *Builder) Delete(name string) {
	b.keywords = slices.DeleteFunc(b.keywords, func(k setKeyword) bool { return k.name == name })
}

// Value returns the value of a keyword, or nil if the schema lacks it.
func (b *Builder) Value(name string) any {
	for _, k := range b.keywords {
		if k.name == name {
			return k.value
		}
	}
	return nil
}

// Keywords iterates over the keywords in order.
func (b *Builder) Keywords(yield func(name string, value any) bool) {
	for _, k := range b.keywords {
		if !yield(k.name, k.value) {
			return
		}
	}
}

// Literal returns true, false or null for a schema that isn't an object, and ""
// otherwise.
func (b *Builder) Literal() string { return b.literal }

// OriginAt follows a JSON Pointer and returns the Origin of the innermost
// schema on the way that has one.
func (b *Builder) OriginAt(pointer string) string {
	origin := ""
	tokens, _ := strictjson.SplitPointer(pointer)
	for at := b; at != nil; {
		origin = cmp.Or(at.Origin, origin)
		at, tokens = at.step(tokens)
	}
	return origin
}

// step returns the direct subschema that a pointer leads to, or nil, and the
// rest of the pointer.
func (b *Builder) step(tokens []string) (*Builder, []string) {
	if len(tokens) == 0 {
		return nil, nil
	}
	value := b.Value(tokens[0])
	tokens = tokens[1:]
	if only, ok := value.(*Builder); ok || len(tokens) == 0 {
		return only, tokens
	}
	name, tokens := tokens[0], tokens[1:]
	switch held := value.(type) {
	case []*Builder:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(held) {
			return held[i], tokens
		}
	case []Property:
		if i := slices.IndexFunc(held, func(p Property) bool { return p.Name == name }); i >= 0 {
			return held[i].Schema, tokens
		}
	}
	return nil, nil
}

// Text returns the schema's JSON without white space.
func (b *Builder) Text() json.RawMessage { return slices.Clip(b.append(make([]byte, 0, 1024))) }

func (b *Builder) append(out []byte) []byte {
	if b.literal != "" {
		return append(out, b.literal...)
	}
	out = append(out, '{')
	for i, k := range b.keywords {
		out = appendValue(appendName(out, i, k.name), k.value)
	}
	return append(out, '}')
}

func appendValue(out []byte, value any) []byte {
	switch v := value.(type) {
	case *Builder:
		return v.append(out)
	case []*Builder:
		return appendList(out, v, func(out []byte, b *Builder) []byte { return b.append(out) })
	case []Property:
		out = append(out, '{')
		for i, p := range v {
			out = p.Schema.append(appendName(out, i, p.Name))
		}
		return append(out, '}')
	case []any:
		return appendList(out, v, appendValue)
	case []string:
		return appendList(out, v, func(out []byte, text string) []byte { return appendValue(out, text) })
	case string:
		out, _ = jsontext.AppendQuote(out, v) // replaces invalid UTF-8
		return out
	case json.Number:
		return append(out, v...)
	case json.RawMessage:
		return append(out, v...)
	default:
		text, err := strictjson.Marshal(v)
		if err != nil {
			return append(out, "null"...)
		}
		return append(out, text...)
	}
}

func appendList[T any](out []byte, list []T, item func(out []byte, item T) []byte) []byte {
	out = append(out, '[')
	for i, one := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = item(out, one)
	}
	return append(out, ']')
}

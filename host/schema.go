package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A schema is a parsed JSON Schema. text is nil if there is none.
type schema struct {
	text  json.RawMessage
	nodes []node // the root first
}

// A node is one schema in a document: an object, true or false.
type node struct {
	pointer string
	value   any
}

func (n node) object() map[string]any {
	object, _ := n.value.(map[string]any)
	return object
}

func readSchema(pointer string, text json.RawMessage) (schema, error) {
	if len(text) == 0 || string(text) == "null" {
		return schema{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		return schema{}, err
	}
	w := walker{room: min(maxPointers, pointersPerByte*len(text)+minPointers)}
	w.walk(pointer, root)
	if w.room < 0 {
		return schema{}, errPointers
	}
	return schema{text, w.nodes}, nil
}

// The bounds of all pointers of a schema together, in bytes. Each pointer
// repeats the names above it, so deep nesting makes them much longer than the
// schema.
const (
	minPointers     = 64 << 10
	maxPointers     = 8 << 20
	pointersPerByte = 32
)

var errPointers = errors.New("a schema is nested too deeply below long names")

// The keywords that hold schemas, in draft-07 and 2020-12.
const (
	holdOne = "additionalItems additionalProperties contains contentSchema else if items not propertyNames then " +
		"unevaluatedItems unevaluatedProperties"
	holdList = "allOf anyOf items oneOf prefixItems"
	holdMap  = "$defs definitions dependencies dependentSchemas patternProperties properties"
)

// A walker collects the nodes of a schema until their pointers exceed the
// bound.
type walker struct {
	nodes []node
	room  int
}

// walk appends a schema and those inside it, in the order of their pointers.
func (w *walker) walk(pointer string, value any) {
	if w.room -= len(pointer); w.room < 0 {
		return
	}
	w.nodes = append(w.nodes, node{pointer, value})
	object, _ := value.(map[string]any)
	for _, keyword := range slices.Sorted(maps.Keys(object)) {
		below := join(pointer, keyword)
		switch held := object[keyword].(type) {
		case bool:
			if oneOf(keyword, holdOne) {
				w.walk(below, held)
			}
		case []any:
			if oneOf(keyword, holdList) {
				for i, one := range held {
					w.walk(below+"/"+strconv.Itoa(i), one)
				}
			}
		case map[string]any:
			switch {
			case oneOf(keyword, holdOne):
				w.walk(below, held)
			case oneOf(keyword, holdMap):
				for _, name := range slices.Sorted(maps.Keys(held)) {
					w.walk(join(below, name), held[name])
				}
			}
		}
	}
}

// join returns the JSON Pointer of a member.
func join(pointer, name string) string {
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// root returns the outermost schema if it is an object.
func (s schema) root() map[string]any {
	if len(s.nodes) == 0 {
		return nil
	}
	return s.nodes[0].object()
}

func rootCombinators(_ Fact, t tool) []hit {
	var all []hit
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		_, has := t.input.root()[keyword]
		all = append(all, when(has, "/inputSchema/"+keyword, "")...)
	}
	return all
}

func notObject(_ Fact, t tool) []hit {
	return when(t.input.root()["type"] != "object", "/inputSchema/type", "")
}

// booleanSchemas leaves out additionalProperties and its like, where true and
// false are common.
func booleanSchemas(_ Fact, t tool) []hit {
	var all []hit
	for _, n := range t.input.nodes {
		_, is := n.value.(bool)
		parts := strings.Split(n.pointer, "/")
		named := len(parts) > 3 && parts[len(parts)-2] == "properties" || parts[len(parts)-1] == "items"
		all = append(all, when(is && named, n.pointer, "")...)
	}
	return all
}

func propertyNames(_ Fact, t tool) []hit {
	properties, _ := t.input.root()["properties"].(map[string]any)
	var all []hit
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		accepted := len(name) >= 1 && len(name) <= 64 && !Fact{Keeps: "_.-"}.folds(name)
		all = append(all, when(!accepted, join("/inputSchema/properties", name), "")...)
	}
	return all
}

func onlyNull(_ Fact, t tool) []hit {
	return when(t.input.root()["type"] == "null", "/inputSchema/type", "")
}

func largeSchema(f Fact, t tool) []hit {
	if t.input.text == nil {
		return nil
	}
	var compact bytes.Buffer
	encoder := json.NewEncoder(&compact)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(t.input.nodes[0].value); err != nil {
		return nil
	}
	size := compact.Len() - 1 // without the line break
	return when(size > f.Limit, "/inputSchema", fmt.Sprintf("the schema has %d bytes, and %d is the limit", size, f.Limit))
}

// largeIntegers finds integers beyond 2^53 among the values that a schema
// names. For arguments it also finds formats that include such integers, unless
// a maximum rules them out; the integers of results are seen in results.
func largeIntegers(_ Fact, t tool) []hit {
	var all []hit
	for _, n := range slices.Concat(t.input.nodes, t.output.nodes) {
		for _, keyword := range slices.Sorted(maps.Keys(n.object())) {
			value := n.object()[keyword]
			list, isList := value.([]any)
			if !isList {
				list = []any{value}
			}
			named := oneOf(keyword, "const default enum examples exclusiveMaximum exclusiveMinimum maximum minimum")
			formatted := keyword == "format" && oneOf(fmt.Sprint(value), "int64 uint64") && !n.hasMaximum() &&
				strings.HasPrefix(n.pointer, "/inputSchema")
			is := named && slices.ContainsFunc(list, isLarge) || formatted
			all = append(all, when(is && !oneOf(n.text("type"), "string"), join(n.pointer, keyword), "")...)
		}
	}
	return all
}

// text returns the value of a keyword that is a string, or "".
func (n node) text(keyword string) string {
	text, _ := n.object()[keyword].(string)
	return text
}

func (n node) hasMaximum() bool {
	return n.object()["maximum"] != nil || n.object()["exclusiveMaximum"] != nil
}

func isLarge(value any) bool {
	number, _ := value.(json.Number)
	if len(number) > 400 { // the exponent may be huge
		return true
	}
	i, ok := new(big.Int).SetString(number.String(), 10)
	return ok && i.CmpAbs(big.NewInt(1<<53)) > 0
}

func droppedKeywords(f Fact, t tool) []hit {
	var found []string
	for _, keyword := range f.Keywords {
		if slices.ContainsFunc(t.input.nodes, func(n node) bool { return n.object()[keyword] != nil }) {
			found = append(found, keyword)
		}
	}
	return when(len(found) > 0, "/inputSchema", strings.Join(found, ", "))
}

func hasOutputSchema(_ Fact, t tool) []hit { return when(t.output.text != nil, "/outputSchema", "") }

func outputOfDraft7(_ Fact, t tool) []hit {
	declared, _ := t.output.root()["$schema"].(string)
	return when(strings.Contains(declared, "draft-07"), "/outputSchema/$schema", "")
}

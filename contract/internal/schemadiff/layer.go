package schemadiff

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// A layer is one of the schemas that apply to a value, and are asked for defaults, at once.
type layer struct {
	doc     *document
	schema  any // a map, or true or false
	pointer string
}

func (l layer) keywords() map[string]any { return members(l.schema) }

func (l layer) to(value any, tokens ...string) layer {
	return layer{l.doc, value, jsonptr.Append(l.pointer, tokens...)}
}

func (l layer) target() (any, bool) {
	ref, ok := l.keywords()["$ref"].(string)
	if !ok {
		return nil, false
	}
	return l.doc.resolve(ref)
}

// member is what applies to the member of a name that is declared somewhere.
func (l layer) member(name string) []layer {
	var found []layer
	if property, ok := members(l.keywords()["properties"])[name]; ok {
		found = append(found, l.to(property, "properties", name))
	}
	return l.orAdditional(append(found, l.matching(func(pattern string) bool {
		re, err := regexp.Compile(pattern)
		return err == nil && re.MatchString(name)
	})...))
}

// other is what applies to a member of no name that is declared.
func (l layer) other(applies func(pattern string) bool) []layer {
	return l.orAdditional(l.matching(applies))
}

func (l layer) matching(applies func(pattern string) bool) []layer {
	var found []layer
	patterns := members(l.keywords()["patternProperties"])
	for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
		if applies(pattern) {
			found = append(found, l.to(patterns[pattern], "patternProperties", pattern))
		}
	}
	return found
}

func (l layer) orAdditional(found []layer) []layer {
	if additional, ok := l.keywords()["additionalProperties"]; ok && len(found) == 0 {
		return []layer{l.to(additional, "additionalProperties")}
	}
	return found
}

func (l layer) item(i int) []layer {
	prefix, _ := l.keywords()["prefixItems"].([]any)
	if i < len(prefix) {
		return []layer{l.to(prefix[i], "prefixItems", strconv.Itoa(i))}
	}
	if items, ok := l.keywords()["items"]; ok {
		return []layer{l.to(items, "items")}
	}
	return nil
}

// parts is all that applies to a part of the value.
func (l layer) parts() []layer {
	found := l.matching(func(string) bool { return true })
	for _, keyword := range []string{"additionalProperties", "items"} {
		if part, ok := l.keywords()[keyword]; ok {
			found = append(found, l.to(part, keyword))
		}
	}
	for name, property := range members(l.keywords()["properties"]) {
		found = append(found, l.to(property, "properties", name))
	}
	prefix, _ := l.keywords()["prefixItems"].([]any)
	for i, item := range prefix {
		found = append(found, l.to(item, "prefixItems", strconv.Itoa(i)))
	}
	return found
}

// layers are in the order in which they are asked.
type layers []layer

// react reports whether one may refuse a value for a member that it has, or that something in it has, other than by a
// schema for that member.
func (list layers) react() bool {
	return slices.ContainsFunc(list, func(l layer) bool {
		for keyword := range l.keywords() {
			if slices.Contains(reactive, keyword) || slices.Contains(opaqueKeywords, keyword) {
				return true
			}
		}
		return false
	})
}

var reactive = []string{
	"maxProperties", "dependentRequired", "dependentSchemas", "propertyNames", "not", "if", "anyOf", "oneOf", "enum", "const",
	"contains", "uniqueItems",
}

// refuse reports whether one accepts nothing.
func (list layers) refuse() bool {
	return slices.ContainsFunc(list, func(l layer) bool { return l.schema == false })
}

// allow reports whether all accept values of a type.
func (list layers) allow(name string) bool {
	return !slices.ContainsFunc(list, func(l layer) bool {
		declared, ok := l.keywords()["type"]
		return ok && !slices.Contains(typesOf(declared), name)
	})
}

// declared are the names of all properties.
func (list layers) declared() map[string]any { return list.under("properties") }

func (list layers) patterns() map[string]any { return list.under("patternProperties") }

func (list layers) under(keyword string) map[string]any {
	all := map[string]any{}
	for _, l := range list {
		maps.Copy(all, members(l.keywords()[keyword]))
	}
	return all
}

// prefixed is how many items have a schema of their own.
func (list layers) prefixed() int {
	count := 0
	for _, l := range list {
		prefix, _ := l.keywords()["prefixItems"].([]any)
		count = max(count, len(prefix))
	}
	return count
}

// key tells two lists of one document apart.
func (list layers) key() string {
	var b strings.Builder
	for _, l := range list {
		b.WriteString(strconv.FormatUint(uint64(subschema{value: l.schema}.identity()), 36))
		b.WriteByte(' ')
	}
	return b.String()
}

// A given is the default that an absent member gets.
type given struct {
	found    bool
	value    any
	pointer  string
	layer    int     // which of the layers gives it
	schema   uintptr // the property's
	borrowed bool    // it stands behind a $ref beside which something is demanded on which nobody tried it
}

// given is the first default that a layer has for a member.
func (list layers) given(name string) given {
	for i, l := range list {
		property, ok := members(l.keywords()["properties"])[name]
		if !ok {
			continue
		}
		at := l.to(property, "properties", name)
		g := given{layer: i, schema: subschema{value: property}.identity(), pointer: jsonptr.Append(at.pointer, "default")}
		for range maxReferences {
			if g.value, g.found = at.keywords()["default"]; g.found {
				return g
			}
			for keyword := range at.keywords() {
				g.borrowed = g.borrowed || checked[keyword] || keyword == "allOf" || slices.Contains(opaqueKeywords, keyword)
			}
			target, ok := at.target()
			if !ok {
				break
			}
			at.schema = target
		}
	}
	return given{}
}

// maxReferences bounds how many references lead to a default: Build refuses those that go in a circle.
const maxReferences = 1_000

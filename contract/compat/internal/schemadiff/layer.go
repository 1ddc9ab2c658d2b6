package schemadiff

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// A layer is one of the schemas that apply to a value together.
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

// layers are all that apply to one value.
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

// A given is what an absent member gets: the one default that is said, or that all which are said become when they are
// filled in. It gets none where they become different ones.
type given struct {
	said    map[string]any // the defaults, each by its canonical text
	pointer string         // of the first
	by      map[uintptr]bool
}

func (g *given) found() bool { return len(g.said) > 0 }

// same reports whether two say the same. What that becomes when it is filled in is compared by itself.
func (g *given) same(other *given) bool {
	return maps.EqualFunc(g.said, other.said, func(any, any) bool { return true })
}

// shown is the default, nil where there is none, or a list of several.
func (g *given) shown() any {
	var all []any
	for _, text := range slices.Sorted(maps.Keys(g.said)) {
		all = append(all, g.said[text])
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	default:
		return all
	}
}

// given is what the layers say of an absent member.
func (list layers) given(name string) *given {
	g := &given{said: map[string]any{}, by: map[uintptr]bool{}}
	seen := map[uintptr]bool{}
	for _, l := range list {
		if property, ok := members(l.keywords()["properties"])[name]; ok && g.take(l.to(property, "properties", name), seen) {
			g.by[subschema{value: property}.identity()] = true
		}
	}
	return g
}

// take takes the default of a schema or, where it has none, those that its allOf and its $ref lead to. seen says of the
// schemas that were asked before whether they have one.
func (g *given) take(at layer, seen map[uintptr]bool) bool {
	id := subschema{value: at.schema}.identity()
	found, known := seen[id]
	if known {
		return found
	}
	seen[id] = false
	if value, ok := at.keywords()["default"]; ok {
		if !g.found() {
			g.pointer = jsonptr.Append(at.pointer, "default")
		}
		g.said[canonical(value)] = value
		seen[id] = true
		return true
	}
	branches, _ := at.keywords()["allOf"].([]any)
	for i, branch := range branches {
		found = g.take(at.to(branch, "allOf", strconv.Itoa(i)), seen) || found
	}
	if target, ok := at.target(); ok {
		found = g.take(layer{at.doc, target, at.pointer}, seen) || found
	}
	seen[id] = found
	return found
}

package schemadiff

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// A layer is one of the schemas that apply to a value.
type layer struct {
	doc     *document
	schema  any // a map, or true or false
	pointer string
	onPath  bool // defaults in it are filled in, see package defaults
}

func (l layer) identity() uintptr { return subschema{value: l.schema}.identity() }

func (l layer) keywords() map[string]any { return members(l.schema) }

// to returns the layer of a subschema, on no path.
func (l layer) to(value any, tokens ...string) layer {
	return layer{doc: l.doc, schema: value, pointer: jsonptr.Append(l.pointer, tokens...)}
}

// along returns the layer of a subschema to which a path leads on.
func (l layer) along(value any, tokens ...string) layer {
	below := l.to(value, tokens...)
	below.onPath = l.onPath
	return below
}

func (l layer) target() (layer, bool) {
	ref, ok := l.keywords()["$ref"].(string)
	if !ok {
		return layer{}, false
	}
	target, ok := l.doc.resolve(ref)
	return layer{l.doc, target, l.pointer, l.onPath}, ok
}

// member returns the schemas that apply to the member of a name that is
// declared somewhere.
func (l layer) member(name string) []layer {
	var found []layer
	if property, ok := members(l.keywords()["properties"])[name]; ok {
		found = append(found, l.along(property, "properties", name))
	}
	return l.orAdditional(append(found, l.matching(func(pattern string) bool {
		re, err := jsonschema.Regexp(pattern)
		return err == nil && re.MatchString(name)
	})...))
}

// other returns all that may apply to an accepted member of no declared name.
func (l layer) other() []layer {
	found := l.matching(func(string) bool { return true })
	if additional := l.orAdditional(nil); len(found) == 0 || !layers(additional).refuse() {
		found = append(found, additional...)
	}
	return found
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
	additional, ok := l.keywords()["additionalProperties"]
	if !ok || len(found) > 0 {
		return found
	}
	below := l.along(additional, "additionalProperties")
	_, refers := l.keywords()["$ref"]
	_, patterns := l.keywords()["patternProperties"]
	below.onPath = l.onPath && !refers && !patterns
	return []layer{below}
}

func (l layer) item(i int) []layer {
	prefix, _ := l.keywords()["prefixItems"].([]any)
	if i < len(prefix) {
		return []layer{l.to(prefix[i], "prefixItems", strconv.Itoa(i))}
	}
	if items, ok := l.keywords()["items"]; ok {
		return []layer{l.along(items, "items")}
	}
	return nil
}

// layers are all schemas that apply to one value.
type layers []layer

// react reports whether a layer may refuse a value because of a member in it,
// by anything but a schema for that member.
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

// reactive keywords may refuse a value because it has a member.
var reactive = []string{
	"maxProperties", "dependentRequired", "dependentSchemas", "propertyNames", "not", "if", "anyOf", "oneOf", "enum", "const",
	"contains", "uniqueItems",
}

// refuse reports whether a layer accepts nothing.
func (list layers) refuse() bool {
	return slices.ContainsFunc(list, func(l layer) bool { return l.schema == false })
}

// allow reports whether all layers accept values of a type.
func (list layers) allow(name string) bool {
	return !slices.ContainsFunc(list, func(l layer) bool {
		declared, ok := l.keywords()["type"]
		return ok && !slices.Contains(typesOf(declared), name)
	})
}

// declared returns the properties of all layers.
func (list layers) declared() map[string]any {
	all := map[string]any{}
	for _, l := range list {
		maps.Copy(all, members(l.keywords()["properties"]))
	}
	return all
}

// prefixed returns how many items have a schema of their own.
func (list layers) prefixed() int {
	count := 0
	for _, l := range list {
		prefix, _ := l.keywords()["prefixItems"].([]any)
		count = max(count, len(prefix))
	}
	return count
}

// key returns a text that identifies the layers within their document.
func (list layers) key() string {
	var b strings.Builder
	for _, l := range list {
		b.WriteString(strconv.FormatUint(uint64(l.identity()), 36))
		b.WriteString(strconv.FormatBool(l.onPath))
		b.WriteByte(' ')
	}
	return b.String()
}

// A given is the default of an absent member. The zero value is none.
type given struct {
	found   bool
	value   any
	pointer string
	by      uintptr // the identity of the property's schema
}

// shown returns the default, or nil if there is none.
func (g given) shown() any { return g.value }

func (g given) same(other given) bool {
	return g.found == other.found && same(g.value, other.value)
}

// given returns the default of an absent member.
func (list layers) given(name string) given {
	for _, l := range list {
		property, ok := members(l.keywords()["properties"])[name]
		if !ok || !l.onPath {
			continue
		}
		at, seen := l.along(property, "properties", name), map[uintptr]bool{}
		for ok := true; ok && !seen[at.identity()]; at, ok = at.target() {
			seen[at.identity()] = true
			if value, has := at.keywords()["default"]; has {
				return given{true, value, jsonptr.Append(at.pointer, "default"), subschema{value: property}.identity()}
			}
		}
		return given{}
	}
	return given{}
}

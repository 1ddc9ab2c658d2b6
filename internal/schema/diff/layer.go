package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A layer is one of the schemas that apply to a value.
type layer struct {
	subschema
	pointer string
	onPath  bool // its defaults are filled in; see package defaults
}

// to returns the layer of a subschema that is on no path.
func (l layer) to(below *tree.Node) layer {
	return layer{subschema: subschema{l.doc, below}, pointer: below.Step().From(l.pointer)}
}

// along returns the layer of a subschema that a path continues to.
func (l layer) along(n *tree.Node) layer {
	below := l.to(n)
	below.onPath = l.onPath
	return below
}

func (l layer) target() (layer, bool) {
	if !l.Has("$ref") {
		return layer{}, false
	}
	target, ok := l.doc.resolve(l.Value("$ref"))
	return layer{subschema{l.doc, target}, l.pointer, l.onPath}, ok
}

// member returns the schemas that apply to a member whose name is declared
// somewhere.
func (l layer) member(name string) []layer {
	var found []layer
	if property := l.Child("properties", name); property != nil {
		found = append(found, l.along(property))
	}
	return l.orAdditional(append(found, l.matching(func(pattern string) bool {
		re, err := tree.Regexp(pattern)
		return err == nil && re.MatchString(name)
	})...))
}

// other returns every schema that may apply to an accepted member whose name is
// declared nowhere.
func (l layer) other() []layer {
	found := l.matching(func(string) bool { return true })
	if additional := l.orAdditional(nil); len(found) == 0 || !layers(additional).refuse() {
		found = append(found, additional...)
	}
	return found
}

func (l layer) matching(applies func(pattern string) bool) []layer {
	var found []layer
	for _, below := range l.Below("patternProperties") {
		if applies(below.Step().Name) {
			found = append(found, l.to(below))
		}
	}
	return found
}

func (l layer) orAdditional(found []layer) []layer {
	additional := l.Child("additionalProperties", "")
	if additional == nil || len(found) > 0 {
		return found
	}
	below := l.along(additional)
	below.onPath = l.onPath && !l.Has("$ref") && !l.Has("patternProperties")
	return []layer{below}
}

func (l layer) item(i int) []layer {
	switch item := l.Item(i); {
	case item == nil:
		return nil
	case item.Step().Keyword == "items":
		return []layer{l.along(item)}
	default:
		return []layer{l.to(item)}
	}
}

// layers holds all the schemas that apply to one value.
type layers []layer

// refuse reports whether any layer accepts nothing.
func (list layers) refuse() bool {
	return slices.ContainsFunc(list, func(l layer) bool { return l.IsFalse() })
}

// allow reports whether all layers accept values of some type in allowed.
func (list layers) allow(allowed tree.Types) bool {
	return !slices.ContainsFunc(list, func(l layer) bool {
		types, _ := l.Types()
		return l.Has("type") && types&allowed == 0
	})
}

// declared returns the property names in two lists of layers.
func (list layers) declared(others layers) []string {
	var schemas []*tree.Node
	for _, l := range slices.Concat(list, others) {
		schemas = append(schemas, l.Node)
	}
	return childNames("properties", schemas...)
}

// prefixed returns how many items have a schema of their own.
func (list layers) prefixed() int {
	count := 0
	for _, l := range list {
		count = max(count, len(l.Below("prefixItems")))
	}
	return count
}

// key returns a text that identifies the layers within their document.
func (list layers) key() string {
	var b strings.Builder
	for _, l := range list {
		fmt.Fprintf(&b, "%p %t ", l.identity(), l.onPath)
	}
	return b.String()
}

// A memberDefault is the default of an absent member. The zero value means
// there is none.
type memberDefault struct {
	found   bool
	value   any // nil if there is none
	pointer string
}

func (d memberDefault) same(other memberDefault) bool {
	return d.found == other.found && same(d.value, other.value)
}

// defaultOf returns the default of an absent member.
func (list layers) defaultOf(name string) memberDefault {
	for _, l := range list {
		property := l.Child("properties", name)
		if property == nil || !l.onPath {
			continue
		}
		at := l.along(property)
		seen := map[*tree.Node]bool{}
		for ok := true; ok && !seen[at.Node]; at, ok = at.target() {
			seen[at.Node] = true
			if value, has := at.Get("default"); has {
				return memberDefault{true, value, strictjson.Pointer(at.pointer, "default")}
			}
		}
		return memberDefault{}
	}
	return memberDefault{}
}

package adapter

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// ruleSpelling is violated by a member whose name differs from a declared one
// only in case.
const ruleSpelling = "schema.spelling"

// maxMisspelt caps the misspelt members that are reported at once.
const maxMisspelt = 10

// A spelling finds members whose names differ only in case from declared ones,
// or from other members of their object. JSON Schema treats them as different
// members, but encoding/json treats them as one: "AMOUNT" would evade the
// maximum of "amount", and the last of two siblings would win. A spelling
// returns the schema of the arguments, or nil for one that Build refuses.
type spelling func() *tree.Document

// newSpelling parses the schema only when it is first needed, because a server
// may have hundreds of tools and few of them are called.
func newSpelling(input json.RawMessage) spelling {
	return sync.OnceValue(func() *tree.Document {
		modern, _, _ := schema.Modern(tree.NewText(input), true)
		document, err := modern.Document()
		if err != nil {
			return nil
		}
		return document
	})
}

// check returns the misspelt members of valid arguments.
func (s spelling) check(arguments any) []schema.Violation {
	input := s()
	if input == nil {
		return nil
	}
	var found []schema.Violation
	checkSpelling(arguments, []*tree.Node{input.Root}, "", &found)
	return found
}

// checkSpelling checks a value that any of the schemas may apply to. There may
// be none.
func checkSpelling(value any, schemas []*tree.Node, at string, found *[]schema.Violation) {
	if len(*found) >= maxMisspelt {
		return
	}
	// A negation counts too, because it bounds the members that it names.
	applied := tree.InPlace(schemas, tree.Everything)
	switch v := value.(type) {
	case map[string]any:
		checkMembers(v, applied, at, found)
	case []any:
		for i, item := range v {
			checkSpelling(item, itemSchemas(applied, i), strictjson.PointerIndex(at, i), found)
		}
	}
}

func checkMembers(object map[string]any, applied []*tree.Node, at string, found *[]schema.Violation) {
	declared := map[string][]*tree.Node{}
	var others []*tree.Node
	for _, n := range applied {
		for _, to := range n.Subschemas() {
			switch to.Step().Keyword {
			case "properties":
				name := to.Step().Name
				declared[name] = append(declared[name], to)
			case "patternProperties", "additionalProperties", "unevaluatedProperties":
				others = append(others, to)
			}
		}
	}
	names := slices.Sorted(maps.Keys(declared))
	folded := map[string]bool{} // the undeclared members so far
	for _, name := range slices.Sorted(maps.Keys(object)) {
		below := strictjson.Pointer(at, name)
		if properties, ok := declared[name]; ok {
			checkSpelling(object[name], properties, below, found)
			continue
		}
		if i := slices.IndexFunc(names, func(known string) bool { return strings.EqualFold(known, name) }); i >= 0 {
			*found = append(*found, schema.Violation{Rule: ruleSpelling, Pointer: strictjson.PrintablePointer(below),
				Message: fmt.Sprintf("must be spelt %q", names[i])})
			continue
		}
		one := foldName(name)
		if folded[one] {
			*found = append(*found, schema.Violation{Rule: ruleSpelling, Pointer: strictjson.PrintablePointer(below),
				Message: "must not differ from another member only in case"})
			continue
		}
		folded[one] = true
		checkSpelling(object[name], others, below, found)
	}
}

// foldName maps all names that encoding/json treats as equal to one: U+212A
// folds to "k" and U+017F to "s".
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

func itemSchemas(applied []*tree.Node, i int) []*tree.Node {
	var items []*tree.Node
	for _, n := range applied {
		for _, to := range n.Subschemas() {
			switch to.Step().Keyword {
			case "prefixItems":
				if to.Step().Name == strconv.Itoa(i) {
					items = append(items, to)
				}
			case "items", "contains", "unevaluatedItems":
				items = append(items, to)
			}
		}
	}
	return items
}

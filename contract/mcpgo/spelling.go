package mcpgo

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// ruleSpelling is violated by a member whose name differs from a declared one
// only in case.
const ruleSpelling = "schema.spelling"

// maxMisspelt is the number of misspelt members that are reported at once.
const maxMisspelt = 10

// A spelling finds members whose names differ from declared ones only in case.
// JSON Schema takes them for other members, but encoding/json takes them for
// the declared ones, so that "AMOUNT" would evade the maximum of "amount". A
// nil spelling finds nothing.
type spelling struct {
	root any
	// follow returns the schema of a $ref, nil if there is none.
	follow func(ref string) any
}

// newSpelling returns nil for a schema that Build refuses.
func newSpelling(input json.RawMessage) *spelling {
	root, err := strictjson.Parse(input, strictjson.Limits{})
	if err != nil {
		return nil
	}
	return &spelling{root: root, follow: schema.References(root)}
}

// check returns the misspelt members of valid arguments.
func (s *spelling) check(arguments json.RawMessage) []schema.Violation {
	if s == nil {
		return nil
	}
	tree, err := strictjson.Parse(arguments, strictjson.Limits{})
	if err != nil {
		return []schema.Violation{{Rule: schema.RuleInternal, Message: "could not be validated"}}
	}
	var found []schema.Violation
	s.walk(tree, []any{s.root}, "", &found)
	return found
}

// walk checks a value to which all of the schemas may apply.
func (s *spelling) walk(value any, schemas []any, at string, found *[]schema.Violation) {
	var applied []map[string]any
	seen := map[string]bool{}
	for _, sub := range schemas {
		applied = s.expand(sub, applied, seen)
	}
	if len(applied) == 0 || len(*found) >= maxMisspelt {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		s.walkMembers(v, applied, at, found)
	case []any:
		for i, item := range v {
			s.walk(item, itemSchemas(applied, i), jsonptr.AppendIndex(at, i), found)
		}
	}
}

func (s *spelling) walkMembers(object map[string]any, applied []map[string]any, at string, found *[]schema.Violation) {
	declared := map[string][]any{}
	var others []any
	for _, sub := range applied {
		for name, property := range members(sub["properties"]) {
			declared[name] = append(declared[name], property)
		}
		others = append(others, sub["additionalProperties"], sub["unevaluatedProperties"])
		for _, pattern := range members(sub["patternProperties"]) {
			others = append(others, pattern)
		}
	}
	names := slices.Sorted(maps.Keys(declared))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		below := jsonptr.Append(at, name)
		if properties, ok := declared[name]; ok {
			s.walk(object[name], properties, below, found)
			continue
		}
		if i := slices.IndexFunc(names, func(known string) bool { return strings.EqualFold(known, name) }); i >= 0 {
			*found = append(*found, schema.Violation{Rule: ruleSpelling, Pointer: jsonptr.Printable(below), Message: fmt.Sprintf("must be spelt %q", names[i])})
			continue
		}
		s.walk(object[name], others, below, found)
	}
}

func itemSchemas(applied []map[string]any, i int) []any {
	var items []any
	for _, sub := range applied {
		if prefix, ok := sub["prefixItems"].([]any); ok && i < len(prefix) {
			items = append(items, prefix[i])
		}
		items = append(items, sub["items"], sub["contains"], sub["unevaluatedItems"])
	}
	return items
}

// expand adds a schema and those that apply in the same place. A negation
// counts too, because it bounds the members that it names.
func (s *spelling) expand(sub any, into []map[string]any, seen map[string]bool) []map[string]any {
	object, ok := sub.(map[string]any)
	if !ok {
		return into
	}
	into = append(into, object)
	if ref, ok := object["$ref"].(string); ok && !seen[ref] {
		seen[ref] = true
		into = s.expand(s.follow(ref), into, seen)
	}
	for _, keyword := range []string{"if", "then", "else", "not"} {
		into = s.expand(object[keyword], into, seen)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := object[keyword].([]any)
		for _, branch := range list {
			into = s.expand(branch, into, seen)
		}
	}
	for _, dependent := range members(object["dependentSchemas"]) {
		into = s.expand(dependent, into, seen)
	}
	return into
}

func members(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

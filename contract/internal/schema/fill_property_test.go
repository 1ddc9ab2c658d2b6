package schema_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A fillGenerator makes schemas of the keywords that Fill looks at, few enough that they meet, and values for them.
type fillGenerator struct {
	rand     *rand.Rand
	defaults int // of a hundred schemas
}

var fillNames = []string{"a", "b", "ab"}

func (g fillGenerator) chance(percent int) bool { return g.rand.IntN(100) < percent }

func within(pointer, above string) bool {
	return pointer == above || strings.HasPrefix(pointer, above+"/")
}

func (g fillGenerator) document() map[string]any {
	root := g.schema(2 + g.rand.IntN(2))
	root["type"] = "object"
	root["$defs"] = map[string]any{"one": g.schema(1), "two": g.schema(2), "tree": map[string]any{
		"properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/tree"}, "b": map[string]any{"default": int64(1)}},
	}}
	return root
}

func (g fillGenerator) schema(levels int) map[string]any {
	s := map[string]any{}
	if g.chance(g.defaults) {
		s["default"] = g.value(1)
	}
	if g.chance(10) {
		s["type"] = []any{"object", "array", "integer"}[:1+g.rand.IntN(3)]
	}
	switch g.rand.IntN(14) {
	case 0:
		s["maximum"] = int64(g.rand.IntN(3))
	case 1:
		s["required"] = []any{fillNames[g.rand.IntN(3)]}
	case 2:
		s["additionalProperties"] = false
	case 3:
		s["propertyNames"] = map[string]any{"maxLength": int64(1)}
	case 4:
		s["maxProperties"] = int64(1 + g.rand.IntN(2))
	}
	if levels == 0 {
		return s
	}
	if g.chance(20) {
		s["$ref"] = "#/$defs/" + []string{"one", "two", "tree"}[g.rand.IntN(3)]
	}
	if g.chance(70) {
		s["properties"] = g.members(levels, fillNames...)
	}
	if g.chance(15) {
		s["patternProperties"] = g.members(levels, "^a", "b$")
	}
	for _, keyword := range []string{"additionalProperties", "items"} {
		if g.chance(15) {
			s[keyword] = g.schema(levels - 1)
		}
	}
	if g.chance(5) {
		s["anyOf"] = []any{g.schema(levels - 1), map[string]any{}}
	}
	if g.chance(5) {
		s["if"] = g.schema(levels - 1)
	}
	if g.chance(45) {
		s["allOf"] = g.list(levels)
	}
	if g.chance(10) {
		s["prefixItems"] = g.list(levels)
	}
	return s
}

func (g fillGenerator) members(levels int, names ...string) map[string]any {
	members := map[string]any{}
	for _, name := range names {
		if g.chance(60) {
			members[name] = g.schema(levels - 1)
		}
	}
	return members
}

func (g fillGenerator) list(levels int) []any {
	list := []any{}
	for range 1 + g.rand.IntN(3) {
		list = append(list, g.schema(levels-1))
	}
	return list
}

func (g fillGenerator) value(levels int) any {
	switch kind := g.rand.IntN(6); {
	case kind < 4 && levels > 0:
		object := map[string]any{}
		for _, name := range fillNames {
			if g.chance(35) {
				object[name] = g.value(levels - 1)
			}
		}
		return object
	case kind == 4 && levels > 0:
		list := []any{}
		for range g.rand.IntN(3) {
			list = append(list, g.value(levels-1))
		}
		return list
	case kind == 5:
		return map[string]any{}
	default:
		return int64(g.rand.IntN(3))
	}
}

// shuffled is a document that says the same in another order, and here and there a reference as the only part of an
// allOf.
func (g fillGenerator) shuffled(tree any) any {
	switch tree := tree.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			out[name] = g.shuffled(tree[name])
			if list, ok := out[name].([]any); ok && name == "allOf" {
				g.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			}
		}
		if _, taken := out["allOf"]; !taken && out["$ref"] != nil {
			out["allOf"] = []any{map[string]any{"$ref": out["$ref"]}}
			delete(out, "$ref")
		}
		return out
	case []any:
		out := make([]any, len(tree))
		for i, item := range tree {
			out[i] = g.shuffled(item)
		}
		return out
	default:
		return tree
	}
}

// filledIn calls do with the pointer of each member that is in filled and not in given, where the object around it is
// in both.
func filledIn(given, filled any, at string, do func(pointer string)) {
	switch was := given.(type) {
	case map[string]any:
		is, _ := filled.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(is)) {
			if member, ok := was[name]; ok {
				filledIn(member, is[name], jsonptr.Append(at, name), do)
			} else {
				do(jsonptr.Append(at, name))
			}
		}
	case []any:
		is, _ := filled.([]any)
		for i := range was {
			filledIn(was[i], is[i], jsonptr.AppendIndex(at, i), do)
		}
	}
}

// with is a copy of a tree that has one more member.
func with(t testing.TB, tree any, pointer string, value any) any {
	t.Helper()
	changed := parse(t, canonical(t, tree))
	parent, name, err := parentOf(changed, pointer)
	require.NoError(t, err)
	parent[name] = parse(t, canonical(t, value))
	return changed
}

func parentOf(tree any, pointer string) (map[string]any, string, error) {
	tokens, err := jsonptr.Split(pointer)
	if err != nil {
		return nil, "", err
	}
	last := len(tokens) - 1
	parent, err := jsonptr.Lookup(tree, jsonptr.Append("", tokens[:last]...))
	if err != nil {
		return nil, "", err
	}
	return parent.(map[string]any), tokens[last], nil
}

func canonical(t testing.TB, tree any) string {
	t.Helper()
	text, err := strictjson.Marshal(tree)
	require.NoError(t, err)
	return string(text)
}

// defaultsOf are the defaults that stand at a property of the root, and of the parts of its allOf.
func defaultsOf(document map[string]any, name string) []any {
	var found []any
	properties, _ := document["properties"].(map[string]any)
	property, _ := properties[name].(map[string]any)
	if value, ok := property["default"]; ok {
		found = append(found, value)
	}
	parts, _ := document["allOf"].([]any)
	for _, part := range parts {
		found = append(found, defaultsOf(part.(map[string]any), name)...)
	}
	return found
}

// A fillTally says how much a run has tried.
type fillTally struct{ strict, lenient, filled, direct, raw int }

// tryFill holds what Fill promises of one generated schema: for any values, in any order of its parts.
func tryFill(t *testing.T, seed uint64, count *fillTally) {
	t.Helper()
	g := fillGenerator{rand.New(rand.NewPCG(seed, 11)), 5 + int(seed%4)*10}
	document := g.document()
	raw := json.RawMessage(canonical(t, document))
	s, problems := schema.Compile(raw, schema.CompileOptions{Lenient: true})
	if len(problems) > 0 {
		return
	}
	count.lenient++
	_, refused := schema.Compile(raw, schema.CompileOptions{})
	strict := len(refused) == 0
	if strict {
		count.strict++
	}
	other, problems := schema.Compile(json.RawMessage(canonical(t, g.shuffled(document))), schema.CompileOptions{Lenient: true})
	require.Empty(t, problems)
	for range 12 {
		given := g.value(4)
		filled, changed := s.Fill(given)
		say := []any{"seed %d, %s of %s", seed, canonical(t, given), raw}
		again, more := s.Fill(filled)
		require.False(t, more, say...)
		require.Equal(t, filled, again, say...)
		require.Equal(t, changed, canonical(t, given) != canonical(t, filled), say...)
		shuffled, _ := other.Fill(given)
		require.Equal(t, filled, shuffled, say...)
		if changed {
			count.filled++
		}
		violations := s.Validate(filled)
		filledIn(given, filled, "", func(pointer string) {
			refused := slices.ContainsFunc(violations, func(v schema.Violation) bool {
				// Where a name is refused, the validator does not say reliably of which object.
				return v.Rule != "schema.propertyNames" && within(v.Pointer, pointer)
			})
			require.False(t, strict && refused, say...)
			value, err := jsonptr.Lookup(filled, pointer)
			require.NoError(t, err)
			explicit, _ := s.Fill(with(t, given, pointer, value))
			require.Equal(t, filled, explicit, say...)
			count.direct++
			if tokens, err := jsonptr.Split(pointer); err == nil && len(tokens) == 1 && strict {
				for _, value := range defaultsOf(document, tokens[0]) {
					explicit, _ := s.Fill(with(t, given, pointer, value))
					require.Equal(t, filled, explicit, say...)
					count.raw++
				}
			}
		})
	}
}

func TestThreat111_FillIsAFixpointInAnyOrder(t *testing.T) {
	t.Parallel()
	var count fillTally
	for seed := range uint64(1_000) {
		tryFill(t, seed, &count)
	}
	t.Logf("%+v", count)
	assert.Greater(t, count.strict, 100, "schemas that Build takes")
	assert.Greater(t, count.lenient, 500, "schemas of others")
	assert.Greater(t, count.filled, 1_500, "values that were filled in")
	assert.Greater(t, count.direct, 2_000, "members that were given what they had got")
	assert.Greater(t, count.raw, 100, "members that were given a default as it is written")
}

// FuzzFill tries the same promises on more schemas.
func FuzzFill(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { tryFill(t, seed, new(fillTally)) })
}

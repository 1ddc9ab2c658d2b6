package defaults_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

var names = []string{"a", "b", "ab"}

// drawDocument draws a schema of the keywords that lead to defaults, and of a
// few that refuse them. The names are few, so that declarations meet.
func drawDocument(t *rapid.T) map[string]any {
	document := drawSchema(t, 3)
	document["type"] = "object"
	document["$defs"] = map[string]any{
		"one": drawSchema(t, 1), "two": drawSchema(t, 2),
		"tree": map[string]any{"properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/tree"},
			"b": map[string]any{"default": int64(1)}}},
	}
	return document
}

func drawSchema(t *rapid.T, levels int) map[string]any {
	oneIn := func(n int, keyword string) bool {
		for ; n > 1; n /= 2 {
			if !rapid.Bool().Draw(t, keyword) {
				return false
			}
		}
		return true
	}
	drawn := map[string]any{}
	if oneIn(2, "default") {
		drawn["default"] = drawValue(t, 1)
	}
	if oneIn(8, "check") {
		switch keyword := rapid.SampledFrom([]string{"type", "maximum", "maxProperties", "required", "additionalProperties"}).Draw(t,
			"keyword"); keyword {
		case "type":
			drawn[keyword] = rapid.SampledFrom([]any{"object", "array", "integer"}).Draw(t, keyword)
		case "required":
			drawn[keyword] = []any{rapid.SampledFrom(names).Draw(t, keyword)}
		case "additionalProperties":
			drawn[keyword] = false
		default:
			drawn[keyword] = int64(rapid.IntRange(0, 2).Draw(t, keyword))
		}
	}
	if levels == 0 {
		return drawn
	}
	if oneIn(4, "$ref") {
		drawn["$ref"] = "#/$defs/" + rapid.SampledFrom([]string{"one", "two", "tree"}).Draw(t, "target")
	}
	for _, keyword := range []string{"properties", "patternProperties"} {
		if keyword == "patternProperties" && !oneIn(16, keyword) {
			continue
		}
		members := map[string]any{}
		for _, name := range names {
			if rapid.Bool().Draw(t, name) {
				members[name] = drawSchema(t, levels-1)
			}
		}
		drawn[keyword] = members
	}
	for _, keyword := range []string{"additionalProperties", "items"} {
		if oneIn(4, keyword) {
			drawn[keyword] = drawSchema(t, levels-1)
		}
	}
	for _, keyword := range []string{"prefixItems", "allOf", "anyOf"} {
		if oneIn(16, keyword) {
			drawn[keyword] = []any{drawSchema(t, levels-1)}
		}
	}
	return drawn
}

func drawValue(t *rapid.T, levels int) any {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	switch {
	case kind == 5 || levels == 0:
		return int64(rapid.IntRange(0, 2).Draw(t, "number"))
	case kind == 4:
		list := []any{}
		for range rapid.IntRange(0, 2).Draw(t, "items") {
			list = append(list, drawValue(t, levels-1))
		}
		return list
	default:
		object := map[string]any{}
		for _, name := range names {
			if rapid.Bool().Draw(t, name) {
				object[name] = drawValue(t, levels-1)
			}
		}
		return object
	}
}

func canonical(t require.TestingT, tree any) string {
	text, err := strictjson.Marshal(tree)
	require.NoError(t, err)
	return string(text)
}

// eachFilled calls do with the pointer of each member that is in filled and not
// in given, in the objects that are in both.
func eachFilled(given, filled any, at string, do func(pointer string)) {
	switch was := given.(type) {
	case map[string]any:
		is, _ := filled.(map[string]any)
		for name := range is {
			if member, ok := was[name]; ok {
				eachFilled(member, is[name], strictjson.Pointer(at, name), do)
			} else {
				do(strictjson.Pointer(at, name))
			}
		}
	case []any:
		is, _ := filled.([]any)
		for i := range was {
			eachFilled(was[i], is[i], strictjson.PointerIndex(at, i), do)
		}
	}
}

// withMember returns a copy of a tree with one more member.
func withMember(t require.TestingT, tree any, pointer string, value any) any {
	changed, err := strictjson.Parse([]byte(canonical(t, tree)), strictjson.Limits{})
	require.NoError(t, err)
	end := strings.LastIndexByte(pointer, '/')
	parent, err := strictjson.Lookup(changed, pointer[:end])
	require.NoError(t, err)
	parent.(map[string]any)[pointer[end+1:]] = value
	return changed
}

// fillIsWellDefined checks that filling a result again changes nothing, and
// that omitting a member means the same as giving its default. It also checks
// that a schema that Build accepts refuses none of its defaults.
func fillIsWellDefined(t *rapid.T) {
	raw := json.RawMessage(canonical(t, drawDocument(t)))
	lenient := rapid.Bool().Draw(t, "lenient")
	s, problems := schema.Compile(raw, schema.CompileOptions{Lenient: lenient})
	if len(problems) > 0 {
		return
	}
	given := drawValue(t, 4)
	unchanged := canonical(t, given)
	filled, changed := s.Fill(given)
	require.Equal(t, unchanged, canonical(t, given))
	require.Equal(t, changed, unchanged != canonical(t, filled))
	again, more := s.Fill(filled)
	require.False(t, more)
	require.Equal(t, filled, again)
	var violations []schema.Violation
	if !lenient && len(s.Validate(given)) == 0 {
		violations = s.Validate(filled)
	}
	eachFilled(given, filled, "", func(pointer string) {
		value, err := strictjson.Lookup(filled, pointer)
		require.NoError(t, err)
		explicit, _ := s.Fill(withMember(t, given, pointer, value))
		require.Equal(t, filled, explicit, pointer)
		require.False(t, slices.ContainsFunc(violations, func(v schema.Violation) bool {
			return v.Pointer == pointer || strings.HasPrefix(v.Pointer, pointer+"/")
		}), pointer)
	})
}

func TestThreat111_FillIsWellDefined(t *testing.T) {
	t.Parallel()
	rapid.Check(t, fillIsWellDefined)
}

// FuzzFill checks the same property with more schemas.
func FuzzFill(f *testing.F) { f.Fuzz(rapid.MakeFuzz(fillIsWellDefined)) }

package defaults_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/internal/testing/drawtest"
)

var names = []string{"a", "b", "ab"}

// drawDocument draws a schema of the keywords that lead to defaults, and of a
// few that refuse them. The names are few, so that declarations meet.
func drawDocument(t *drawtest.T) map[string]any {
	document := drawSchema(t, 3)
	document["type"] = "object"
	document["$defs"] = map[string]any{
		"one": drawSchema(t, 1), "two": drawSchema(t, 2),
		"tree": map[string]any{"properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/tree"},
			"b": map[string]any{"default": int64(1)}}},
	}
	return document
}

func drawSchema(t *drawtest.T, levels int) map[string]any {
	oneIn := func(n int, keyword string) bool {
		for ; n > 1; n /= 2 {
			if !t.Bool() {
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
		switch keyword := drawtest.One(t, "type", "maximum", "maxProperties", "required", "additionalProperties"); keyword {
		case "type":
			drawn[keyword] = drawtest.One(t, "object", "array", "integer")
		case "required":
			drawn[keyword] = []any{drawtest.One(t, names...)}
		case "additionalProperties":
			drawn[keyword] = false
		default:
			drawn[keyword] = int64(t.Int(0, 2))
		}
	}
	if levels == 0 {
		return drawn
	}
	if oneIn(4, "$ref") {
		drawn["$ref"] = "#/$defs/" + drawtest.One(t, "one", "two", "tree")
	}
	for _, keyword := range []string{"properties", "patternProperties"} {
		if keyword == "patternProperties" && !oneIn(16, keyword) {
			continue
		}
		members := map[string]any{}
		for _, name := range names {
			if t.Bool() {
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

func drawValue(t *drawtest.T, levels int) any {
	kind := t.Int(0, 5)
	switch {
	case kind == 5 || levels == 0:
		return int64(t.Int(0, 2))
	case kind == 4:
		list := []any{}
		for range t.Int(0, 2) {
			list = append(list, drawValue(t, levels-1))
		}
		return list
	default:
		object := map[string]any{}
		for _, name := range names {
			if t.Bool() {
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

// fillIsWellDefined checks that filling a result again changes nothing, that
// omitting the defaults from it loses nothing, and that omitting a member
// means the same as giving its default. It also checks that a schema that
// Build accepts refuses none of its defaults.
func fillIsWellDefined(t *drawtest.T) {
	raw := json.RawMessage(canonical(t, drawDocument(t)))
	lenient := t.Bool()
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
	rest, omitted := s.Omit(filled)
	require.Equal(t, canonical(t, filled), canonical(t, again), "Omit does not change its tree")
	require.Equal(t, omitted, canonical(t, filled) != canonical(t, rest))
	refilled, _ := s.Fill(rest)
	require.Equal(t, canonical(t, filled), canonical(t, refilled))
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
	drawtest.Check(t, fillIsWellDefined)
}

// FuzzFill checks the same property with more schemas.
func FuzzFill(f *testing.F) { drawtest.Fuzz(f, fillIsWellDefined) }

package defaults_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/internal/testing/drawtest"
)

var names = []string{"a", "b", "ab"}

// drawDocument draws a schema from the keywords that lead to defaults and those
// that may refuse them. It uses few names, so that declarations collide.
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

// oneIn is true once in n times. n must be a power of two.
func oneIn(t *drawtest.T, n int) bool {
	for ; n > 1; n /= 2 {
		if !t.Bool() {
			return false
		}
	}
	return true
}

func drawSchema(t *drawtest.T, levels int) map[string]any {
	drawn := map[string]any{}
	if oneIn(t, 2) {
		drawn["default"] = drawValue(t, 1)
	}
	if oneIn(t, 4) {
		drawCheck(t, drawn)
	}
	if levels == 0 {
		return drawn
	}
	if oneIn(t, 4) {
		drawn["$ref"] = "#/$defs/" + drawtest.One(t, "one", "two", "tree")
	}
	if oneIn(t, 16) {
		drawn["patternProperties"] = map[string]any{drawtest.One(t, "^a", "b$"): drawSchema(t, levels-1)}
	}
	if oneIn(t, 8) {
		drawn["anyOf"] = []any{drawSchema(t, levels-1), map[string]any{"type": "null"}}
	}
	members := map[string]any{}
	for _, name := range names {
		if t.Bool() {
			members[name] = drawSchema(t, levels-1)
		}
	}
	drawn["properties"] = members
	for _, keyword := range []string{"additionalProperties", "items"} {
		if oneIn(t, 4) {
			drawn[keyword] = drawSchema(t, levels-1)
		}
	}
	if oneIn(t, 16) {
		drawn["prefixItems"] = []any{drawSchema(t, levels-1)}
	}
	if oneIn(t, 4) {
		drawJudgement(t, drawn, levels)
	}
	return drawn
}

// drawCheck adds a keyword that checks a value by itself.
func drawCheck(t *drawtest.T, drawn map[string]any) {
	switch keyword := drawtest.One(t, "type", "maximum", "minProperties", "maxProperties", "minItems", "maxItems", "required",
		"enum", "const", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "uniqueItems", "dependentRequired",
		"propertyNames"); keyword {
	case "type":
		drawn[keyword] = drawtest.One(t, "object", "array", "integer")
	case "required":
		drawn[keyword] = []any{drawtest.One(t, names...)}
	case "enum":
		drawn[keyword] = []any{drawValue(t, 2), drawValue(t, 2)}
	case "const":
		drawn[keyword] = drawValue(t, 2)
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
		drawn[keyword] = false
	case "uniqueItems":
		drawn[keyword] = true
	case "dependentRequired":
		drawn[keyword] = map[string]any{drawtest.One(t, names...): []any{drawtest.One(t, names...)}}
	case "propertyNames":
		drawn[keyword] = map[string]any{"maxLength": int64(1)}
	default:
		drawn[keyword] = int64(t.Int(0, 2))
	}
}

// drawJudgement adds a keyword that applies other schemas to the same value or
// to its items. Their own defaults are left out, because Build refuses them.
func drawJudgement(t *drawtest.T, drawn map[string]any, levels int) {
	draw := func() any {
		judge := drawSchema(t, t.Int(0, levels-1))
		for len(judge) == 0 {
			drawCheck(t, judge)
		}
		withoutDefaults(judge)
		return judge
	}
	switch keyword := drawtest.One(t, "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "contains"); keyword {
	case "allOf":
		drawn[keyword] = []any{draw()}
	case "anyOf", "oneOf":
		drawn[keyword] = []any{draw(), draw()}
	case "if":
		drawn[keyword], drawn[drawtest.One(t, "then", "else")] = draw(), draw()
	case "dependentSchemas":
		drawn[keyword] = map[string]any{drawtest.One(t, names...): draw()}
	default:
		drawn[keyword] = draw()
	}
}

func withoutDefaults(value map[string]any) {
	for _, n := range tree.Of(value).All {
		if keywords, ok := n.Written().(map[string]any); ok {
			delete(keywords, "default")
		}
	}
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

// eachFilled calls do with the pointer of each member that is in filled but not
// in given, in objects that are in both.
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

// withMember returns a copy of a value with one more member.
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
// omitting its defaults loses nothing, and that omitting a member means the
// same as giving its default. It also checks that filling in defaults never
// turns a valid value into an invalid one. It returns how many valid values
// were filled.
func fillIsWellDefined(t *drawtest.T) (valid int) {
	raw := json.RawMessage(canonical(t, drawDocument(t)))
	s, problems := schema.Compile(raw, schema.CompileOptions{Lenient: oneIn(t, 2)})
	if len(problems) > 0 {
		return 0
	}
	for range 10 {
		if tryFill(t, s, drawValue(t, 4)) {
			valid++
		}
	}
	return valid
}

// tryFill reports whether a value was filled, and valid before that.
func tryFill(t *drawtest.T, s *schema.Schema, given any) bool {
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
	eachFilled(given, filled, "", func(pointer string) {
		value, err := strictjson.Lookup(filled, pointer)
		require.NoError(t, err)
		explicit, _ := s.Fill(withMember(t, given, pointer, value))
		require.Equal(t, filled, explicit, pointer)
	})
	if len(s.Validate(given)) > 0 {
		return false
	}
	require.Empty(t, s.Validate(filled), "%s is valid, and %s is not\n%s", unchanged, canonical(t, filled), s.JSON())
	return changed
}

func TestThreat111_FillIsWellDefined(t *testing.T) {
	t.Parallel()
	valid := 0
	drawtest.Check(t, func(t *drawtest.T) { valid += fillIsWellDefined(t) })
	assert.Positive(t, valid, "the property is tried with valid values")
}

// FuzzFill checks the same property with more schemas.
func FuzzFill(f *testing.F) { drawtest.Fuzz(f, func(t *drawtest.T) { fillIsWellDefined(t) }) }

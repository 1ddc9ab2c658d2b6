package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/internal/testing/drawtest"
)

// Every value breaks its schema, and Check words all violations just as the
// validator does.
func TestThreat11_CheckWordsTheCommonKeywords(t *testing.T) {
	t.Parallel()
	for property, values := range map[string][]string{
		`{"type":"string"}`: {`1`, `null`, `{"a":[1]}`, `[[]]`, `true`, `1.5`, `18446744073709551615`,
			`false`},
		`{"type":["number","null"]}`:                      {`"x"`, `{}`, `[]`},
		`{"type":["null","integer"]}`:                     {`1.5`, `"1"`},
		`{"type":"integer","minimum":3}`:                  {`2`, `2.5`, `-1e3`, `0`},
		`{"type":"null","maxLength":1}`:                   {`"ab"`},
		`{"enum":["a",1,null,{"b":[]}]}`:                  {`"b"`, `2`, `{"b":[1]}`, `[]`, `true`},
		`{"const":{"a":1.5}}`:                             {`{"a":1}`, `1`},
		`{"type":"string","enum":["a"]}`:                  {`1`, `"b"`},
		`{"minimum":1,"multipleOf":2}`:                    {`-1`, `0`, `0.5`, `3`},
		`{"maximum":9007199254740993}`:                    {`9007199254740994`},
		`{"exclusiveMinimum":1e300}`:                      {`1e299`, `1`, `1.5`},
		`{"exclusiveMaximum":-0.5}`:                       {`-0.5`, `0`, `7`},
		`{"multipleOf":0.01}`:                             {`0.001`, `19.999`},
		`{"minLength":2,"pattern":"^é$"}`:                 {`""`, `"a"`, `"aaa"`, `"\u0061"`},
		`{"maxLength":1}`:                                 {`"ab"`, `"éé"`},
		`{"format":"date-time"}`:                          {`"x"`},
		`{"format":"int8","maximum":100}`:                 {`128`, `1.5`, `101`, `"999"`},
		`{"format":"email","minLength":90,"pattern":"a"}`: {`"b"`},
		`{"format":"duration","x-minimum":"PT2S","maxLength":4}`: {`"PT0S"`, `"PT1.5S"`, `"PT1H5"`, `"PT1M1S"`,
			`"-PT2S"`},
		`{"anyOf":[{"type":"string","format":"duration","x-maximum":"P1D"},{"type":"null"}]}`: {`"PT25H"`, `"P2W"`, `1`,
			`"P99999999999999999999D"`, `"x"`},
		`{"type":"array","minItems":2,"uniqueItems":true}`: {`[]`, `[1]`, `[1,"1",1.0]`, `[{"a":1,"b":2},0,{"b":2,"a":1}]`, `[3,3,3]`},
		`{"maxItems":1,"items":{"type":"string"}}`:         {`["a",1,"b",2]`, `[[],{}]`, `["a","b"]`},
		`{"items":{"items":{"maximum":1}}}`:                {`[[],[1,2,0,3],[9]]`},
		`{"enum":[[1]],"items":{"type":"string"}}`:         {`[1,2]`},
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{}}}`: {`{}`, `{"b":1}`, `{"a":1}`,
			`1`},
		`{"properties":{"a":{},"b":{},"c":{}},"required":["c","a","b"]}`:              {`{}`, `{"b":null}`},
		`{"additionalProperties":false}`:                                              {`{"a":{"b":[1,{}]},"":2}`},
		`{"properties":{"size":{"minimum":1}},"additionalProperties":false}`:          {`{"sise":0,"size":0}`},
		`{"properties":{"%":{"properties":{"50%":{}},"additionalProperties":false}}}`: {`{"%":{"x":1}}`},
		`{"additionalProperties":{"type":"integer"},"minProperties":2}`: {`{"a":"b"}`, `{}`,
			`{"a/b":"c","d~":"e"}`},
		`{"properties":{"a":{},"b":{}},"additionalProperties":false,"minProperties":1,"maxProperties":1}`: {`{}`, `{"a":1,"b":2}`,
			`{"a":1,"c":2}`},
		`{"maxProperties":1}`: {`{"a":1,"b":2}`},
		`{"anyOf":[{"type":"integer","minimum":3},{"type":"null"}]}`: {`"x"`, `2`,
			`[]`},
		`{"anyOf":[{"type":["string","null"]},{"type":"null"}]}`:                                 {`1`},
		`{"anyOf":[{"anyOf":[{"type":"string","enum":["a"]},{"type":"null"}]},{"type":"null"}]}`: {`1`, `"b"`},
		`{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}`: {`1`,
			`{"kids":[{"size":"x"},null,{"kids":[{"size":0,"x":1}]}]}`},
		`{"$ref":"#/$defs/tree","description":"x"}`: {`{"kids":[[]],"size":-1}`, `{"kids":{"size":0}}`},
		`{"properties":{"d":{"default":1},"e":{"type":"string"}},"required":["d","e"],"minProperties":3}`: {`{}`,
			`{"e":"x"}`},
		`{"properties":{"d":{"type":"object","properties":{"e":{"default":1,"minimum":1}},` +
			`"maxProperties":1}}}`: {`{"d":{"e":1,"f":1}}`},
		`{"enum":[{"d":1}],"properties":{"d":{"default":1,"maximum":0}}}`: {`{"d":2}`},
		`{"type":"object","properties":{"u":{"oneOf":[{"type":"string"},{"minimum":0}]}},` +
			`"additionalProperties":false}`: {`{"u":1,"w":2}`},
	} {
		root := strings.TrimSuffix(object(property), "}") + `,"$defs":{"tree":{"type":"object","additionalProperties":false,
			"properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}},"size":{"type":"integer","minimum":1,"default":7}}}}}`
		s, problems := schema.Compile(json.RawMessage(root), schema.CompileOptions{Lenient: true})
		require.Empty(t, problems, root)
		for _, value := range values {
			assert.Equal(t, verdict{worded: true}, checkAgrees(t, s, `{"v":`+value+`}`), "%s %s", property, value)
			checkAgrees(t, s, `{"w":1,"v":[`+value+`,`+value+`],"u":1e2}`)
		}
	}
}

// Check leaves a text to the slow path if it isn't sure, even after a
// violation.
func TestCheck_LeavesUnsureTexts(t *testing.T) {
	t.Parallel()
	s, problems := schema.Compile(json.RawMessage(`{"type":"object","required":["r"],"properties":{"r":{},
		"n":{"type":"integer"},"f":{"type":"number","maximum":9007199254740993},
		"d":{"format":"duration","x-minimum":"PT1S"},"u":{"oneOf":[{"type":"string"},{"type":"integer"}]},
		"x":{"anyOf":[{"oneOf":[{"type":"string"},{"type":"integer"}]},{"type":"null"}]}}}`), schema.CompileOptions{})
	require.Empty(t, problems)
	for name, text := range map[string]string{
		"a name twice":             `{"n":"x","n":1}`,
		"a name twice below":       `{"n":{"a":1,"b":2,"a":3}}`,
		"a value after it":         `{"n":"x"} 1`,
		"no end":                   `{"n":"x"`,
		"no JSON":                  `{"n":"x","r":tru}`,
		"half a surrogate pair":    `{"n":"\ud800"}`,
		"no UTF-8":                 "{\"n\":\"\xff\"}",
		"a control character":      "{\"n\":\"\n\"}",
		"a name with an escape":    `{"\u006e":"x"}`,
		"a whole number beyond 64": `{"n":1e300}`,
		"a bound that is too fine": `{"f":0.5}`,
		"a union":                  `{"u":true}`,
		"years before a bound":     `{"d":"P1Y"}`,
		"a union or null":          `{"x":true}`,
		"a number of many digits":  `{"n":"x","f":0.` + strings.Repeat("1", strictjson.DefaultNumberLength) + `}`,
		"levels": `{"n":` + strings.Repeat("[", strictjson.DefaultDepth) + strings.Repeat("]",
			strictjson.DefaultDepth) + `}`,
		"values": `{"n":[` + strings.Repeat("1,", strictjson.DefaultElements) + `1]}`,
	} {
		assert.True(t, checkAgrees(t, s, text).left, name)
	}
}

// The validator also counts the violations it doesn't show.
func TestThreat17_CheckCutsLongLists(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","additionalProperties":{"type":"integer","minimum":1},"minProperties":1000}`)
	worded := 0
	for n := 1; n < 130; n++ {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"m%d":%d`, i, -i), fmt.Sprintf(`"%d":"x"`, i))
		}
		if checkAgrees(t, s, "{"+strings.Join(members, ",")+"}").worded {
			worded = n
		}
	}
	assert.Greater(t, worded, schema.MaxViolations, "the fast path is taken")
	assert.Less(t, worded, 100, "memory is bounded")
}

// drawKeywords draws a schema of keywords whose violations Check words.
// Sometimes it adds a keyword that Check leaves to the validator.
func drawKeywords(t *drawtest.T, levels int) map[string]any {
	chance := func(n int) bool { return t.Int(1, n) == 1 }
	small := func() any { return int64(t.Int(0, 3)) }
	of := func(values ...any) any { return drawtest.One(t, values...) }
	drawn := map[string]any{}
	keyword := func(n int, name string, value func() any) {
		if chance(n) {
			drawn[name] = value()
		}
	}
	keyword(2, "type", func() any {
		return of("null", "boolean", "string", "integer", "number", "array", "object", []any{"string", "integer"},
			[]any{"object", "null"}, []any{"number", "array"})
	})
	if chance(12) {
		return map[string]any{"$ref": of("#/$defs/one", "#/$defs/two", "#/$defs/tree"), "title": "x"}
	}
	if levels > 0 && chance(8) {
		return map[string]any{"anyOf": []any{drawKeywords(t, levels-1), of(map[string]any{"type": "null"},
			map[string]any{"type": "null"}, map[string]any{"type": "string"})}}
	}
	for _, name := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		keyword(6, name, func() any { return of(small(), -1.5, 0.1, 1e300) })
	}
	for _, name := range []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"} {
		keyword(6, name, small)
	}
	keyword(8, "multipleOf", func() any { return of(int64(2), 0.1, 0.5) })
	keyword(8, "pattern", func() any { return of("^a", "b$", "^[^a]*$") })
	keyword(10, "format", func() any { return of("date", "int8", "uint64", "email") })
	if chance(10) {
		drawn["format"] = "duration"
		keyword(2, schema.MinimumKeyword, func() any { return of("PT2S", "PT1M", "P1Y", "x", 1.5) })
		keyword(2, schema.MaximumKeyword, func() any { return of("PT60S", "P1D", "PT1S", "", nil) })
	}
	keyword(6, "uniqueItems", func() any { return of(true, false) })
	keyword(10, "enum", func() any { return []any{drawAny(t, 1), drawAny(t, 2)} })
	keyword(14, "const", func() any { return drawAny(t, 2) })
	if levels == 0 {
		return drawn
	}
	keyword(2, "items", func() any { return drawKeywords(t, levels-1) })
	keyword(3, "additionalProperties", func() any { return of(true, false, drawKeywords(t, levels-1)) })
	properties := map[string]any{}
	for _, name := range []string{"a", "b", "a%/b", "kind"} {
		if chance(2) {
			below := drawKeywords(t, levels-1)
			if chance(6) {
				below["default"] = drawAny(t, 1)
			}
			properties[name] = below
		}
	}
	if len(properties) > 0 {
		drawn["properties"] = properties
		keyword(3, "required", func() any { return []any{drawtest.One(t, slices.Sorted(maps.Keys(properties))...)} })
	}
	return drawn
}

func drawAny(t *drawtest.T, levels int) any {
	kind := t.Int(0, 12)
	switch {
	case kind > 9 && levels > 0:
		object := map[string]any{}
		for _, name := range []string{"a", "b", "a%/b", "kind", "other"} {
			if t.Bool() {
				object[name] = drawAny(t, levels-1)
			}
		}
		return object
	case kind > 6 && levels > 0:
		list := []any{}
		for range t.Int(0, 4) {
			list = append(list, drawAny(t, levels-1))
		}
		return list
	default:
		return drawtest.One[any](t,
			nil, true, false, "", "a", "ab", "aéb", "x@example.com", "2026-11-22", "PT1S", "PT60S", "P1DT1S", "P1M", "P1W2D",
			int64(0), int64(1), int64(-1), int64(2), int64(300),
			0.1, 1.5, -1.5, 1e300, uint64(1<<63),
		)
	}
}

// checkRandom compares Check with the validator for one drawn schema. It counts
// the values that don't fit, by whether Check worded their violations.
func checkRandom(worded, left *int) func(*drawtest.T) {
	return func(rt *drawtest.T) {
		root := map[string]any{"type": "object", "properties": map[string]any{"a": drawKeywords(rt, 3), "b": drawKeywords(rt, 2),
			"kind": drawKeywords(rt, 0)}}
		root["$defs"] = map[string]any{"one": drawKeywords(rt, 0), "two": drawKeywords(rt, 1), "tree": map[string]any{
			"type": "object", "properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/tree"}, "b": drawKeywords(rt, 0)},
			"additionalProperties": false,
		}}
		text, err := strictjson.Marshal(root)
		require.NoError(rt, err)
		s, problems := schema.Compile(text, schema.CompileOptions{Lenient: true})
		if len(problems) > 0 {
			return // not a schema
		}
		for range 8 {
			value, err := strictjson.Marshal(map[string]any{"a": drawAny(rt, 3), "b": drawAny(rt, 2), "kind": drawAny(rt, 0)})
			require.NoError(rt, err)
			v := checkAgrees(rt, s, string(value))
			if v.worded {
				*worded++
			}
			if v.leftBroken {
				*left++
			}
		}
	}
}

func TestThreat11_CheckAgreesAboutRandomSchemas(t *testing.T) {
	t.Parallel()
	worded, left := 0, 0
	drawtest.Check(t, checkRandom(&worded, &left))
	t.Logf("%d values with violations worded, %d left", worded, left)
	assert.Greater(t, worded, left/2, "the fast path is taken")
}

// FuzzCheck checks the same property with more schemas.
func FuzzCheck(f *testing.F) {
	worded, left := 0, 0
	drawtest.Fuzz(f, checkRandom(&worded, &left))
}

// The first calls of a schema compile its scanner.
func TestCheck_FirstCallsAtOnceAgree(t *testing.T) {
	t.Parallel()
	s, problems := schema.Compile(json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer","default":7},`+
		`"b":{"enum":["x"]}},"additionalProperties":false}`), schema.CompileOptions{})
	require.Empty(t, problems)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			canonical, violations, ok := s.Check([]byte(`{"b":"x"}`))
			assert.True(t, ok)
			assert.Empty(t, violations)
			assert.JSONEq(t, `{"a":7,"b":"x"}`, string(canonical))
			_, violations, ok = s.Check([]byte(`{"c":1}`))
			assert.True(t, ok)
			assert.Len(t, violations, 1)
		})
	}
	all.Wait()
}

// Checks reuse memory. Checking further texts of any size must not change a
// canonical form returned earlier.
func TestCheck_FormsStayWhenFurtherTextsAreChecked(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}}}`)
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			var forms, wanted []string
			var kept [][]byte
			for i := range 120 {
				value := strings.Repeat(strconv.Itoa(worker), i*i)
				canonical, ok := s.Accept(fmt.Appendf(nil, `{"b":%q,"a":%d}`, value, i))
				assert.True(t, ok)
				assert.False(t, s.Fits(fmt.Appendf(nil, `{"b":%q,"a":%q}`, value, value)))
				kept, wanted = append(kept, canonical), append(wanted, fmt.Sprintf(`{"a":%d,"b":%q}`, i, value))
			}
			for _, canonical := range kept {
				forms = append(forms, string(canonical))
			}
			assert.Equal(t, wanted, forms)
		})
	}
	group.Wait()
}

package observe_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// member returns the schema of an object with one required member, v.
func member(v string) string {
	return `{"type":"object","properties":{"v":` + v + `},"required":["v"],"additionalProperties":false}`
}

// drawable maps schemas to the keywords that their broken values must reach.
var drawable = map[string]struct {
	schema   string
	keywords []string
}{
	"nothing":         {`{"type":"object"}`, []string{"type"}},
	"an empty object": {`{"type":"object","additionalProperties":false}`, []string{"additionalProperties", "type"}},
	"a text": {member(`{"type":"string","minLength":2,"maxLength":5}`), []string{"additionalProperties", "maxLength",
		"minLength", "required", "type"}},
	"a long text":         {member(`{"type":"string","minLength":900,"maxLength":1200}`), []string{"maxLength", "minLength"}},
	"a pattern":           {member(`{"type":"string","pattern":"^[A-Z]{2}-[0-9]+$"}`), []string{"pattern"}},
	"a pattern somewhere": {member(`{"type":"string","pattern":"\\bTODO\\b","maxLength":40}`), []string{"pattern"}},
	"a pattern and length": {member(`{"type":"string","pattern":"^[a-z]+$","minLength":30,"maxLength":40}`), []string{"maxLength",
		"minLength", "pattern"}},
	"two patterns": {member(`{"type":"string","pattern":"^a","allOf":[{"pattern":"z$"}]}`), []string{"pattern"}},
	"an integer":   {member(`{"type":"integer","minimum":-3,"exclusiveMaximum":10}`), []string{"exclusiveMaximum", "minimum"}},
	"an exact integer": {member(`{"type":"integer","minimum":9007199254740993,"maximum":9007199254740995}`), []string{"maximum",
		"minimum"}},
	"a large integer": {member(`{"type":"integer","minimum":9223372036854775807}`), []string{"minimum"}},
	"an int8":         {member(`{"type":"integer","format":"int8"}`), []string{"format"}},
	"a uint64":        {member(`{"type":"integer","format":"uint64"}`), []string{"format"}},
	"a multiple": {member(`{"type":"integer","multipleOf":7,"minimum":100,"maximum":1000}`), []string{"maximum", "minimum",
		"multipleOf"}},
	"cents": {member(`{"type":"number","multipleOf":0.01,"minimum":0,"maximum":100}`), []string{"maximum", "minimum",
		"multipleOf"}},
	"a fraction": {member(`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`), []string{"exclusiveMaximum",
		"exclusiveMinimum"}},
	"a duration": {member(`{"type":"string","format":"duration"}`), []string{"format"}},
	"a bounded duration": {member(`{"type":"string","format":"duration","x-minimum":"PT1S","x-maximum":"PT1H"}`),
		[]string{"format", "maximum", "minimum", "type"}},
	"a long duration": {member(`{"type":"string","format":"duration","x-minimum":"P106751D","x-maximum":"PT2562047H47M16S"}`),
		[]string{"maximum", "minimum"}},
	"an enum":    {member(`{"enum":["a","b",3,null]}`), []string{"enum"}},
	"a constant": {member(`{"const":"a"}`), []string{"const"}},
	"a list": {member(`{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":4,"uniqueItems":true}`),
		[]string{"maxItems", "minItems", "type", "uniqueItems"}},
	"a tuple": {member(`{"type":"array","prefixItems":[{"type":"string"},{"type":"boolean"}],"items":false,"minItems":1}`),
		[]string{"items", "minItems", "type"}},
	"contained": {member(`{"type":"array","items":{"type":"integer"},"contains":{"minimum":1000},"minContains":2}`),
		[]string{"minContains", "type"}},
	"a map": {member(`{"type":"object","propertyNames":{"pattern":"^[a-z]{2}$"},` +
		`"additionalProperties":{"type":"integer"},"minProperties":1,"maxProperties":3}`), []string{"minProperties", "propertyNames",
		"type"}},
	"patterns of names": {member(`{"type":"object","patternProperties":{"^n_":{"type":"integer"}},"additionalProperties":false}`),
		[]string{"type"}},
	"one of several": {member(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},` +
		`"c":{"type":"boolean"}},` +
		`"minProperties":1,"maxProperties":1,"additionalProperties":false}`), []string{"maxProperties", "minProperties", "type"}},
	"nullable": {member(`{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}]}`), []string{"maxLength", "type"}},
	"types":    {member(`{"type":["string","null"],"maxLength":3}`), []string{"maxLength", "type"}},
	"forms": {member(`{"oneOf":[{"type":"object","properties":{"kind":{"const":"mail"},"to":{"type":"string","format":"email"}},"required":["kind","to"],"additionalProperties":false},
		{"type":"object","properties":{"kind":{"const":"call"},"number":{"type":"string","pattern":"^[+][0-9]{6,12}$"}},"required":["kind","number"],"additionalProperties":false}]}`),
		[]string{"additionalProperties", "const", "format", "pattern", "required", "type"}},
	"all of": {`{"type":"object","allOf":[{"properties":{"a":{"type":"string",` +
		`"maxLength":4}}},{"properties":{"a":{"minLength":3}},` +
		`"required":["a"]}]}`, []string{"maxLength", "minLength", "required"}},
	"references": {`{"type":"object","properties":{"from":{"$ref":"#/$defs/day"},"to":{"$ref":"#/$defs/day","description":"later"}},"required":["from"],"additionalProperties":false,
		"$defs":{"day":{"type":"string","format":"date"}}}`, []string{"additionalProperties", "format", "required", "type"}},
	"a tree": {`{"type":"object","properties":{"name":{"type":"string","minLength":1},"kids":{"type":"array",` +
		`"items":{"$ref":"#"}}},"required":["name"],"additionalProperties":false}`, []string{"additionalProperties", "minLength",
		"required", "type"}},
	"a condition": {`{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"integer"}},` +
		`"if":{"properties":{"a":{"const":true}},"required":["a"]},"then":{"required":["b"]},"additionalProperties":false}`,
		[]string{"additionalProperties", "required", "type"}},
	"not": {member(`{"type":"integer","not":{"minimum":0,"maximum":10}}`), []string{"type"}},
	"dependent": {`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"dependentRequired":{"a":["b"]},` +
		`"additionalProperties":false}`, []string{"dependentRequired", "type"}},
	"dependent forms": {`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},` +
		`"dependentSchemas":{"a":{"required":["b"]}},"additionalProperties":false}`, []string{"required", "type"}},
	"defaults": {`{"type":"object","properties":{"a":{"type":"integer","default":3,"minimum":1}},"required":["a"],` +
		`"additionalProperties":false}`, []string{"minimum", "type"}},
	"unevaluated": {`{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}}],"properties":{"b":{"type":"string"}},` +
		`"unevaluatedProperties":false}`, []string{"type", "unevaluatedProperties"}},
	"anything":      {member(`true`), []string{"required"}},
	"embedded JSON": {member(`{"type":"string","contentMediaType":"application/json","enum":["{}","[]"]}`), []string{"enum"}},
}

func TestDrawn_ValuesAreWhatTheyClaimToBe(t *testing.T) {
	t.Parallel()
	for name, test := range drawable {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := observe.ArgumentsFor(test.schema, nil)
			require.NoError(t, err)
			assert.Empty(t, s.Gaps())
			compiled, problems := schema.Compile(json.RawMessage(test.schema), schema.CompileOptions{Lenient: true})
			require.Empty(t, problems)
			judge := func(v observe.Value) []schema.Violation {
				tree, err := strictjson.Parse(v.JSON, strictjson.Limits{})
				require.NoError(t, err)
				require.Equal(t, tree, v.Tree)
				filled, _ := compiled.Fill(tree)
				return compiled.Validate(filled)
			}
			keywords := map[string]bool{}
			for seed := range uint64(150) {
				v := s.Valid(observe.Random(seed))
				require.Empty(t, judge(v), string(v.JSON))
				b := s.Broken(observe.Random(seed))
				violations := judge(b.Value)
				require.Len(t, violations, 1, string(b.JSON))
				require.Equal(t, violations[0].Rule, "schema."+b.Keyword)
				require.Equal(t, violations[0].Pointer, b.Pointer)
				keywords[b.Keyword] = true
			}
			assert.Subset(t, slices.Collect(maps.Keys(keywords)), test.keywords)
		})
	}
}

func TestDrawn_FormatsAreAllReached(t *testing.T) {
	t.Parallel()
	for _, format := range schema.Formats() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s, err := observe.ArgumentsFor(member(`{"type":"string","format":"`+format+`"}`), nil)
			require.NoError(t, err)
			seen, broken := map[string]bool{}, map[string]bool{}
			for seed := range uint64(60) {
				seen[string(s.Valid(observe.Random(seed)).JSON)] = true
				broken[s.Broken(observe.Random(seed)).Keyword] = true
			}
			assert.Greater(t, len(seen), 5)
			assert.True(t, broken["format"])
		})
	}
}

func TestArgumentsOf_NamesTheKeywordThatNothingSatisfies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ schema, keyword, pointer string }{
		"a range without a number": {member(`{"type":"integer","minimum":5,"maximum":4}`), "maximum", "/v"},
		"a pattern of nothing":     {member(`{"type":"string","pattern":"a\\bb"}`), "pattern", "/v"},
		"types that exclude":       {member(`{"type":"string","allOf":[{"type":"integer"}]}`), "type", "/v"},
		"a length of nothing":      {member(`{"type":"string","minLength":5,"maxLength":4}`), "maxLength", "/v"},
		"a value that is refused":  {member(`{"not":{}}`), "not", "/v"},
		"a member that is refused": {`{"type":"object","properties":{"v":false},"required":["v"]}`, "false", "/v"},
		"an endless value":         {`{"type":"object","properties":{"v":{"$ref":"#"}},"required":["v"]}`, "type", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := observe.ArgumentsFor(test.schema, nil)
			require.ErrorContains(t, err, ": "+test.keyword+" refuses them at "+test.pointer)
		})
	}
}

func TestGaps_NameTheMembersThatNothingSatisfies(t *testing.T) {
	t.Parallel()
	s, err := observe.ArgumentsFor(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object",`+
		`"properties":{"c":{"type":"integer","minimum":2,"maximum":1}},"required":["c"]}}}`, nil)
	require.NoError(t, err)
	require.Len(t, s.Gaps(), 1)
	assert.Regexp(t, "^no value for /properties/b was accepted: (min|max)imum refuses them at /b/c$", s.Gaps()[0])
}

func TestArguments_AreThoseThatTheToolReads(t *testing.T) {
	t.Parallel()
	raw := `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"additionalProperties":false}`
	odd := func(raw json.RawMessage) []schema.Violation {
		var in struct{ A int64 }
		if json.Unmarshal(raw, &in) != nil || in.A%2 != 0 {
			return []schema.Violation{{Rule: "odd", Pointer: "/a"}}
		}
		return nil
	}
	s, err := observe.ArgumentsFor(raw, odd, "b")
	require.NoError(t, err)
	for seed := range uint64(100) {
		v := s.Valid(observe.Random(seed))
		assert.Empty(t, odd(v.JSON))
		assert.NotContains(t, v.Tree, "b")
	}
	_, err = observe.ArgumentsFor(raw, func(json.RawMessage) []schema.Violation {
		return []schema.Violation{{Rule: "no", Pointer: "/b"}}
	})
	require.ErrorContains(t, err, "no refuses them at /b")
}

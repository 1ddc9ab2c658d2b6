package schema_test

import (
	"strings"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/internal/testing/drawtest"
)

const (
	draft4 = `"$schema":"http://json-schema.org/draft-04/schema#",`
	draft6 = `"$schema":"http://json-schema.org/draft-06/schema",`
	draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`
)

func TestModern_ReadsNullableOfOpenAPI(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ old, want string }{
		"in several places": {`{"type":"object","nullable":true,"properties":{"a":{"type":"string","nullable":true},` +
			`"b":{"nullable":true,"type":[ "string","integer" ]},"c":{"type":"string","nullable":false},"nullable":{"type":"null","nullable":true}}}`,
			`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["string","integer","null"]},` +
				`"c":{"type":"string"},"nullable":{"type":"null"}}}`},
		"in the newest draft": {`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"type":"string",` +
			`"nullable":true}}}`, `{"properties":{"a":{"type":["string","null"]}}}`},
		"where it means nothing": {`{"properties":{"a":{"enum":["x"],"nullable":true}}}`,
			`{"properties":{"a":{"enum":["x"],"nullable":true}}}`},
	} {
		newest, converted, problems := modern(test.old, false)
		assert.Empty(t, problems, name)
		assert.False(t, converted, "%s: it is of no older draft", name)
		assert.JSONEq(t, test.want, string(newest), name)
	}
}

func TestModern_WritesEachKeywordInTheNewDraft(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ old, want string }{
		"definitions, with the references to them": {
			`{` + draft7 + `"type":"object","definitions":{"a b":{"type":"string"}},"properties":{"z":{"$ref":"#/definitions/a%20b"},` +
				`"a":{"$ref":"#/properties/z"}}}`,
			`{"type":"object","$defs":{"a b":{"type":"string"}},"properties":{"z":{"$ref":"#/$defs/a%20b"},` +
				`"a":{"$ref":"#/properties/z"}}}`,
		},
		"definitions beside $defs": {
			`{` + draft7 + `"type":"object","definitions":{"a":{}},"$defs":{"a":{"items":[{}]}},` +
				`"properties":{"a":{"$ref":"#/$defs/a/items/0"}}}`,
			`{"type":"object","definitions":{"a":{}},"$defs":{"a":{"prefixItems":[{}]}},` +
				`"properties":{"a":{"$ref":"#/$defs/a/prefixItems/0"}}}`,
		},
		"a tuple": {
			`{"properties":{"v":{"items":[{"type":"string"},{"$ref":"#/properties/v/items/0"}],"additionalItems":{"items":[true]}}}}`,
			`{"properties":{"v":{"prefixItems":[{"type":"string"},{"$ref":"#/properties/v/prefixItems/0"}],` +
				`"items":{"prefixItems":[true]}}}}`,
		},
		"a tuple of nothing": {`{"items":[ ],"additionalItems":false}`, `{"items":false}`},
		"spaced":             {"{\"items\" :\n[{}]}", `{"prefixItems":[{}]}`},
		"escaped":            {`{"\u0069tems":[{}]}`, `{"prefixItems":[{}]}`},
		"the second of two":  {`{"items":{"items":[{}]}}`, `{"items":{"prefixItems":[{}]}}`},
		"items for all":      {`{"items":{},"additionalItems":false}`, `{"items":{}}`},
		"dependencies": {`{"dependencies":{"a":["b"],"b":{"required":["c"]},"c":[]}}`, `{"dependentRequired":{"a":["b"],` +
			`"c":[]},"dependentSchemas":{"b":{"required":["c"]}}}`},
		"a reference to one": {`{"dependencies":{"b":{"required":["c"]}},"not":{"$ref":"#/dependencies/b"}}`,
			`{"dependentSchemas":{"b":{"required":["c"]}},"not":{"$ref":"#/dependentSchemas/b"}}`},
		"exclusive limits": {`{` + draft4 + `"minimum":1,"exclusiveMinimum":true,"exclusiveMaximum":true,"maximum":5.50}`,
			`{"exclusiveMinimum":1,"exclusiveMaximum":5.50}`},
		"inclusive limits":   {`{"minimum":1,"exclusiveMinimum":false}`, `{"minimum":1}`},
		"limits of draft-07": {`{` + draft7 + `"minimum":1,"exclusiveMinimum":0}`, `{"minimum":1,"exclusiveMinimum":0}`},
		"what a $ref hides": {`{` + draft7 + `"definitions":{"a":{}},"properties":{"v":{"$ref":"#/definitions/a","minimum":1,` +
			`"description":"D","default":1}}}`, `{"$defs":{"a":{}},"properties":{"v":{"$ref":"#/$defs/a","description":"D",` +
			`"default":1}}}`},
		"the type of a root": {`{` + draft7 + `"type":"object","$ref":"#/definitions/a","required":["x"],` +
			`"definitions":{"a":{}}}`, `{"type":"object","$ref":"#/$defs/a","$defs":{"a":{}}}`},
		"an anchor": {`{` + draft7 + `"properties":{"a":{"$id":"#a"},"b":{"$ref":"#a"}}}`,
			`{"properties":{"a":{"$anchor":"a"},"b":{"$ref":"#a"}}}`},
		"an anchor of draft-04": {`{` + draft4 + `"id":"https://example.com/s","properties":{"a":{"id":"#a"},"id":{"$ref":"#a"}}}`,
			`{"properties":{"a":{"$anchor":"a"},"id":{"$ref":"#a"}}}`},
		"an id that means nothing": {`{` + draft7 + `"id":"x","properties":{"id":{"type":"string"}}}`,
			`{"id":"x","properties":{"id":{"type":"string"}}}`},
		"a keyword to come": {`{` + draft7 + `"minContains":2,"contains":{},"dependentRequired":{"a":["b"]},` +
			`"prefixItems":[false]}`, `{"contains":{}}`},
		"a keyword before its time": {`{` + draft6 + `"if":true,"then":false,"const":1}`, `{"const":1}`},
		"values that look like schemas": {
			`{` + draft7 + `"const":{"items":[1]},"enum":[{"definitions":{}}],"default":{"dependencies":{}}}`,
			`{"const":{"items":[1]},"enum":[{"definitions":{}}],"default":{"dependencies":{}}}`,
		},
		"nullable of an older draft, a list of values, and without a type": {
			`{` + draft7 + `"properties":{"a":{"type":"string","enum":["x"],"nullable":true},"b":{"enum":["x"],"nullable":true}}}`,
			`{"properties":{"a":{"type":["string","null"],"enum":["x"]},"b":{"enum":["x"],"nullable":true}}}`},
		"members that look like keywords": {`{` + draft7 + `"properties":{"items":{"items":[{}]},"definitions":{}}}`,
			`{"properties":{"items":{"prefixItems":[{}]},"definitions":{}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newest, converted, problems := modern(test.old, true)
			assert.True(t, converted)
			assert.Empty(t, problems)
			assert.Equal(t, test.want, string(newest))
		})
	}
}

func TestModern_KeepsASchemaThatIsNotOlder(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{ "type": "object", "definitions": {"a": {}}, "properties": {"a": {"$ref": "#/definitions/a", "minLength": 1}} }`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}`,
		`{"$schema":"https://example.com/own","dependencies":{}}`,
		`{"properties":{"dependencies":{},"items":{"const":[{}]},"id":{}}}`,
		`{`, `[]`, `true`, `{"items":{},"exclusiveMinimum":1}`,
	} {
		newest, converted, problems := modern(raw, true)
		assert.False(t, converted, raw)
		assert.Empty(t, problems)
		assert.Equal(t, raw, string(newest))
	}
}

func TestModern_ReportsWhatHasTwoMeanings(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"items":[{}],"prefixItems":[{}]}`:                                              "/items",
		`{"not":{"dependencies":{"a":["b"]},"dependentRequired":{"a":["c"]}}}`:           "/not/dependencies",
		`{` + draft7 + `"properties":{"v":{"items":{"dependentRequired":{"a":["b"]}}}}}`: "/properties/v/items/dependentRequired",
	} {
		_, converted, problems := modern(raw, false)
		require.Len(t, problems, 1, raw)
		assert.True(t, converted)
		assert.Equal(t, schema.RuleDialect, problems[0].Rule)
		assert.Equal(t, want, problems[0].Field)
		assert.NotEmpty(t, problems[0].Remedy)
	}
}

// accepts compiles a schema with the validator library, in the draft it
// declares, and returns which values it accepts. ok is false if the library
// refuses the schema.
func accepts(raw []byte, undeclared *santhosh.Draft, values []any) (accepted []bool, ok bool) {
	document, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, false
	}
	compiler := santhosh.NewCompiler()
	compiler.DefaultDraft(undeclared)
	compiler.AssertContent()
	if err := compiler.AddResource("mem:///old", document); err != nil {
		return nil, false
	}
	compiled, err := compiler.Compile("mem:///old")
	if err != nil {
		return nil, false
	}
	for _, value := range values {
		accepted = append(accepted, compiled.Validate(value) == nil)
	}
	return accepted, true
}

// Cases from the JSON Schema test suite for the keywords that changed, with the
// validator as the oracle: the old schema in its draft, the new one in draft
// 2020-12.
func TestModern_AcceptsTheSameValues(t *testing.T) {
	t.Parallel()
	compared := 0
	var values []any
	for _, text := range []string{
		`null`, `true`, `1`, `1.1`, `3`, `3.5`, `"foo"`, `{}`, `[]`, `[1]`, `[1,"foo"]`, `["foo",1]`, `[1,"foo",false]`, `[1,2,3,4]`,
		`[null,2,3,"foo"]`,
		`{"bar":2}`, `{"foo":1}`, `{"foo":1,"bar":2}`, `{"foo":1,"bar":2,"quux":3}`, `{"foo":1,"quux":2}`, `{"bar":1,"quux":2}`,
		`{"quux":1}`, `{"foo":"quux"}`,
		`{"foo":2,"bar":"quux"}`, `{"foo":["x"]}`, `{"foo":[]}`, `{"foo":[1,2,3]}`, `{"foo":"string"}`, `{"foo\"bar":1}`,
		`{"a":1,"b":"x"}`, `{"a":{"a":[1,true]}}`,
	} {
		value, err := strictjson.Parse([]byte(text), strictjson.Limits{})
		require.NoError(t, err)
		values = append(values, value)
	}
	for _, keywords := range []string{
		`"items":[{"type":"integer"},{"type":"string"}]`, `"items":[true,false]`, `"items":[{}],"additionalItems":{"type":"integer"}`,
		`"items":{},"additionalItems":false`, `"items":[{},{},{}],"additionalItems":false`, `"additionalItems":false`,
		`"items":[],"additionalItems":{"type":"integer"}`,
		`"items":[{"type":"integer"}],"not":{"items":[{"enum":[1]}],"additionalItems":false}`,
		`"allOf":[{"items":[{"minimum":3}]}],"items":[{"minimum":5}]`,
		`"dependencies":{"bar":["foo"]}`, `"dependencies":{"bar":[]}`, `"dependencies":{"quux":["foo","bar"]}`,
		`"dependencies":{"foo\"bar":["foo"]}`,
		`"dependencies":{"bar":{"properties":{"foo":{"type":"integer"},"bar":{"type":"integer"}}}}`,
		`"dependencies":{"foo":true,"bar":false}`,
		`"properties":{"foo":{}},"dependencies":{"foo":{"properties":{"bar":{}},"additionalProperties":false}}`,
		`"maximum":3.0`, `"maximum":3,"exclusiveMaximum":true`, `"maximum":3,"exclusiveMaximum":false`,
		`"minimum":1.1,"exclusiveMinimum":true`, `"exclusiveMinimum":true`,
		`"exclusiveMinimum":1`,
		`"definitions":{"reffed":{"type":"array"}},"properties":{"foo":{"$ref":"#/definitions/reffed","maxItems":2}}`,
		`"definitions":{"a":{"type":"integer"},"b":{"$ref":"#/definitions/a"},"c":{"$ref":"#/definitions/b"}},` +
			`"allOf":[{"$ref":"#/definitions/c"}]`,
		`"items":[{"type":"integer"},{"$ref":"#/items/0"}]`, `"items":[{}],"additionalItems":{"type":"string"},"definitions":{},` +
			`"not":{"items":{"$ref":"#/additionalItems"}}`,
		`"properties":{"foo":{"$ref":"#"}},"additionalProperties":false`, `"definitions":{"a":{"$id":"#foo","type":"integer"}},` +
			`"allOf":[{"$ref":"#foo"}]`,
		`"definitions":{"a":{"id":"#foo","type":"integer"}},"allOf":[{"$ref":"#foo"}]`, `"$ref":"#/definitions/a","maximum":1,` +
			`"definitions":{"a":{"minimum":3}}`,
		`"const":1`, `"contains":{"const":1},"minContains":2`, `"contains":{"minimum":3},"maxContains":1`, `"if":{"type":"object"},` +
			`"then":{"required":["foo"]},"else":false`,
		`"propertyNames":{"maxLength":3}`, `"dependentRequired":{"bar":["foo"]}`, `"dependentSchemas":{"bar":false}`,
		`"prefixItems":[{"type":"string"}]`,
		`"unevaluatedProperties":false`, `"properties":{"a":{"unevaluatedItems":false}}`, `"contentEncoding":"base64"`,
		`"contentMediaType":"application/json"`,
		`"oneOf":[{"items":[{"type":"integer"}]},{"dependencies":{"bar":["foo"]}}]`, `"patternProperties":{"^b":{"minimum":1,` +
			`"exclusiveMinimum":true}}`,
	} {
		for _, dialect := range []string{draft4, draft6, draft7, ""} {
			raw := `{` + dialect + keywords + `}`
			newest, converted, problems := modern(raw, true)
			if !converted || len(problems) > 0 {
				require.Empty(t, dialect, "%s is converted", raw)
				continue
			}
			want, ok := accepts([]byte(raw), santhosh.Draft7, values)
			if !ok { // the draft doesn't have it
				continue
			}
			got, ok := accepts(newest, santhosh.Draft2020, values)
			require.True(t, ok, "%s becomes %s", raw, newest)
			compared++
			for i, value := range values {
				assert.Equal(t, want[i], got[i], "%s becomes %s: %v", raw, newest, value)
			}
		}
	}
	assert.Greater(t, compared, 100)
}

// drawOld draws a schema of an older draft. Its references lead to the root's
// definitions, or into them.
func drawOld(t *drawtest.T, levels int) any {
	if t.Int(0, 9) == 0 {
		return t.Bool()
	}
	drawn := map[string]any{}
	keywords := []string{"type", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "required", "enum", "const",
		"minContains", "dependentRequired", "$ref"}
	if levels > 0 {
		keywords = append(keywords, "items", "items", "additionalItems", "additionalItems", "dependencies", "dependencies",
			"properties", "additionalProperties",
			"not", "allOf", "anyOf", "oneOf", "if", "then", "contains", "prefixItems", "unevaluatedProperties", "$defs")
	}
	for _, keyword := range drawtest.Some(t, 4, keywords...) {
		drawn[keyword] = drawOldKeyword(t, keyword, levels-1)
	}
	if drawn["$ref"] != nil { // the drafts ignore these beside it, but the validator doesn't
		for _, keyword := range []string{"const", "contains", "if", "then"} {
			delete(drawn, keyword)
		}
	}
	return drawn
}

func drawOldKeyword(t *drawtest.T, keyword string, levels int) any {
	name := func() string { return drawtest.One(t, "a", "b") }
	switch keyword {
	case "type":
		return drawtest.One(t, "object", "array", "integer", "string")
	case "minimum", "maximum", "minContains":
		return int64(t.Int(0, 3))
	case "exclusiveMinimum", "exclusiveMaximum":
		return drawtest.One[any](t, true, false, int64(1), int64(2))
	case "required":
		return []any{name()}
	case "enum":
		return []any{int64(t.Int(0, 3)), "x"}
	case "const":
		return int64(t.Int(0, 3))
	case "dependentRequired":
		return map[string]any{name(): []any{name()}}
	case "$ref":
		return drawtest.One(t,
			"#/definitions/tuple", "#/definitions/tuple/items/1", "#/definitions/tuple/additionalItems",
			"#/definitions/depends/dependencies/b", "#anchor",
		)
	case "items":
		if t.Bool() {
			return drawOldList(t, levels)
		}
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return drawOldList(t, levels)
	case "dependencies":
		if t.Bool() {
			return map[string]any{name(): []any{name()}}
		}
		return map[string]any{name(): drawOld(t, levels)}
	case "properties", "$defs":
		return map[string]any{name(): drawOld(t, levels)}
	}
	return drawOld(t, levels)
}

func drawOldList(t *drawtest.T, levels int) []any {
	list := []any{drawOld(t, levels)}
	if t.Bool() {
		list = append(list, drawOld(t, levels))
	}
	return list
}

func drawInstance(t *drawtest.T, levels int) any {
	kinds := 3
	if levels > 0 {
		kinds = 7
	}
	switch t.Int(0, kinds) {
	case 0:
		return "x"
	case 1, 2, 3:
		return int64(t.Int(0, 4))
	case 4, 5:
		items := make([]any, t.Int(0, 3))
		for i := range items {
			items[i] = drawInstance(t, levels-1)
		}
		return items
	default:
		members := map[string]any{}
		for _, name := range drawtest.Some(t, 3, "a", "b", "c") {
			members[name] = drawInstance(t, levels-1)
		}
		return members
	}
}

func sameValues(t *drawtest.T) {
	dialect := drawtest.One(t, "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
		"http://json-schema.org/draft-07/schema#")
	anchor := "$id"
	if strings.Contains(dialect, "04") {
		anchor = "id"
	}
	root := map[string]any{
		"$schema": dialect, "allOf": []any{drawOld(t, 3)},
		"definitions": map[string]any{
			"tuple": map[string]any{"items": []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}},
				"additionalItems": map[string]any{"type": "object"}},
			"depends": map[string]any{"dependencies": map[string]any{"b": map[string]any{"required": []any{"c"}}}},
			"named":   map[string]any{anchor: "#anchor", "minimum": int64(2)},
		},
	}
	raw, err := strictjson.Marshal(root)
	require.NoError(t, err)
	var values []any
	for range 8 {
		values = append(values, drawInstance(t, 3))
	}
	want, ok := accepts(raw, santhosh.Draft2020, values)
	if !ok {
		return // the draft doesn't have it
	}
	newest, converted, problems := modern(string(raw), true)
	require.True(t, converted)
	require.Empty(t, problems)
	got, ok := accepts(newest, santhosh.Draft2020, values)
	require.True(t, ok, "%s becomes %s", raw, newest)
	require.Equal(t, want, got, "%s becomes %s", raw, newest)
}

func TestModern_AcceptsTheSameValuesForAnySchema(t *testing.T) {
	t.Parallel()
	drawtest.Check(t, sameValues)
}

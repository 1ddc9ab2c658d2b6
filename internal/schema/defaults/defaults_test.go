package defaults_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func compile(t testing.TB, raw string) *schema.Schema {
	t.Helper()
	s, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{})
	require.Empty(t, problems)
	return s
}

func compileLenient(t testing.TB, raw string) *schema.Schema {
	t.Helper()
	s, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{Lenient: true})
	require.Empty(t, problems)
	return s
}

func parse(t testing.TB, text string) any {
	t.Helper()
	tree, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	require.NoError(t, err)
	return tree
}

const document = `{"type":"object",
	"properties":{
		"limit":{"type":"integer","default":20},
		"ref":{"$ref":"#/$defs/colour"},
		"own":{"$ref":"#/$defs/colour","default":"blue"},
		"object":{"type":"object","properties":{"a":{"default":[1,{"b":2}]}}},
		"filled":{"type":"object","properties":{"a":{"default":1}},"default":{}},
		"items":{"type":"array","prefixItems":[{"properties":{"n":{}}}],"items":{"$ref":"#/$defs/item"}},
		"map":{"type":"object","properties":{"named":{}},"additionalProperties":{"$ref":"#/$defs/item"}},
		"next":{"$ref":"#/$defs/item"},
		"both":{"$ref":"#/$defs/item","properties":{"own":{"default":6}}},
		"all":{"default":null}
	},
	"$defs":{
		"colour":{"type":"string","default":"red"},
		"item":{"type":"object","properties":{"n":{"type":"integer"},"m":{"type":"integer","default":0},"next":{"$ref":"#/$defs/item"}}}
	}}`

func TestFill_GivesAbsentPropertiesTheirDefaults(t *testing.T) {
	t.Parallel()
	const top = `"limit":20,"ref":"red","own":"blue","filled":{"a":1},"all":null`
	s := compile(t, document)
	for name, test := range map[string]struct{ given, want string }{
		"nothing":                   {`{}`, `{` + top + `}`},
		"given members stay":        {`{"limit":5,"ref":null}`, `{"limit":5,"ref":null,"own":"blue","filled":{"a":1},"all":null}`},
		"an object that is present": {`{"object":{}}`, `{` + top + `,"object":{"a":[1,{"b":2}]}}`},
		"items":                     {`{"items":[{},{"n":7},{"m":7}]}`, `{` + top + `,"items":[{},{"n":7,"m":0},{"m":7}]}`},
		"values of a map":           {`{"map":{"a":{},"named":{}}}`, `{` + top + `,"map":{"a":{"m":0},"named":{}}}`},
		"a recursive definition": {`{"next":{"next":{"next":{"m":1}}}}`,
			`{` + top + `,"next":{"m":0,"next":{"m":0,"next":{"m":1}}}}`},
		"beside a reference":        {`{"both":{"next":{}}}`, `{` + top + `,"both":{"m":0,"own":6,"next":{"m":0}}}`},
		"a given default is filled": {`{"filled":{}}`, `{` + top + `}`},
		"values of other types stay": {`{"object":[],"items":{},"map":"x","next":null}`,
			`{` + top + `,"object":[],"items":{},"map":"x","next":null}`},
		"an array in place of a map":  {`{"map":[{}]}`, `{` + top + `,"map":[{}]}`},
		"an object in place of a ref": {`{"ref":{}}`, `{"limit":20,"ref":{},"own":"blue","filled":{"a":1},"all":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := parse(t, test.given)
			filled, changed := s.Fill(given)
			assert.True(t, changed)
			assert.Equal(t, parse(t, test.want), filled)
			assert.Equal(t, parse(t, test.given), given, "Fill does not change what is given")
			again, changed := s.Fill(filled)
			assert.False(t, changed)
			assert.Equal(t, filled, again)
		})
	}
}

func TestThreat111_AnAbsentPropertyAndItsDefaultAreOne(t *testing.T) {
	t.Parallel()
	s := compile(t, document)
	absent, _ := s.Fill(parse(t, `{"object":{}}`))
	given, _ := s.Fill(parse(t, `{"object":{"a":[1,{"b":2}]},"limit":20.0,"ref":"red","own":"blue","filled":{"a":1},"all":null}`))
	assert.Equal(t, absent, given)
}

func TestFill_NeverSharesADefault(t *testing.T) {
	t.Parallel()
	s := compile(t, document)
	first, _ := s.Fill(parse(t, `{"object":{}}`))
	object := first.(map[string]any)["object"].(map[string]any)
	object["a"].([]any)[1].(map[string]any)["b"] = "changed"
	second, _ := s.Fill(parse(t, `{"object":{}}`))
	assert.Equal(t, parse(t, `[1,{"b":2}]`), second.(map[string]any)["object"].(map[string]any)["a"])
}

func TestFill_ReturnsTheSameTreeWithoutDefaults(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","properties":{"a":{"type":"object"}}}`)
	for _, text := range []string{`{}`, `{"a":{}}`, `null`, `[]`} {
		filled, changed := s.Fill(parse(t, text))
		require.False(t, changed)
		assert.Equal(t, parse(t, text), filled)
	}
}

// Each schema has a default that refuses every call that leaves out a member.
func TestNew_ReportsADefaultThatIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ raw, want string }{ // want lists pointers
		"by its own schema": {
			`{"type":"object","properties":{"a":{"default":5,"maximum":0}}}`, "/properties/a/default",
		},
		"once it is filled in itself": {
			`{"type":"object","properties":{"a":{"default":{},"properties":{"b":{"default":1}},"maxProperties":0}}}`,
			"/properties/a/default /properties/a/properties/b/default",
		},
		"beside a reference": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/d","maximum":0}},"$defs":{"d":{"default":5}}}`, "/$defs/d/default",
		},
		"by a part of an allOf": {
			`{"type":"object","properties":{"a":{"default":5}},"allOf":[{"properties":{"a":{"maximum":0}}}]}`, "/properties/a/default",
		},
		"by a pattern of its name": {
			`{"type":"object","properties":{"ab":{"default":5}},"patternProperties":{"^a":{"maximum":0}}}`, "/properties/ab/default",
		},
		"by a part that takes no other member": {
			`{"type":"object","properties":{"a":{"default":5}},"allOf":[{"additionalProperties":false}]}`, "/properties/a/default",
		},
		"by the schema that a reference leads to": {
			`{"type":"object","properties":{"o":{"$ref":"#/$defs/d","properties":{"a":{"default":5}}}},` +
				`"$defs":{"d":{"properties":{"a":{"maximum":0}}}}}`, "/properties/o/properties/a/default",
		},
		"by the names of members": {
			`{"type":"object","properties":{"ab":{"default":5}},"propertyNames":{"maxLength":1}}`, "/properties/ab/default",
		},
		"in an item": {
			`{"type":"object","properties":{"l":{"items":{"properties":{"a":{"default":5}},"additionalProperties":false,` +
				`"maxProperties":0}}}}`, "/properties/l/items/properties/a/default",
		},
		"in a value of a map": {
			`{"type":"object","additionalProperties":{"properties":{"a":{"default":5}},"maxProperties":0}}`,
			"/additionalProperties/properties/a/default",
		},
		"as one member too many": {
			`{"type":"object","properties":{"a":{"default":5},"q":{"type":"string"}},"required":["q"],"maxProperties":1}`,
			"/properties/a/default",
		},
		"beside a required object": {
			`{"type":"object","properties":{"a":{"default":5},"q":{"type":"object","properties":{"r":{"enum":["x"]}},"required":["r"]}},` +
				`"required":["q"],"maxProperties":1}`, "/properties/a/default",
		},
		"beside a default that is required": {
			`{"type":"object","properties":{"a":{"default":5},"q":{"default":1}},"required":["q"],"maxProperties":1}`,
			"/properties/a/default /properties/q/default",
		},
		"as one that requires another": {
			`{"type":"object","properties":{"a":{"default":5}},"dependentRequired":{"a":["b"]}}`, "/properties/a/default",
		},
		"by a not": {
			`{"type":"object","properties":{"o":{"properties":{"a":{"default":5},"k":{"const":"K"}},"required":["k"],` +
				`"not":{"required":["a"]}}}}`, "/properties/o/properties/a/default",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := schema.Compile(json.RawMessage(test.raw), schema.CompileOptions{})
			var got []string
			for _, p := range problems {
				assert.Equal(t, schema.RuleDefault, p.Rule)
				assert.NotEmpty(t, p.Message)
				assert.NotEmpty(t, p.Remedy)
				got = append(got, p.Field)
			}
			assert.Equal(t, test.want, strings.Join(got, " "))
			s := compileLenient(t, test.raw)
			for _, given := range []string{`{}`, `{"q":"x"}`, `{"o":{"k":"K"}}`, `{"l":[{}]}`, `{"ab":{}}`} {
				tree := parse(t, given)
				if filled, _ := s.Fill(tree); len(s.Validate(tree)) == 0 {
					assert.Empty(t, s.Validate(filled), "a lenient schema withholds the default: %s", given)
				}
			}
		})
	}
}

// Each keyword may refuse an object that gets the default, or a value around
// it. Some never do, but Build can't tell.
func TestNew_ReportsADefaultThatItCannotProve(t *testing.T) {
	t.Parallel()
	const (
		own    = "/properties/a/default"
		within = "/properties/o/properties/a/default"
		mapped = "/properties/m/additionalProperties/properties/a/default"
		listed = "/properties/l/items/properties/a/default"

		member   = `"properties":{"a":{"default":5}}`
		object   = `"properties":{"o":{` + member + `}}`
		mapping  = `"additionalProperties":{` + member + `}`
		list     = `"items":{` + member + `}`
		refusing = `{"properties":{"a":{"maximum":0}}}`
	)
	for _, test := range []struct{ raw, by, want string }{
		// of the object that gets the default
		{member + `,"maxProperties":9`, "/maxProperties", own},
		{member + `,"propertyNames":{"maxLength":9}`, "/propertyNames", own},
		{member + `,"patternProperties":{"^b":{}}`, "/patternProperties", own},
		{member + `,"dependentRequired":{"a":["b"]}`, "/dependentRequired", own},
		{member + `,"dependentSchemas":{"a":{}}`, "/dependentSchemas", own},
		{member + `,"enum":[{},{"a":5}]`, "/enum", own},
		{member + `,"const":{}`, "/const", own},
		{member + `,"allOf":[{"properties":{"a":{"maximum":9}}}]`, "/allOf/0/properties", own},
		{member + `,"allOf":[{"properties":{"a":{}},"additionalProperties":false}]`, "/allOf/0/additionalProperties", own},
		{member + `,"allOf":[{"unevaluatedProperties":{}}]`, "/allOf/0/unevaluatedProperties", own},
		{member + `,"allOf":[{"patternProperties":{"^a":{}}}]`, "/allOf/0/patternProperties", own},
		{member + `,"anyOf":[{"required":["a"]},{"required":["b"]}]`, "/anyOf/0/required", own},
		{member + `,"anyOf":[{"allOf":[{"required":["a"]}]},{}]`, "/anyOf/0/allOf/0/required", own},
		{member + `,"oneOf":[{"minProperties":1},{"required":["b"]}]`, "/oneOf/0/minProperties", own},
		{member + `,"not":{"dependentRequired":{"b":["a"]}}`, "/not/dependentRequired", own},
		{member + `,"not":{"$ref":"#/$defs/d"},"$defs":{"d":{"required":["a"]}}`, "/$defs/d/required", own},
		{member + `,"if":{"maxProperties":0},"then":false`, "/if/maxProperties", own},
		{member + `,"if":{"required":["b"]},"then":` + refusing, "/then/properties", own},
		{member + `,"if":{"required":["b"]},"else":` + refusing, "/else/properties", own},
		{member + `,"dependentSchemas":{"b":` + refusing + `}`, "/dependentSchemas/b/properties", own},
		{member + `,"$ref":"#/$defs/d","$defs":{"d":` + refusing + `}`, "/$defs/d/properties", own},
		{member + `,"$ref":"#/$defs/d","$defs":{"d":{"additionalProperties":{}}}`, "/$defs/d/additionalProperties", own},
		// of the member
		{`"properties":{"a":{"$ref":"#/$defs/d","maximum":9}},"$defs":{"d":{"default":5}}`, "/properties/a/maximum",
			"/$defs/d/default"},
		{`"properties":{"a":{"anyOf":[{"default":5},{"type":"null"}],"maximum":9}}`, "/properties/a/maximum",
			"/properties/a/anyOf/0/default"},
		// of a value around the object
		{object + `,"allOf":[{"properties":{"o":` + refusing + `}}]`, "/allOf/0/properties", within},
		{object + `,"patternProperties":{"^o":` + refusing + `}`, "/patternProperties", within},
		{object + `,"const":{"o":{}}`, "/const", within},
		{object + `,"$ref":"#/$defs/d","$defs":{"d":{"additionalProperties":` + refusing + `}}`,
			"/$defs/d/additionalProperties", within},
		{object + `,"anyOf":[{"properties":{"o":` + refusing + `}},{}]`, "/anyOf/0/properties", within},
		{`"properties":{"p":{` + object + `}},"not":{"properties":{"p":{}}}`, "/not/properties", "/properties/p" + within},
		{`"properties":{"m":{` + mapping + `,"allOf":[{"properties":{"o":` + refusing + `}}]}}`,
			"/properties/m/allOf/0/properties", mapped},
		{`"properties":{"m":{` + mapping + `,"not":{"patternProperties":{"^o":` + refusing + `}}}}`,
			"/properties/m/not/patternProperties", mapped},
		{`"properties":{"m":{` + mapping + `,"allOf":[{"additionalProperties":` + refusing + `}]}}`,
			"/properties/m/allOf/0/additionalProperties", mapped},
		{`"properties":{"l":{` + list + `,"uniqueItems":true}}`, "/properties/l/uniqueItems", listed},
		{`"properties":{"l":{` + list + `,"x-toolcontract-uniqueItems":true}}`, "/properties/l/x-toolcontract-uniqueItems", listed},
		{`"properties":{"l":{` + list + `,"contains":{"required":["a"]}}}`, "/properties/l/contains", listed},
		{`"properties":{"l":{` + list + `,"allOf":[{"items":` + refusing + `}]}}`, "/properties/l/allOf/0/items", listed},
		{`"properties":{"l":{` + list + `,"allOf":[{"prefixItems":[` + refusing + `]}]}}`, "/properties/l/allOf/0/prefixItems", listed},
		{`"properties":{"l":{` + list + `,"anyOf":[{"unevaluatedItems":false},{}]}}`, "/properties/l/anyOf/0/unevaluatedItems", listed},
	} {
		t.Run(test.by, func(t *testing.T) {
			t.Parallel()
			raw := `{"type":"object",` + test.raw + `}`
			_, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{})
			require.Len(t, problems, 1)
			assert.Equal(t, schema.RuleDefault+" "+test.want, problems[0].Rule+" "+problems[0].Field)
			assert.Contains(t, problems[0].Message, test.by+" may refuse")
			assert.Contains(t, problems[0].Remedy, "remove")
			_, problems = schema.Compile(json.RawMessage(raw), schema.CompileOptions{Direction: schema.Output})
			assert.Empty(t, problems, "nothing is filled into a result")

			s := compileLenient(t, raw)
			for _, given := range []string{`{}`, `{"o":{}}`, `{"p":{"o":{}}}`, `{"m":{"o":{}}}`, `{"l":[{},{}]}`} {
				_, changed := s.Fill(parse(t, given))
				assert.False(t, changed, "a lenient schema withholds the default: %s", given)
			}
		})
	}
}

func TestNew_AcceptsADefaultThatNoKeywordCanNotice(t *testing.T) {
	t.Parallel()
	const member = `"properties":{"a":{"default":5}}`
	for _, test := range []struct{ raw, given, want string }{
		{member + `,"required":["a"],"minProperties":1,"additionalProperties":false`, `{}`, `{"a":5}`},
		{member + `,"additionalProperties":{"maximum":0}`, `{}`, `{"a":5}`},
		{member + `,"unevaluatedProperties":false`, `{}`, `{"a":5}`},
		{member + `,"anyOf":[{"required":["b"]},{"required":["c"]}]`, `{"b":1}`, `{"a":5,"b":1}`},
		{member + `,"allOf":[{"$ref":"#/$defs/d"}],"$defs":{"d":{"type":"object","properties":{"b":{"maximum":9}}}}`, `{}`, `{"a":5}`},
		{member + `,"$ref":"#/$defs/d","$defs":{"d":{"properties":{"b":{"default":6}},"required":["a"]}}`, `{}`, `{"a":5,"b":6}`},
		{member + `,"if":{"properties":{"b":{"const":1}}},"then":{"required":["b"]}`, `{"b":1}`, `{"a":5,"b":1}`},
		{member + `,"dependentRequired":{"b":["a"]}`, `{"b":1}`, `{"a":5,"b":1}`},
		{member + `,"dependentSchemas":{"b":{"required":["c"]}}`, `{}`, `{"a":5}`},
		{`"properties":{"o":{` + member + `}},"maxProperties":1,"propertyNames":{"maxLength":1}`, `{"o":{}}`, `{"o":{"a":5}}`},
		{`"properties":{"o":{` + member + `}},"not":{"required":["o","p"]}`, `{"o":{}}`, `{"o":{"a":5}}`},
		{`"properties":{"o":{` + member + `}},"allOf":[{"properties":{"p":{"maxProperties":0}}}]`, `{"o":{}}`, `{"o":{"a":5}}`},
		{`"properties":{"m":{"properties":{"p":{}},"additionalProperties":{` + member + `}}}`, `{"m":{"o":{},"p":{}}}`,
			`{"m":{"o":{"a":5},"p":{}}}`},
		{`"properties":{"l":{"prefixItems":[{"maxProperties":0}],"items":{` + member + `},"maxItems":2}}`, `{"l":[{},{}]}`,
			`{"l":[{},{"a":5}]}`},
		{`"properties":{"l":{"items":{` + member + `}}},"allOf":[{"properties":{"k":{"uniqueItems":true}}}]`, `{"l":[{},{"a":5}]}`,
			`{"l":[{"a":5},{"a":5}]}`},
		{`"properties":{"a":{"$ref":"#/$defs/d","title":"A"}},"$defs":{"d":{"maximum":9,"default":5}}`, `{}`, `{"a":5}`},
	} {
		t.Run(test.raw, func(t *testing.T) {
			t.Parallel()
			s := compile(t, `{"type":"object",`+test.raw+`}`)
			filled, _ := s.Fill(parse(t, test.given))
			assert.Equal(t, parse(t, test.want), filled)
			assert.Empty(t, s.Validate(filled))
		})
	}
}

func TestNew_ReportsADefaultThatNoPathLeadsTo(t *testing.T) {
	t.Parallel()
	for keyword, test := range map[string]struct{ raw, want string }{ // want is a pointer
		"allOf": {`"allOf":[{"properties":{"a":{"default":1}}}]`, "/allOf/0/properties/a/default"},
		"anyOf": {`"properties":{"a":{"anyOf":[{"default":1},{"type":"string"}]}}`, "/properties/a/anyOf/0/default"},
		"oneOf": {`"oneOf":[{"properties":{"a":{"default":1}}}]`, "/oneOf/0/properties/a/default"},
		"not":   {`"properties":{"a":{"not":{"default":1,"type":"integer"}}}`, "/properties/a/not/default"},
		"if":    {`"if":{"properties":{"a":{"default":1}}}`, "/if/properties/a/default"},
		"then":  {`"if":{},"then":{"properties":{"a":{"default":1}}}`, "/then/properties/a/default"},
		"else":  {`"if":{},"else":{"properties":{"a":{"default":1}}}`, "/else/properties/a/default"},
		"dependentSchemas": {`"dependentSchemas":{"b":{"properties":{"a":{"default":1}}}}`,
			"/dependentSchemas/b/properties/a/default"},
		"patternProperties": {`"patternProperties":{"^a":{"properties":{"x":{"default":1}}}}`,
			"/patternProperties/^a/properties/x/default"},
		"additionalProperties": {`"patternProperties":{"^a":{}},"additionalProperties":{"properties":{"x":{"default":1}}}`,
			"/additionalProperties/properties/x/default"},
		"unevaluatedProperties": {`"unevaluatedProperties":{"properties":{"x":{"default":1}}}`,
			"/unevaluatedProperties/properties/x/default"},
		"propertyNames": {`"propertyNames":{"default":"a"}`, "/propertyNames/default"},
		"prefixItems": {`"properties":{"l":{"prefixItems":[{"properties":{"x":{"default":1}}}]}}`,
			"/properties/l/prefixItems/0/properties/x/default"},
		"contains": {`"properties":{"l":{"contains":{"properties":{"x":{"default":1}}}}}`,
			"/properties/l/contains/properties/x/default"},
		"properties": {`"properties":{"o":{"$ref":"#/$defs/d","properties":{"a":{}}}},"$defs":{"d":{"properties":{"a":{"default":1}}}}`,
			"/$defs/d/properties/a/default"},
		"items": {`"properties":{"l":{"$ref":"#/$defs/d","items":{}}},"$defs":{"d":{"items":{"default":1}}}`, "/$defs/d/items/default"},
	} {
		t.Run(keyword, func(t *testing.T) {
			t.Parallel()
			raw := `{"type":"object",` + test.raw + `}`
			_, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{})
			require.Len(t, problems, 1)
			assert.Equal(t, schema.RuleDefaultPath+" "+test.want, problems[0].Rule+" "+problems[0].Field)
			assert.Contains(t, problems[0].Message, "because "+keyword+" leads to it")
			assert.NotEmpty(t, problems[0].Remedy)
			_, problems = schema.Compile(json.RawMessage(raw), schema.CompileOptions{Direction: schema.Output})
			assert.Empty(t, problems, "nothing is filled into a result")

			s := compileLenient(t, raw)
			for _, given := range []string{`{}`, `{"ab":{},"b":{},"c":{}}`, `{"l":[{},{}]}`, `{"o":{}}`} {
				_, changed := s.Fill(parse(t, given))
				assert.False(t, changed, "a lenient schema does not fill it in: %s", given)
			}
		})
	}
}

func TestNew_ReportsADefaultOfASharedDefinitionThatAnotherKeywordUses(t *testing.T) {
	t.Parallel()
	_, problems := schema.Compile(json.RawMessage(`{"type":"object",
		"properties":{"one":{"$ref":"#/$defs/d"},"many":{"anyOf":[{"$ref":"#/$defs/d"},{"type":"string"}]}},
		"$defs":{"d":{"type":"object","properties":{"x":{"default":1}}}}}`), schema.CompileOptions{})
	require.Len(t, problems, 1)
	assert.Equal(t, "/$defs/d/properties/x/default", problems[0].Field)
	assert.Contains(t, problems[0].Message, "anyOf")
}

func TestFill_FillsTheObjectOfASchemaThatAlsoAcceptsNull(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","properties":{"o":{"anyOf":[{"$ref":"#/$defs/d"},{"type":"null"}],"default":null}},
		"$defs":{"d":{"type":"object","properties":{"x":{"default":1}}}}}`)
	for given, want := range map[string]string{`{}`: `{"o":null}`, `{"o":null}`: `{"o":null}`, `{"o":{}}`: `{"o":{"x":1}}`} {
		filled, _ := s.Fill(parse(t, given))
		assert.Equal(t, parse(t, want), filled)
		assert.Empty(t, s.Validate(filled))
	}
}

func TestNew_AcceptsADefaultThatFits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ raw, want string }{
		"one that its own schema completes": {`{"type":"object","properties":{"a":{"default":{},"properties":{"x":{"default":1}},` +
			`"required":["x"]}}}`, `{"a":{"x":1}}`},
		"items that their schema completes": {`{"type":"object","properties":{"a":{"default":[{}],` +
			`"items":{"properties":{"x":{"default":1}}}}}}`, `{"a":[{"x":1}]}`},
		"the nearest, beside a reference": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/d","default":1}},` +
			`"$defs":{"d":{"default":2}}}`, `{"a":1}`},
		"one behind two references": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},` +
			`"$defs":{"d":{"$ref":"#/$defs/e"},"e":{"default":2}}}`, `{"a":2}`},
		"one of a required member":   {`{"type":"object","properties":{"a":{"default":1}},"required":["a"]}`, `{"a":1}`},
		"one that nothing refers to": {`{"type":"object","$defs":{"d":{"properties":{"a":{"default":1}}}}}`, `{}`},
		"one of the root":            {`{"type":"object","default":{}}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			filled, _ := compile(t, test.raw).Fill(parse(t, `{}`))
			assert.Equal(t, parse(t, test.want), filled)
		})
	}
}

func TestThreat19_DefaultsThatBringOthersAreBounded(t *testing.T) {
	t.Parallel()
	wide := `"$defs":{"d0":{"properties":{"x":{"default":1}}}`
	for _, d := range []string{"d1", "d2", "d3", "d4", "d5"} {
		below := `{"$ref":"#/$defs/d` + string(d[1]-1) + `","default":{}}`
		wide += `,"` + d + `":{"properties":{` + `"a":` + below + `,"b":` + below + `,"c":` + below + `,"d":` + below + `,"e":` +
			below + `,"f":` + below + `,"g":` + below + `}}`
	}
	for name, raw := range map[string]string{
		"without end": `{"type":"object","properties":{"a":{"$ref":"#","default":{}}}}`,
		"too many":    `{"type":"object","properties":{"a":{"$ref":"#/$defs/d5","default":{}}},` + wide + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, lenient := range []bool{false, true} {
				start := time.Now()
				_, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{Lenient: lenient})
				require.Len(t, problems, 1)
				assert.Equal(t, schema.RuleRecursion, problems[0].Rule)
				assert.Less(t, time.Since(start), time.Minute)
			}
		})
	}
}

// The server behind a gateway writes its tools' schemas. Without a bound, some
// of these documents would take minutes or hours.
func TestThreat19_WorkOfCheckingDefaultsIsBounded(t *testing.T) {
	t.Parallel()
	list := func(n int, format string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(format, i, i+1)
		}
		return strings.Join(items, ",")
	}
	const schemas, some = 3000, 1500
	wide := `"d":{"allOf":[` + list(some, `{"minItems":%d,"title":"%d"}`) + `]}`
	for name, raw := range map[string]string{
		"members that share a wide schema": `"properties":{` + list(schemas, `"p%d":{"$ref":"#/$defs/d","title":"%d"}`) +
			`},"$defs":{"d":{"properties":{` + list(schemas, `"p%d":{"default":%d}`) + `}}}`,
		"each schema of allOf and each member": `"properties":{` + list(schemas, `"p%d":{"default":%d}`) +
			`},"allOf":[` + list(schemas, `{"minLength":%d,"title":"%d"}`) + `]`,
		"members of objects that share a wide allOf": `"properties":{` + list(some,
			`"p%d":{"properties":{"a":{"default":%d}},"allOf":[{"$ref":"#/$defs/d"}]}`) + `},"$defs":{` + wide + `}`,
		"defaults that share a wide allOf": `"properties":{` + list(schemas, `"p%d":{"default":%d,"allOf":[{"$ref":"#/$defs/d"}]}`) +
			`},"$defs":{` + wide + `}`,
		"long chains of references": `"properties":{` + list(schemas, `"p%d":{"$ref":"#/$defs/d0","title":"%d"}`) + `},"$defs":{` +
			list(schemas, `"d%d":{"$ref":"#/$defs/d%d"}`) + fmt.Sprintf(`,"d%d":{"default":1}}`, schemas),
		"long requirements": `"properties":{` + list(schemas, `"p%d":{"default":%d}`) + `},"not":{"required":[` +
			list(schemas, `"q%d-%d"`) + `]}`,
		"defaults that bring others": `"properties":{` + list(some, `"p%d":{"$ref":"#/$defs/d","default":{},"title":"%d"}`) +
			`},"$defs":{"d":{"properties":{` + list(schemas, `"p%d":{"default":%d}`) + `}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, lenient := range []bool{false, true} {
				start := time.Now()
				_, problems := schema.Compile(json.RawMessage(`{"type":"object",`+raw+`}`), schema.CompileOptions{Lenient: lenient})
				require.Len(t, problems, 1)
				assert.Equal(t, schema.RuleDefault, problems[0].Rule)
				assert.Contains(t, problems[0].Message, "takes too long")
				assert.Less(t, time.Since(start), time.Minute)
			}
		})
	}
}

func TestNew_ReportsAtMostAHundredDefaults(t *testing.T) {
	t.Parallel()
	var properties strings.Builder
	for i := range 200 {
		fmt.Fprintf(&properties, `"p%d":{"default":%d},`, i, i)
	}
	raw := `{"type":"object","properties":{` + properties.String() + `"q":{}},"maxProperties":0}`
	_, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{})
	assert.Len(t, problems, 100)
}

// A large document whose defaults fit must not be refused for its size.
func TestNew_ChecksALargeDocument(t *testing.T) {
	t.Parallel()
	var properties strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&properties, `"p%d":{"type":"object","default":{},"properties":{"x":{"type":"integer","default":%d},`+
			`"y":{"$ref":"#/$defs/d"}}},`, i, i)
	}
	s := compile(t, `{"type":"object","minProperties":0,"anyOf":[{"required":["other"]},{}],"properties":{`+properties.String()+
		`"last":{"default":1}},
		"$defs":{"d":{"type":"object","properties":{"z":{"default":1}}}}}`)
	filled, changed := s.Fill(parse(t, `{}`))
	assert.True(t, changed)
	assert.Len(t, filled, 1001)
}

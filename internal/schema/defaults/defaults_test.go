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
		"both":{"$ref":"#/$defs/item","properties":{"n":{"default":5},"own":{"default":6}}},
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
		"beside a reference":        {`{"both":{"next":{}}}`, `{` + top + `,"both":{"n":5,"m":0,"own":6,"next":{"m":0}}}`},
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

// Each schema has a default that refuses every call that leaves a member out.
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
			"/properties/a/default",
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

// No object of these schemas has only its required members, so the keyword must
// be found without one.
func TestNew_ReportsADefaultThatAnotherKeywordOfItsObjectRefuses(t *testing.T) {
	t.Parallel()
	for by, keywords := range map[string]string{
		"/patternProperties/^a":         `"patternProperties":{"^a":{"maximum":0}}`,
		"/allOf/0/properties/ab":        `"allOf":[{"properties":{"ab":{"maximum":0}}}]`,
		"/allOf/0/additionalProperties": `"allOf":[{"properties":{"a":{}},"additionalProperties":false}]`,
		"/$defs/d/properties/ab":        `"$ref":"#/$defs/d","$defs":{"d":{"properties":{"ab":{"maximum":0}}}}`,
		"/propertyNames":                `"propertyNames":{"maxLength":1}`,
	} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			raw := `{"type":"object","properties":{"ab":{"default":5}},"minProperties":2,` + keywords + `}`
			_, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{})
			require.Len(t, problems, 1)
			assert.Equal(t, schema.RuleDefault+" /properties/ab/default", problems[0].Rule+" "+problems[0].Field)
			assert.Contains(t, problems[0].Message, by)
			filled, _ := compileLenient(t, raw).Fill(parse(t, `{}`))
			assert.Equal(t, parse(t, `{}`), filled, "a lenient schema withholds the default")
		})
	}
}

// The object that gets the default is a member of another object, to which two
// schemas apply.
func TestNew_ReportsADefaultThatASchemaAboveItsObjectRefuses(t *testing.T) {
	t.Parallel()
	const object = `{"properties":{"a":{"default":5}}}`
	const refusing = `{"properties":{"a":{"maximum":0}}}`
	for name, test := range map[string]struct{ raw, by, given string }{
		"the others of a reference": {
			`"properties":{"o":` + object + `},"$ref":"#/$defs/d","$defs":{"d":{"additionalProperties":` + refusing + `}}`,
			"/$defs/d/additionalProperties/properties/a", `{"o":{}}`,
		},
		"a property of a part": {
			`"properties":{"o":` + object + `},"allOf":[{"properties":{"o":` + refusing + `}}]`, "/allOf/0/properties/o/properties/a",
			`{"o":{}}`,
		},
		"a property of the only branch": {
			`"properties":{"o":` + object + `},"anyOf":[{"properties":{"o":` + refusing + `}}]`, "/anyOf/0/properties/o/properties/a",
			`{"o":{}}`,
		},
		"a property of the only branch beside null": {
			`"properties":{"p":{"properties":{"o":` + object + `},"oneOf":[{"type":"null"},{"properties":{"o":` + refusing + `}}]}}`,
			"/properties/p/oneOf/1/properties/o/properties/a", `{"p":{"o":{}}}`,
		},
		"a pattern": {
			`"properties":{"o":` + object + `},"patternProperties":{"^o":` + refusing + `}`, "/patternProperties/^o/properties/a",
			`{"o":{}}`,
		},
		"two objects above": {
			`"properties":{"p":{"properties":{"o":` + object + `}}},"allOf":[{"properties":{"p":{"properties":{"o":` + refusing + `}}}}]`,
			"/allOf/0/properties/p/properties/o/properties/a", `{"p":{"o":{}}}`,
		},
		"a named member of a map": {
			`"properties":{"m":{"additionalProperties":` + object + `,"allOf":[{"properties":{"o":` + refusing + `}}]}}`,
			"/properties/m/allOf/0/properties/o/properties/a", `{"m":{"o":{}}}`,
		},
		"members of a map by a pattern": {
			`"properties":{"m":{"additionalProperties":` + object + `,"allOf":[{"patternProperties":{"^o":` + refusing + `}}]}}`,
			"/properties/m/allOf/0/patternProperties/^o/properties/a", `{"m":{"o":{}}}`,
		},
		"all members of a map": {
			`"properties":{"m":{"additionalProperties":` + object + `,"allOf":[{"additionalProperties":` + refusing + `}]}}`,
			"/properties/m/allOf/0/additionalProperties/properties/a", `{"m":{"o":{}}}`,
		},
		"the items of a part": {
			`"properties":{"l":{"items":` + object + `,"allOf":[{"items":` + refusing + `}]}}`, "/properties/l/allOf/0/items/properties/a",
			`{"l":[{}]}`,
		},
		"an item of a part": {
			`"properties":{"l":{"prefixItems":[{}],"items":` + object + `,"allOf":[{"prefixItems":[{},` + refusing + `]}]}}`,
			"/properties/l/allOf/0/prefixItems/1/properties/a", `{"l":[1,{}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := `{"type":"object",` + test.raw + `}`
			_, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{})
			require.Len(t, problems, 1)
			assert.Equal(t, schema.RuleDefault, problems[0].Rule)
			assert.Contains(t, problems[0].Message, test.by+",")
			given := parse(t, test.given)
			s := compileLenient(t, raw)
			require.Empty(t, s.Validate(given))
			filled, _ := s.Fill(given)
			assert.Empty(t, s.Validate(filled), "a lenient schema withholds the default")
		})
	}
}

func TestNew_AcceptsADefaultThatASchemaAboveItsObjectDoesNotApplyTo(t *testing.T) {
	t.Parallel()
	const object = `{"properties":{"a":{"default":5}}}`
	const refusing = `{"properties":{"a":{"maximum":0}}}`
	for name, test := range map[string]struct{ raw, given, want string }{
		"another property": {`"properties":{"o":` + object + `},"allOf":[{"properties":{"p":` + refusing + `}}]`, `{"o":{}}`,
			`{"o":{"a":5}}`},
		"a declared member": {`"properties":{"o":` + object + `},"allOf":[{"properties":{"o":{}},"additionalProperties":` +
			refusing + `}]`, `{"o":{}}`, `{"o":{"a":5}}`},
		"a property of the map": {`"properties":{"m":{"properties":{"o":{}},"additionalProperties":` + object +
			`,"allOf":[{"properties":{"o":` + refusing + `}}]}}`, `{"m":{"p":{}}}`, `{"m":{"p":{"a":5}}}`},
		"an item before": {`"properties":{"l":{"prefixItems":[{}],"items":` + object + `,"allOf":[{"prefixItems":[` + refusing +
			`]}]}}`, `{"l":[1,{}]}`, `{"l":[1,{"a":5}]}`},
		"one of two branches": {`"properties":{"o":` + object + `},"anyOf":[{"properties":{"o":` + refusing + `}},{}]`, `{"o":{}}`,
			`{"o":{"a":5}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := compile(t, `{"type":"object",`+test.raw+`}`)
			filled, _ := s.Fill(parse(t, test.given))
			assert.Equal(t, parse(t, test.want), filled)
			assert.Empty(t, s.Validate(filled))
		})
	}
}

// Two rings of definitions, whose lengths have no common divisor, apply to the
// same values. Each definition of one ring then meets each of the other.
func TestThreat19_SchemasThatMeetInEveryCombinationAreBounded(t *testing.T) {
	t.Parallel()
	ring := func(name string, size int) string {
		var defs strings.Builder
		for i := range size {
			fmt.Fprintf(&defs, `,"%s%d":{"properties":{"next":{"$ref":"#/$defs/%s%d"}}}`, name, i, name, (i+1)%size)
		}
		return defs.String()
	}
	for name, test := range map[string]struct {
		sizes [2]int
		rules []string
	}{
		"some":     {[2]int{20, 21}, nil},
		"too many": {[2]int{400, 401}, []string{schema.RuleDefault}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := `{"type":"object","properties":{"b":{"default":1},"next":{"$ref":"#/$defs/l0","allOf":[{"$ref":"#/$defs/r0"}]}},` +
				`"$defs":{"unused":{}` +
				ring("l", test.sizes[0]) + ring("r", test.sizes[1]) + `}}`
			for _, lenient := range []bool{false, true} {
				_, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{Lenient: lenient})
				var rules []string
				for _, p := range problems {
					rules = append(rules, p.Rule)
				}
				assert.Equal(t, test.rules, rules)
			}
		})
	}
}

func TestNew_AcceptsADefaultThatAnotherKeywordOfItsObjectDoesNotApplyTo(t *testing.T) {
	t.Parallel()
	for name, keywords := range map[string]string{
		"a pattern of other names":      `"patternProperties":{"^b":{"maximum":0}}`,
		"members that are not declared": `"additionalProperties":{"maximum":0}`,
		"a pattern beside the others":   `"allOf":[{"patternProperties":{"^a":{}},"additionalProperties":false}]`,
		"an alternative":                `"anyOf":[{"properties":{"ab":{"maximum":0}}},{"required":["ab"]}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := compile(t, `{"type":"object","properties":{"ab":{"default":5}},`+keywords+`}`)
			filled, _ := s.Fill(parse(t, `{}`))
			assert.Equal(t, parse(t, `{"ab":5}`), filled)
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
		"one of a required member": {`{"type":"object","properties":{"a":{"default":1}},"required":["a"]}`, `{"a":1}`},
		"one whose object cannot be made up": {`{"type":"object","properties":{"a":{"default":1},"q":{"type":"string",` +
			`"format":"uuid"}},` +
			`"required":["q"],"dependentRequired":{"a":["b"]}}`, `{"a":1}`},
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

// The server behind a gateway writes the schemas of its tools. Without a bound,
// each of these documents takes minutes or hours.
func TestThreat19_WorkOfCheckingDefaultsIsBounded(t *testing.T) {
	t.Parallel()
	list := func(n int, format string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(format, i, i+1)
		}
		return strings.Join(items, ",")
	}
	const schemas = 3000
	for name, raw := range map[string]string{
		"each pattern and each member": `{"type":"object","properties":{` + list(schemas, `"p%d":{"default":%d}`) +
			`},"patternProperties":{` + list(schemas, `"^p%dx*%d$":{}`) + `}}`,
		"each schema of allOf and each member": `{"type":"object","properties":{` + list(schemas, `"p%d":{"default":%d}`) +
			`},"allOf":[` + list(schemas, `{"minProperties":%d,"title":"%d"}`) + `]}`,
		"an object that each default breaks": `{"type":"object","properties":{` + list(schemas, `"p%d":{"default":%d}`) +
			`},"maxProperties":0}`,
		"a long chain of references": `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + list(schemas,
			`"d%d":{"$ref":"#/$defs/d%d"}`) + fmt.Sprintf(`,"d%d":{"default":1}}}`, schemas),
		"members that share a wide schema": `{"type":"object","properties":{` + list(schemas,
			`"p%d":{"$ref":"#/$defs/d","title":"%d"}`) + `},"$defs":{"d":{"properties":{` + list(schemas, `"p%d":{"default":%d}`) + `}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, lenient := range []bool{false, true} {
				start := time.Now()
				_, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{Lenient: lenient})
				require.Len(t, problems, 1)
				assert.Equal(t, schema.RuleDefault, problems[0].Rule)
				assert.Less(t, time.Since(start), time.Minute)
			}
		})
	}
}

// A large document whose defaults fit is not refused for its size.
func TestNew_ChecksALargeDocument(t *testing.T) {
	t.Parallel()
	var properties strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&properties, `"p%d":{"type":"object","default":{},"properties":{"x":{"type":"integer","default":%d},`+
			`"y":{"$ref":"#/$defs/d"}}},`, i, i)
	}
	s := compile(t, `{"type":"object","minProperties":0,"anyOf":[{"required":["last"]},{}],"properties":{`+properties.String()+
		`"last":{"default":1}},
		"$defs":{"d":{"type":"object","properties":{"z":{"default":1}}}}}`)
	filled, changed := s.Fill(parse(t, `{}`))
	assert.True(t, changed)
	assert.Len(t, filled, 1001)
}

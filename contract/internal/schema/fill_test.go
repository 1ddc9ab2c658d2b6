package schema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const defaults = `{"type":"object",
	"properties":{
		"limit":{"type":"integer","default":20},
		"ref":{"$ref":"#/$defs/colour"},
		"own":{"$ref":"#/$defs/colour","default":"blue"},
		"object":{"type":"object","properties":{"a":{"default":[1,{"b":2}]}}},
		"filled":{"type":"object","properties":{"a":{"default":1}},"default":{}},
		"items":{"type":"array","prefixItems":[{"properties":{"first":{"default":true}}}],"items":{"$ref":"#/$defs/item"}},
		"map":{"type":"object","additionalProperties":{"$ref":"#/$defs/item"},"patternProperties":{"^x":{"properties":{"x":{"default":"X"}}}}},
		"next":{"$ref":"#/$defs/item"},
		"choice":{"anyOf":[{"properties":{"a":{"default":1}}}]}
	},
	"allOf":[{"properties":{"all":{"default":null}}}],
	"$defs":{
		"colour":{"type":"string","default":"red"},
		"item":{"type":"object","properties":{"n":{"type":"integer","default":0},"next":{"$ref":"#/$defs/item"}}}
	}}`

func TestFillGivesAbsentPropertiesTheirDefaults(t *testing.T) {
	t.Parallel()
	const top = `"limit":20,"ref":"red","own":"blue","filled":{"a":1},"all":null`
	s := compile(t, defaults)
	for name, test := range map[string]struct{ given, want string }{
		"nothing":                           {`{}`, `{` + top + `}`},
		"what is given stays":               {`{"limit":5,"ref":null}`, `{"limit":5,"ref":null,"own":"blue","filled":{"a":1},"all":null}`},
		"an object that is present":         {`{"object":{}}`, `{` + top + `,"object":{"a":[1,{"b":2}]}}`},
		"items":                             {`{"items":[{},{"n":7},{}]}`, `{` + top + `,"items":[{"first":true},{"n":7},{"n":0}]}`},
		"values of a map":                   {`{"map":{"a":{},"xy":{}}}`, `{` + top + `,"map":{"a":{"n":0},"xy":{"x":"X"}}}`},
		"what recurs":                       {`{"next":{"next":{"next":{"n":1}}}}`, `{` + top + `,"next":{"n":0,"next":{"n":0,"next":{"n":1}}}}`},
		"not under anyOf":                   {`{"choice":{}}`, `{` + top + `,"choice":{}}`},
		"a default that is given and fills": {`{"filled":{}}`, `{` + top + `}`},
		"values of other types are left":    {`{"object":[],"items":{},"map":"x","next":null}`, `{` + top + `,"object":[],"items":{},"map":"x","next":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := parse(t, test.given)
			filled, changed := s.Fill(given)
			assert.True(t, changed)
			assert.Equal(t, parse(t, test.want), filled)
			assert.Equal(t, parse(t, test.given), given, "what was given is not changed")
			again, changed := s.Fill(filled)
			assert.False(t, changed)
			assert.Equal(t, filled, again)
		})
	}
}

func TestThreat111_AnAbsentPropertyAndItsDefaultAreOne(t *testing.T) {
	t.Parallel()
	s := compile(t, defaults)
	absent, _ := s.Fill(parse(t, `{"object":{}}`))
	given, _ := s.Fill(parse(t, `{"object":{"a":[1,{"b":2}]},"limit":20.0,"ref":"red","own":"blue","filled":{"a":1},"all":null}`))
	assert.Equal(t, absent, given)
}

func TestFillNeverSharesADefault(t *testing.T) {
	t.Parallel()
	s := compile(t, defaults)
	first, _ := s.Fill(parse(t, `{"object":{}}`))
	object := first.(map[string]any)["object"].(map[string]any)
	object["a"].([]any)[1].(map[string]any)["b"] = "changed"
	second, _ := s.Fill(parse(t, `{"object":{}}`))
	assert.Equal(t, parse(t, `[1,{"b":2}]`), second.(map[string]any)["object"].(map[string]any)["a"])
}

func TestFillLeavesWhatHasNoDefaults(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","properties":{"a":{"type":"object"}}}`)
	for _, text := range []string{`{}`, `{"a":{}}`, `null`, `[]`} {
		filled, changed := s.Fill(parse(t, text))
		require.False(t, changed)
		assert.Equal(t, parse(t, text), filled)
	}
}

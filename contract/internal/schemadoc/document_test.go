package schemadoc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	document, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	require.NoError(t, err)
	return document
}

func TestFollow_LeadsToSchemasOnly(t *testing.T) {
	t.Parallel()
	d := schemadoc.New(parse(t, `{"title":"root","$anchor":"top","default":{"$anchor":"no","title":"none"},
		"properties":{"$anchor":{"title":"a property"}},"$defs":{"a/b%":{"title":"escaped","$anchor":"word"},"yes":true}}`))
	for ref, title := range map[string]string{
		"#": "root", "#top": "root", "#word": "escaped", "#/$defs/a~1b%25": "escaped", "#/properties/$anchor": "a property",
	} {
		assert.Equal(t, title, d.Follow(ref)["title"], ref)
	}
	for _, ref := range []string{"", "#no", "#/default", "#/$defs", "#/$defs/yes", "#/$defs/none", "#%", "other#word", "https://example.com/#top"} {
		assert.Nil(t, d.Follow(ref), ref)
	}
	assert.NotNil(t, d.Resolve("#/$defs/yes"), "a schema without keywords")
}

// Every keyword that holds subschemas, with text, a list and an object as its
// value. Text is never a schema.
const everyKeyword = `{
	"not":{"title":1},"if":{"title":2},"then":{"title":3},"else":true,"additionalProperties":{"title":5},"propertyNames":{"title":6},
	"unevaluatedProperties":{"title":7},"items":{"title":8},"contains":{"title":9},"unevaluatedItems":{"title":10},"contentSchema":{"title":11},
	"allOf":[{"title":12},{"title":13}],"anyOf":[{"title":14}],"oneOf":[{"title":15}],"prefixItems":[{"title":16}],
	"properties":{"b/":{"title":17},"a":{"title":18}},"patternProperties":{"^x":{"title":19}},"dependentSchemas":{"a":{"title":20}},
	"$defs":{"d":{"title":21}},"definitions":{"d":{"title":22}},
	"enum":[{"title":0}],"const":{"title":0},"default":{"properties":{"a":{"title":0}}},"examples":[{"title":0}],"x-other":{"title":0},"$ref":"#/$defs/d"
}`

func TestEach_VisitsWhatNewFinds(t *testing.T) {
	t.Parallel()
	document := parse(t, everyKeyword)
	d := schemadoc.New(document)
	var pointers []string
	schemadoc.Each(document, func(step schemadoc.Step, subschema any) {
		at := step.From("")
		pointers = append(pointers, at)
		if keywords, ok := subschema.(map[string]any); ok {
			assert.Equal(t, keywords, d.At(at).Keywords, at)
			assert.NotEqual(t, int64(0), keywords["title"])
		}
	})
	assert.Len(t, pointers, 22)
	found := make([]string, 0, len(d.All))
	for _, n := range d.All[1:] {
		found = append(found, n.Pointer)
	}
	assert.Equal(t, found, pointers)
	assert.Contains(t, pointers, "/properties/b~1")
	assert.Len(t, d.Root.Edges, 22-2+1, "definitions apply by reference only")
	assert.Same(t, d.At("/$defs/d"), d.Root.Ref)
	schemadoc.Each("text", func(schemadoc.Step, any) { assert.Fail(t, "text is no schema") })
}

func TestMap_ReplacesEachSubschema(t *testing.T) {
	t.Parallel()
	document := parse(t, everyKeyword)
	var seen int
	mapped := schemadoc.Map(document, func(any) any { seen++; return false })
	assert.Equal(t, 22, seen)
	schemadoc.Each(mapped, func(step schemadoc.Step, subschema any) { assert.Equal(t, false, subschema, step) })
	assert.Equal(t, parse(t, everyKeyword), document, "the schema itself is unchanged")
	assert.Equal(t, parse(t, everyKeyword).(map[string]any)["default"], mapped.(map[string]any)["default"])
	assert.Equal(t, true, schemadoc.Map(true, nil))
}

func TestKeywords_AreThoseOfTheDraft(t *testing.T) {
	t.Parallel()
	assert.True(t, schemadoc.IsKeyword("minLength"))
	assert.False(t, schemadoc.IsKeyword("minLenght"))
	for keyword := range map[string]bool{"allOf": true, "$ref": true, "then": true} {
		assert.True(t, schemadoc.InPlace(keyword), keyword)
	}
	assert.False(t, schemadoc.InPlace("properties"))
	for _, keyword := range schemadoc.Keywords() {
		assert.True(t, schemadoc.IsKeyword(keyword))
	}
}

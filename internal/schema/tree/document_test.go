package tree_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	tree, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	require.NoError(t, err)
	return tree
}

func read(t *testing.T, text string) *tree.Document {
	t.Helper()
	document, err := tree.Read([]byte(text))
	require.NoError(t, err)
	return document
}

func TestResolve_LeadsToSchemasOnly(t *testing.T) {
	t.Parallel()
	d := read(t, `{"title":"root","$anchor":"top","default":{"$anchor":"no","title":"none"},
		"properties":{"$anchor":{"title":"a property"}},"$defs":{"a/b%":{"title":"escaped","$anchor":"word"},"yes":true},"allOf":[{"title":"first"}]}`)
	for ref, title := range map[string]string{
		"#": "root", "#top": "root", "#word": "escaped", "#/$defs/a~1b%25": "escaped", "#/properties/$anchor": "a property",
		"#/allOf/0": "first",
	} {
		if assert.NotNil(t, d.Resolve(ref), ref) {
			assert.Equal(t, title, d.Resolve(ref).Value("title"), ref)
		}
	}
	for _, ref := range []string{
		"", "#no", "#/default", "#/$defs", "#/$defs/none", "#%", "other#word", "https://example.com/#top",
		"#/$defs/a~2b", "#/allOf/00", "#/allOf/1", "#/allOf/-1", "#/allOf/x", "#/title", "#/properties", "#/allOf/0/0",
	} {
		assert.Nil(t, d.Resolve(ref), ref)
	}
	assert.Equal(t, tree.True, d.Resolve("#/$defs/yes").Form())
}

// Every keyword that holds subschemas, with a text, a list and an object as its
// value. A text is never a schema.
const everyKeyword = `{
	"not":{"title":1},"if":{"title":2},"then":{"title":3},"else":true,"additionalProperties":{"title":5},"propertyNames":{"title":6},
	"unevaluatedProperties":{"title":7},"items":{"title":8},"contains":{"title":9},"unevaluatedItems":{"title":10},
	"contentSchema":{"title":11},
	"allOf":[{"title":12},{"title":13}],"anyOf":[{"title":14}],"oneOf":[{"title":15}],"prefixItems":[{"title":16}],
	"properties":{"b/":{"title":17},"a":{"title":18}},"patternProperties":{"^x":{"title":19}},"dependentSchemas":{"a":{"title":20}},
	"$defs":{"d":{"title":21}},"definitions":{"d":{"title":22}},
	"enum":[{"title":0}],"const":{"title":0},"default":{"properties":{"a":{"title":0}}},"examples":[{"title":0}],
	"x-other":{"title":0},"$ref":"#/$defs/d"
}`

func TestRead_FindsEverySchema(t *testing.T) {
	t.Parallel()
	d := read(t, everyKeyword)
	assert.Len(t, d.All, 23)
	for i, n := range d.All {
		assert.Equal(t, i, n.Index())
		assert.Same(t, n, d.At(n.Pointer()), n.Pointer())
		assert.NotEqual(t, int64(0), n.Value("title"))
	}
	assert.Equal(t, "/properties/b~1", d.At("/properties/b~1").Pointer())
	assert.Equal(t, 22-2+1, d.Root.Degree(), "definitions apply by reference only")
	assert.Same(t, d.At("/$defs/d"), d.Root.Ref)
	assert.Len(t, tree.Of("text").All, 1)
}

func TestTree_RenamesKeywords(t *testing.T) {
	t.Parallel()
	d := read(t, everyKeyword)
	same := d.Tree(func(_ *tree.Node, keyword string, _ any) string { return keyword })
	assert.Equal(t, parse(t, everyKeyword), same)
	untitled := d.Tree(func(n *tree.Node, keyword string, _ any) string {
		switch {
		case keyword == "title" && !n.IsRoot():
			return ""
		case keyword == "$ref":
			return "x-ref"
		}
		return keyword
	})
	assert.Equal(t, parse(t, everyKeyword), d.Root.Written(), "the document itself is unchanged")
	for _, n := range tree.Of(untitled).All {
		assert.False(t, n.Has("title"), n.Pointer())
	}
	assert.Equal(t, "#/$defs/d", tree.Of(untitled).Root.Value("x-ref"))
	assert.Equal(t, d.Root.Value("default"), tree.Of(untitled).Root.Value("default"))
}

func TestWithout_KeepsTheSchemasOfADroppedKeyword(t *testing.T) {
	t.Parallel()
	d := read(t, `{"properties":{"a":{"$anchor":"a","title":"t","items":{"$ref":"#a"}}},"$ref":"#/properties/a"}`)
	c := d.Without(func(_ *tree.Node, keyword string) bool { return keyword == "properties" || keyword == "title" })
	assert.Equal(t, map[string]any{"$ref": "#/properties/a"}, c.Root.Written())
	assert.Len(t, c.All, len(d.All))
	a := c.At("/properties/a")
	require.NotNil(t, a)
	assert.False(t, a.Has("title"))
	assert.Same(t, a, c.Root.Ref)
	assert.Same(t, a, c.Resolve("#a"))
	assert.Same(t, a, c.At("/properties/a/items").Ref)
	assert.Equal(t, "t", d.At("/properties/a").Value("title"), "the document itself is unchanged")
}

func TestKeywords_AreThoseOfTheDraft(t *testing.T) {
	t.Parallel()
	assert.True(t, tree.IsKeyword("minLength"))
	assert.False(t, tree.IsKeyword("minLenght"))
	for _, keyword := range []string{"allOf", "$ref", "then"} {
		assert.True(t, tree.AppliesInPlace(keyword), keyword)
	}
	assert.False(t, tree.AppliesInPlace("properties"))
	for _, keyword := range tree.Keywords() {
		assert.True(t, tree.IsKeyword(keyword))
	}
	for keyword, annotates := range map[string]bool{
		"title": true, "$defs": true, "x-own": true, "x-toolcontract-uniqueItems": false, "type": false, "titel": false,
	} {
		assert.Equal(t, annotates, tree.Annotates(keyword), keyword)
	}
}

func TestAccessors_AnswerAboutMalformedKeywords(t *testing.T) {
	t.Parallel()
	n := read(t, `{"type":["string","integer","text"],"minLength":1.5,"maxLength":7,"minimum":"1","maximum":0.1,
		"required":["a",1],"title":3,"properties":[{}],"allOf":{"a":{}},"items":3,"uniqueItems":"true"}`).Root
	types, ok := n.Types()
	assert.False(t, ok)
	assert.Equal(t, tree.StringType|tree.IntegerType, types)
	assert.True(t, types.Accepts(int64(1)))
	assert.False(t, types.Accepts(1.5))
	_, ok = n.Size("minLength")
	assert.False(t, ok)
	size, ok := n.Size("maxLength")
	assert.True(t, ok)
	assert.Equal(t, 7, size)
	assert.Nil(t, n.Number("minimum"))
	assert.Equal(t, "1/10", n.Number("maximum").String())
	assert.Equal(t, []string{"a"}, n.Texts("required"))
	assert.Empty(t, n.Text("title"))
	assert.Empty(t, n.Below("properties"))
	assert.Empty(t, n.Below("allOf"))
	assert.Equal(t, tree.NoSchema, n.Child("items", "").Form())
	assert.False(t, n.Is("uniqueItems"))
}

func TestInPlace_FindsEachSchemaOnce(t *testing.T) {
	t.Parallel()
	d := read(t, `{"$ref":"#/$defs/a","not":{"title":"not"},"anyOf":[{"$ref":"#"},{"type":"null"}],"$defs":{"a":{"title":"a",`+
		`"allOf":[true,{"$ref":"#"}]}}}`)
	pointers := func(follow tree.Follow) []string {
		var all []string
		for _, n := range tree.InPlace([]*tree.Node{d.Root}, follow) {
			all = append(all, n.Pointer())
		}
		return all
	}
	assert.Equal(t, []string{"", "/anyOf/0", "/anyOf/1", "/not", "/$defs/a", "/$defs/a/allOf/1"}, pointers(tree.Everything))
	assert.Equal(t, []string{"", "/anyOf/0", "/anyOf/1", "/$defs/a", "/$defs/a/allOf/1"}, pointers(tree.Demanding))
	assert.Equal(t, []string{"", "/anyOf/0", "/$defs/a", "/$defs/a/allOf/1"}, pointers(tree.Always))
	many := read(t, `{"allOf":[`+strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/a"},`, 40), ",")+
		`],"$defs":{"a":{"$ref":"#"}}}`)
	assert.Len(t, tree.InPlace([]*tree.Node{many.Root}, tree.Always), 42)
}

func TestRead_BoundsADocument(t *testing.T) {
	t.Parallel()
	list := func(n int) string { return `{"allOf":[` + strings.TrimSuffix(strings.Repeat("{},", n), ",") + `]}` }
	read(t, list(tree.MaxSchemas-1))
	deep := list(9000)
	for range 10 {
		deep = `{"properties":{"` + strings.Repeat("n", 1000) + `":` + deep + `}}`
	}
	for name, text := range map[string]string{
		"too many schemas": list(tree.MaxSchemas), "long pointers": deep, "no JSON": `{`, "a name twice": `{"a":1,"a":2}`,
	} {
		_, err := tree.Read([]byte(text))
		var refusal *strictjson.Error
		assert.ErrorAs(t, err, &refusal, name)
	}
}

package schema_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
)

func ExampleCompile() {
	s, problems := schema.Compile(json.RawMessage(`{
		"type": "object",
		"properties": {"amount": {"type": "integer", "minimum": 1}, "currency": {"type": "string", "default": "EUR"}},
		"required": ["amount"],
		"additionalProperties": false
	}`), schema.CompileOptions{})
	fmt.Println(problems)
	filled, changed := s.Fill(map[string]any{"amuont": int64(5)})
	fmt.Println(filled, changed)
	for _, violation := range s.Validate(filled) {
		fmt.Println(violation.Rule, violation.Pointer, violation.Message)
	}
	// Output:
	// []
	// map[amuont:5 currency:EUR] true
	// schema.required /amount is required
	// schema.additionalProperties /amuont is not a known property; known: amount, currency (did you mean "amount"?)
}

// object returns the schema of an object with one property, v.
func object(property string) string {
	return `{"type":"object","properties":{"v":` + property + `}}`
}

func TestThreat01_APatternThatIsNotRE2IsABuildError(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		object(`{"type":"string","pattern":"^(?!x)"}`),
		object(`{"patternProperties":{"(?<=x)":{}}}`),
		object(`{"pattern":"("}`),
		object(`{"pattern":"` + strings.Repeat("a", 5000) + `"}`),
	} {
		for _, lenient := range []bool{false, true} {
			s, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{Lenient: lenient})
			assert.Nil(t, s)
			require.NotEmpty(t, problems)
			assert.Equal(t, schema.RulePattern, problems[0].Rule)
		}
	}
}

func TestThreat02_NothingIsLoaded(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(`{"type":"string"}`))
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "canary.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"const":"canary"}`), 0o600))
	for _, ref := range []string{
		server.URL + "/s.json", "https://example.invalid/s.json", "file://" + file, file, "canary.json", "//example.invalid/x",
		"", "mem:///schema", "mem:///schema#/properties/v", "https://json-schema.org/draft/2020-12/schema", "urn:x", "#/$defs/none",
		"#none", "#/properties", "#%zz",
	} {
		for _, lenient := range []bool{false, true} {
			s, problems := schema.Compile(json.RawMessage(object(`{"$ref":`+fmt.Sprintf("%q", ref)+`}`)),
				schema.CompileOptions{Lenient: lenient})
			assert.Nil(t, s, ref)
			assert.Contains(t, problemRules(problems), "schema.ref /properties/v/$ref", ref)
		}
	}
	assert.Zero(t, asked.Load())
}

func TestCompile_FollowsReferencesWithinTheDocument(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/tool","type":"object",
		"properties":{"a":{"$ref":"#/$defs/a~1b%25"},"b":{"$ref":"#word"},"c":{"$ref":"#/properties/a"},"d":{"$ref":"#"}},
		"$defs":{"a/b%":{"type":"integer"},"w":{"$anchor":"word","type":"string"}}}`)
	assert.Equal(t, []string{"schema.type /a", "schema.type /b", "schema.type /c", "schema.type /d/a"},
		rules(s.Validate(parse(t, `{"a":"","b":1,"c":"","d":{"a":""}}`))))
	assert.Empty(t, s.Validate(parse(t, `{"a":1,"b":"","c":2,"d":{"d":{}}}`)))
}

func TestCompile_RefusesSchemasThatCannotBeEnforced(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		raw  string
		want []string
	}{
		"text that is not JSON":      {`{"type":"object"`, []string{"schema.compile "}},
		"a keyword twice":            {`{"type":"object","type":"object"}`, []string{"schema.compile /type"}},
		"true":                       {`true`, []string{"schema.root "}},
		"a list":                     {`[]`, []string{"schema.root ", "schema.compile "}},
		"a root that is no object":   {`{"type":"array"}`, []string{"schema.root "}},
		"a root without a type":      {`{"properties":{}}`, []string{"schema.root "}},
		"a root that is a reference": {`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`, []string{"schema.root "}},
		"a root of several types":    {`{"type":["object","null"]}`, []string{"schema.root "}},
		"another draft": {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`,
			[]string{"schema.dialect /$schema"}},
		"a dialect of the author": {`{"$schema":"https://example.com/dialect","type":"object"}`,
			[]string{"schema.dialect /$schema"}},
		"a name for a subschema": {object(`{"$id":"https://example.com/v"}`), []string{"schema.ref /properties/v/$id"}},
		"a dynamic reference": {object(`{"$dynamicRef":"#x","$dynamicAnchor":"x"}`),
			[]string{"schema.ref /properties/v/$dynamicAnchor", "schema.ref /properties/v/$dynamicRef"}},
		"a recursive reference": {object(`{"$recursiveRef":"#"}`), []string{"schema.ref /properties/v/$recursiveRef"}},
		"dependencies": {object(`{"dependencies":{"a":["b"]}}`),
			[]string{"schema.dialect /properties/v/dependencies"}},
		"additionalItems": {object(`{"additionalItems":false}`),
			[]string{"schema.dialect /properties/v/additionalItems"}},
		"items of older drafts": {object(`{"items":[{"type":"string"}]}`),
			[]string{"schema.compile /properties/v/items"}},
		"a keyword that does not exist": {object(`{"minLenght":1}`), []string{"schema.unknown /properties/v/minLenght"}},
		"a format that nothing checks":  {object(`{"format":"emial"}`), []string{"schema.format /properties/v/format"}},
		"an encoding that nothing checks": {object(`{"contentEncoding":"base32"}`),
			[]string{"schema.format /properties/v/contentEncoding"}},
		"a schema of content that is no JSON": {object(`{"contentSchema":{}}`), []string{"schema.format /properties/v/contentSchema"}},
		"a bound that is text":                {object(`{"minimum":"1"}`), []string{"schema.compile /properties/v/minimum"}},
		"a type that does not exist":          {object(`{"type":"int"}`), []string{"schema.compile /properties/v/type"}},
		"a schema that is none":               {object(`5`), []string{"schema.compile /properties/v"}},
		"a default that is refused": {object(`{"type":"integer","default":"x"}`),
			[]string{"schema.default /properties/v/default"}},
		"a default refused by a reference": {`{"type":"object","properties":{"v":{"$ref":"#/$defs/n","default":0}},` +
			`"$defs":{"n":{"minimum":1}}}`, []string{"schema.default /properties/v/default"}},
		"an example that is refused": {object(`{"type":"integer","examples":[1,"x"]}`),
			[]string{"schema.example /properties/v/examples/1"}},
		"an enum value that is refused": {object(`{"type":"integer","enum":[1,"x"]}`), []string{"schema.enum /properties/v/enum/1"}},
		"several, and all at once": {
			`{"type":"object","properties":{"a":{"pattern":"(","type":"string"},"b":{"type":"string","default":1},"c":{"$ref":"x"},` +
				`"d":{"minimum":"x","maximum":1,"default":2}}}`,
			[]string{"schema.pattern /properties/a/pattern", "schema.default /properties/b/default", "schema.ref /properties/c/$ref",
				"schema.default /properties/d/default", "schema.compile /properties/d/minimum"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, problems := schema.Compile(json.RawMessage(test.raw), schema.CompileOptions{})
			assert.Nil(t, s)
			assert.Equal(t, test.want, problemRules(problems))
			for _, problem := range problems {
				assert.NotEmpty(t, problem.Message)
				assert.NotEmpty(t, problem.Remedy)
			}
		})
	}
}

func TestCompile_LenientIgnoresUnknownKeywordsAndFormats(t *testing.T) {
	t.Parallel()
	raw := `{"type":"object","nullable":true,"properties":{
		"a":{"type":"string","format":"password","contentEncoding":"base32","examples":[1],"enum":["x",2]},
		"b":{"type":"string","default":null}, "c":{"type":"string","default":"kept"}}}`
	_, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{})
	assert.Len(t, problems, 6)
	s, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{Lenient: true})
	require.Empty(t, problems)
	filled, changed := s.Fill(map[string]any{})
	assert.True(t, changed)
	assert.Equal(t, map[string]any{"c": "kept"}, filled, "a default that is refused is not filled in")
	assert.Equal(t, strings.Join(strings.Fields(raw), ""), string(s.JSON()), "the document stays as it was")
}

func TestCompile_AcceptsExtras(t *testing.T) {
	t.Parallel()
	compile(t, object(`{"x-order":1,"x-anything":{"$ref":"https://example.invalid"}}`))
}

func TestThreat19_ASchemaWithoutABoundIsABuildError(t *testing.T) {
	t.Parallel()
	laughs := `{"type":"object","properties":{"v":{"$ref":"#/$defs/d0"}},"$defs":{`
	for i := range 20 {
		laughs += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	laughs += `"d20":{}}}`
	for name, raw := range map[string]string{
		"itself": object(`{"$ref":"#/properties/v"}`),
		"a circle of references": `{"type":"object","properties":{"v":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},` +
			`"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`,
		"anyOf":                      object(`{"anyOf":[{"type":"null"},{"$ref":"#"}]}`),
		"anyOf, doubling":            `{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}`,
		"oneOf through items":        object(`{"items":{"oneOf":[{"$ref":"#/properties/v"},{"type":"string"}]}}`),
		"not":                        object(`{"not":{"properties":{"v":{"$ref":"#/properties/v"}}}}`),
		"if":                         object(`{"if":{"properties":{"v":{"$ref":"#"}}}}`),
		"then":                       object(`{"if":{},"then":{"properties":{"v":{"$ref":"#"}}}}`),
		"dependentSchemas":           object(`{"dependentSchemas":{"a":{"properties":{"v":{"$ref":"#"}}}}}`),
		"allOf twice":                `{"type":"object","properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`,
		"a property and its pattern": `{"type":"object","properties":{"a":{"$ref":"#"}},"patternProperties":{"a":{"$ref":"#"}}}`,
		"an item and contains":       object(`{"items":{"$ref":"#/properties/v"},"contains":{"$ref":"#/properties/v"}}`),
		"a default within itself":    `{"type":"object","properties":{"a":{"$ref":"#","default":{}}}}`,
		"two defaults, doubling":     `{"type":"object","properties":{"a":{"$ref":"#","default":{}},"b":{"$ref":"#","default":{}}}}`,
		"references that multiply":   laughs,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{})
			assert.Nil(t, s)
			require.NotEmpty(t, problems)
			for _, problem := range problems {
				assert.Equal(t, schema.RuleRecursion, problem.Rule, problem.Message)
			}
		})
	}
}

func TestThreat19_RecursionThroughPropertiesIsBounded(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}},"next":{"$ref":"#"},`+
		`"more":{"additionalProperties":{"$ref":"#"}}},"additionalProperties":false}`)
	deep := strings.Repeat(`{"kids":[{"next":`, 15) + `{"x":1}` + strings.Repeat(`}]}`, 15)
	wide := `{"kids":[` + strings.TrimSuffix(strings.Repeat(`{"x":{}},`, 30_000), ",") + `]}`
	for _, text := range []string{deep, wide} {
		tree := parse(t, text)
		start := time.Now()
		assert.NotEmpty(t, s.Validate(tree))
		assert.Less(t, time.Since(start), time.Minute)
	}
}

package contract_test

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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

func TestThreat01_APatternThatDoesNotCompileIsAMistake(t *testing.T) {
	t.Parallel()
	type tagged struct {
		Text string `json:"text" jsonschema:"pattern=^(?!x)"`
	}
	replaced := func(schema string) buildable { return reading().InputSchema(json.RawMessage(schema)) }
	for name, b := range map[string]buildable{
		"by a tag":                    readingOf[tagged](),
		"by a tag of a nested field":  readingOf[innerTags[[]tagged]](),
		"of a result":                 returning[tagged](),
		"by a schema":                 replaced(`{"type":"object","properties":{"text":{"type":"string","pattern":"^(?!x)"}}}`),
		"of names":                    replaced(`{"type":"object","patternProperties":{"^(?!x)":{}}}`),
		"in an unused definition":     replaced(`{"type":"object","$defs":{"a":{"type":"string","pattern":"(?<=x)y"}}}`),
		"with a back-reference":       replaced(`{"type":"object","properties":{"text":{"pattern":"(a)\\1"}}}`),
		"with an end that is missing": replaced(`{"type":"object","properties":{"text":{"pattern":"["}}}`),
		"in a schema of an item": replaced(`{"type":"object","properties":{"text":{"type":"array",` +
			`"items":{"pattern":"^(?!x)"}}}}`),
		"in a schema of a result": reading().OutputSchema(
			json.RawMessage(`{"type":"object","properties":{"id":{"pattern":"^(?!x)"}}}`)),
		"in a schema of a name's form": replaced(`{"type":"object","propertyNames":{"pattern":"^(?!x)"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, []string{"schema.pattern"}, mistakes(t, b))
		})
	}
}

func TestThreat02_AReferenceOutOfTheSchemaIsAMistakeAndIsNotFollowed(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	canary := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(`{"type":"string"}`))
	}))
	t.Cleanup(canary.Close)
	plain := httptest.NewServer(canary.Config.Handler)
	t.Cleanup(plain.Close)
	// The canaries serve a valid schema, so a reader that follows the reference
	// finds no mistake.
	file := filepath.Join(t.TempDir(), "canary.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"type":"string"}`), 0o600))

	for _, ref := range []string{
		canary.URL, plain.URL + "/a.json", plain.URL + "#/a", "file://" + file, file, "../canary.json", "canary.json#/$defs/a",
		"//" + strings.TrimPrefix(plain.URL, "http://"), "https://json-schema.org/draft/2020-12/schema", "urn:example:a",
		"#/$defs/none", "#anchor",
	} {
		for where, schema := range map[string]string{
			"a property":        `{"type":"object","properties":{"text":{"$ref":%q}}}`,
			"an item":           `{"type":"object","properties":{"text":{"type":"array","items":{"$ref":%q}}}}`,
			"an unused one":     `{"type":"object","$defs":{"a":{"$ref":%q}}}`,
			"a dynamic one":     `{"type":"object","properties":{"text":{"$dynamicRef":%q}}}`,
			"beside a base URI": `{"$id":"` + plain.URL + `","type":"object","properties":{"text":{"$ref":%q}}}`,
		} {
			for side, b := range map[string]buildable{
				"input":  reading().InputSchema(fmt.Appendf(nil, schema, ref)),
				"output": reading().OutputSchema(fmt.Appendf(nil, schema, ref)),
			} {
				_, err := b.Build()
				require.NotEmpty(t, contract.DeclarationErrors(err), "%s of %s to %q", side, where, ref)
				for _, e := range contract.DeclarationErrors(err) {
					assert.Equal(t, "schema.ref", e.Rule, "%s of %s to %q", side, where, ref)
				}
			}
		}
	}
	assert.Zero(t, asked.Load(), "nothing was loaded from the network")
}

func TestThreat03_AMalformedNameIsAMistake(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ tool, rule string }{
		"empty":                                 {"", "name.missing"},
		"with a blank":                          {"notes read", "name.form"},
		"with a blank at its end":               {"notes.read ", "name.form"},
		"with a line break at its end":          {"notes.read\n", "name.form"},
		"with a NUL":                            {"notes.read\x00", "name.form"},
		"with a slash":                          {"notes/read", "name.form"},
		"with a colon":                          {"notes:read", "name.form"},
		"with an umlaut":                        {"notes.größe", "name.form"},
		"with a Cyrillic letter":                {"nоtes.read", "name.form"},
		"with a full-width letter":              {"notes.ｒead", "name.form"},
		"with an invisible letter":              {"notes.re\u200bad", "name.form"},
		"with a letter that turns the text":     {"notes.\u202edaer", "name.form"},
		"with a byte that is no letter":         {"notes.\xff", "name.form"},
		"with a dot at its start":               {".read", "name.form"},
		"with a dot at its end":                 {"notes.", "name.form"},
		"with an empty part":                    {"notes..read", "name.form"},
		"of a dot":                              {".", "name.form"},
		"of 129 characters":                     {"notes." + strings.Repeat("a", 123), "name.form"},
		"without a domain and without FlatName": {"read", "name.flat"},
	} {
		t.Run("a name "+name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, []string{c.rule}, mistakes(t, complete(contract.New(c.tool, note)).Effect(risk.ReadOnly)))
			if c.rule == "name.form" {
				assert.Equal(t, []string{"alias.form"}, mistakes(t, reading().Aliases(c.tool)), "nor is it an alias")
				assert.Equal(t, []string{"auditEvent.form"}, mistakes(t, reading().AuditEvent(c.tool)), "nor an audit event")
			}
		})
	}
}

func TestThreat04_AContradictionNamesBothClauses(t *testing.T) {
	t.Parallel()
	critical := func() *noteBuilder { return writing().Effect(risk.Destructive) }
	for _, c := range []struct {
		name  string
		b     buildable
		rule  string
		names []string
	}{
		{"critical and autonomous", critical().Autonomous(true), "autonomous.contradiction", []string{"autonomous", "risk critical"}},
		{"high and autonomous", writing().Effect(risk.HighRiskWrite).Autonomous(true), "autonomous.contradiction",
			[]string{"autonomous", "risk high"}},
		{"forbidden and autonomous", reading().Risk(risk.Forbidden).Permissions("a").Autonomous(true), "autonomous.contradiction",
			[]string{"autonomous", "risk forbidden"}},
		{"critical and never asking", critical().ConfirmNever("No need."), "confirmation.critical", []string{"confirmation never",
			"risk critical"}},
		{"forbidden and an alias", writing().Risk(risk.Forbidden).Aliases("notes.old"), "forbidden.listed", []string{"risk forbidden",
			"aliases"}},
		{"forbidden and discovered", writing().Risk(risk.Forbidden).DiscoverWith("notes:write"), "forbidden.listed",
			[]string{"risk forbidden", "discoverWith"}},
		{"low and destructive", critical().Risk(risk.Low), "risk.floor", []string{"risk low", "effect destructive"}},
		{"security level 8 and never asking", writing().SecurityLevel(8).ConfirmNever("No need."), "security.verification",
			[]string{"security level 8", "confirmation never"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := c.b.Build()
			all := contract.DeclarationErrors(err)
			require.Len(t, all, 1)
			assert.Equal(t, c.rule, all[0].Rule)
			for _, name := range c.names {
				assert.Contains(t, all[0].Error(), name)
			}
		})
	}
}

// Tags with a mistake that the reflector would ignore silently.
type (
	misspeltKeyword struct {
		Text string `json:"text" jsonschema:"minLenght=3"`
	}
	wordForNumber struct {
		N int `json:"n" jsonschema:"minimum=abc"`
	}
	numberOnText struct {
		Text string `json:"text" jsonschema:"minimum=3"`
	}
	lengthOnNumber struct {
		N int `json:"n" jsonschema:"minLength=3"`
	}
	cutPattern struct {
		Text string `json:"text" jsonschema:"pattern=^[a-z]{1,3}$"`
	}
	strangeDefault struct {
		Text string `json:"text,omitempty" jsonschema:"enum=a,enum=b,default=c"`
	}
	requiredDefault struct {
		Text string `json:"text" jsonschema:"default=a"`
	}
	keywordTwice struct {
		N int `json:"n" jsonschema:"minimum=1,minimum=2"`
	}
	keywordWithoutValue struct {
		N int `json:"n" jsonschema:"minimum"`
	}
	wordForDefault struct {
		N int `json:"n,omitempty" jsonschema:"default=many"`
	}
)

func TestThreat110_AMistakeInATagIsAMistakeOfBuild(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		input  buildable
		nested buildable
		rule   string
	}{
		{"a misspelt keyword", readingOf[misspeltKeyword](), readingOf[innerTags[misspeltKeyword]](), "schema.tag.unknown"},
		{"a word for a number", readingOf[wordForNumber](), readingOf[innerTags[wordForNumber]](), "schema.tag.value"},
		{"a number's keyword on a text", readingOf[numberOnText](), readingOf[innerTags[numberOnText]](), "schema.tag.applies"},
		{"a text's keyword on a number", readingOf[lengthOnNumber](), readingOf[innerTags[lengthOnNumber]](), "schema.tag.applies"},
		{"a pattern that a comma cuts", readingOf[cutPattern](), readingOf[innerTags[cutPattern]](), "schema.tag.comma"},
		{"a default out of its enum", readingOf[strangeDefault](), readingOf[innerTags[strangeDefault]](), "schema.default"},
		{"a default of what is required", readingOf[requiredDefault](), readingOf[innerTags[requiredDefault]](), "schema.default"},
		{"a keyword twice", readingOf[keywordTwice](), readingOf[innerTags[keywordTwice]](), "schema.tag.duplicate"},
		{"a keyword without a value", readingOf[keywordWithoutValue](), readingOf[innerTags[keywordWithoutValue]](),
			"schema.tag.value"},
		{"a word for a number's default", readingOf[wordForDefault](), readingOf[innerTags[wordForDefault]](), "schema.tag.value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, b := range []buildable{c.input, c.nested} {
				_, err := b.Build()
				all := contract.DeclarationErrors(err)
				require.NotEmpty(t, all)
				var rules []string
				for _, e := range all {
					rules = append(rules, e.Rule)
					assert.True(t, strings.HasPrefix(e.Where, "inputSchema "), "%s names the field", e.Where)
					assert.NotEmpty(t, e.Remedy)
				}
				assert.Contains(t, rules, c.rule)
			}
		})
	}
}

func TestThreat111_ADefaultGivenOrNotIsOneCall(t *testing.T) {
	t.Parallel()
	type part struct {
		Size int `json:"size,omitempty" jsonschema:"default=3"`
	}
	type input struct {
		Text  string          `json:"text,omitempty" jsonschema:"default=none"`
		Part  part            `json:"part,omitzero"`
		Parts []part          `json:"parts,omitempty"`
		Named map[string]part `json:"named,omitempty"`
	}
	tool := open(t, readingOf[input]())
	for _, same := range [][2]string{
		{`{}`, `{"text":"none"}`},
		{`{"part":{}}`, `{"part":{"size":3},"text":"none"}`},
		{`{"parts":[{},{"size":4}]}`, `{"text":"none","parts":[{"size":3},{"size":4.0}]}`},
		{`{"named":{"a":{}}}`, `{"named":{"a":{"size":3}}}`},
	} {
		absent, violations := tool.Decode([]byte(same[0]))
		require.Empty(t, violations)
		given, violations := tool.Decode([]byte(same[1]))
		require.Empty(t, violations)
		assert.Equal(t, string(given.Canonical), string(absent.Canonical))
		assert.Equal(t, given.In, absent.In, "the handler sees the same")
	}
	absent, _ := tool.Decode([]byte(`{}`))
	other, _ := tool.Decode([]byte(`{"text":"some"}`))
	assert.NotEqual(t, string(other.Canonical), string(absent.Canonical))
}

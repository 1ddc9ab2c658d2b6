package schema_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// checkCompile fails if Compile doesn't report what the validator finds, or
// accepts a schema whose validator later doesn't compile. It returns whether
// the schema was accepted without the validator.
func checkCompile(t *testing.T, raw string, all ...schema.CompileOptions) (alone bool) {
	t.Helper()
	for _, opts := range all {
		got, problems := schema.Compile(json.RawMessage(raw), opts)
		want, wanted := schema.CompileByValidator(json.RawMessage(raw), opts)
		require.Equal(t, wanted, problems, raw)
		if want == nil {
			require.Nil(t, got, raw)
			continue
		}
		require.Equal(t, want.JSON(), got.JSON(), raw)
		require.True(t, got.Compiles(), raw)
		tree, err := strictjson.Parse([]byte(raw), strictjson.Limits{})
		require.NoError(t, err)
		alone = schema.IsWellFormed(tree)
	}
	return alone
}

var everyOption = []schema.CompileOptions{{}, {Lenient: true}, {Direction: schema.Output}}

// oddValues are values that few keywords accept.
var oddValues = []string{
	`null`, `true`, `false`, `""`, `"a"`, `"object"`, `"int32"`, `"^a$"`, `"("`, `"#"`, `"#/"`, `"#/$defs/d"`, `"#/$defs/%64"`,
	`"#/properties/v"`, `"#a"`,
	`"https://json-schema.org/draft/2020-12/schema"`, `"https://json-schema.org/draft/2020-12/schema#"`,
	`"http://json-schema.org/draft-07/schema#"`, `"\u202e"`,
	`-1`, `0`, `1`, `0.5`, `-0.0`, `1e300`, `3000000000`, `18446744073709551615`, `1.0`,
	`[]`, `[1]`, `["a"]`, `["a","a"]`, `["string"]`, `["string","null"]`, `["string","string"]`, `["any"]`, `[{}]`, `[true]`,
	`[{"type":"string"}]`, `[[]]`,
	`{}`, `{"a":{}}`, `{"a":1}`, `{"a":true}`, `{"a":["b"]}`, `{"a":["b","b"]}`, `{"a":[]}`, `{"(":{}}`, `{"type":"string"}`,
	`{"type":1}`, `{"minLength":-1}`,
}

func TestCompile_FindsWhatTheValidatorFinds(t *testing.T) {
	t.Parallel()
	keywords := append(tree.Keywords(), "x-own", "other", "$dynamicRef", "$vocabulary", "id")
	alone := 0
	for i, keyword := range keywords {
		for j, value := range oddValues {
			one := `"` + keyword + `":` + value
			opts := everyOption[(i+j)%len(everyOption)]
			if keyword != "type" && keyword != "$defs" {
				checkCompile(t, `{"type":"object",`+one+`,"$defs":{"d":{"type":"string"}}}`, opts)
			}
			if checkCompile(t, `{"type":"object","properties":{"v":{"type":"array","items":{"anyOf":[{`+one+
				`},{"type":"null"}]}}},"required":["v"]}`, opts) {
				alone++
			}
		}
	}
	assert.Greater(t, alone, 150, "most schemas that compile need no validator")
}

func TestCompile_FindsWhatTheValidatorFindsInReferences(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"d", "a b", "a%b", "%61", "é", "a^b", `a\"b`, "[x]", "a#b", "a~1b", "~0", "a/b", "{x}", "a|b",
		`a\\b`, "a?b", ":", ""} {
		for _, ref := range []string{"#/$defs/", "#/definitions/", "#/properties/", ""} {
			checkCompile(t, `{"type":"object","properties":{"v":{"$ref":"`+ref+name+`"},"d":{}},"$defs":{"`+name+
				`":{"type":"string"}},"definitions":{"`+name+`":{}}}`, everyOption...)
		}
	}
}

// The suite's schemas are those of the keywords themselves.
func TestCompile_FindsWhatTheValidatorFindsInTheTestSuite(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/suite/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var groups []struct{ Schema json.RawMessage }
		require.NoError(t, json.Unmarshal(data, &groups))
		for _, g := range groups {
			checkCompile(t, `{"type":"object","properties":{"v":`+string(g.Schema)+`},"required":["v"]}`, everyOption...)
		}
	}
}

func TestCompile_NeedsNoValidatorForGoTypes(t *testing.T) {
	t.Parallel()
	assert.True(t, checkCompile(t, derivedKeywords, everyOption...))
}

func FuzzCompile(f *testing.F) {
	f.Add(derivedKeywords)
	for _, value := range []string{`{"$ref":"#/properties/v"}`, `{"enum":[1,"a"],"type":"string"}`,
		`{"allOf":[{"minimum":1,"default":0}]}`, `{"patternProperties":{"^a":{}}}`} {
		f.Add(object(value))
	}
	f.Fuzz(func(t *testing.T, raw string) { checkCompile(t, raw, everyOption...) })
}

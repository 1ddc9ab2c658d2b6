package host_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/host"
)

// The drafts' own metaschemas, applied by a validator, are the oracle for the
// forms of keywords. It leaves out enum, on which validators differ, and
// $schema, which this validator reads itself.
func TestDrafts_AgreeWithTheirMetaschemas(t *testing.T) {
	t.Parallel()
	oracles := map[string]*jsonschema.Schema{}
	for draft, address := range map[string]string{
		"draft-07": "http://json-schema.org/draft-07/schema", "2020-12": "https://json-schema.org/draft/2020-12/schema",
	} {
		s, err := jsonschema.NewCompiler().Compile(address)
		require.NoError(t, err)
		oracles[draft] = s
	}
	keywords := strings.Fields("$id $ref $comment title description pattern format contentMediaType contentEncoding readOnly " +
		"writeOnly uniqueItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems " +
		"minProperties maxProperties required examples type allOf anyOf oneOf not if then else contains propertyNames " +
		"additionalProperties properties patternProperties definitions dependencies items additionalItems prefixItems $defs " +
		"dependentSchemas dependentRequired unevaluatedItems unevaluatedProperties contentSchema minContains maxContains deprecated " +
		"$dynamicRef $anchor $dynamicAnchor default const unknown")
	values := []string{
		`true`, `null`, `0`, `-1`, `1.5`, `2.0`, `1e2`, `"object"`, `"any"`, `""`, `[]`, `{}`,
		`["a","b"]`, `["a","a"]`, `["string","null"]`, `["string","any"]`,
		`[{}]`, `[true]`, `[1]`, `{"a":{}}`, `{"a":true}`, `{"a":["b"]}`, `{"a":["b","b"]}`,
		`{"a":[1]}`, `{"a":1}`, `{"type":"any"}`, `[{"minLength":-1}]`,
		`{"a":{"required":true}}`,
	}
	compared := 0
	for _, keyword := range keywords {
		for _, value := range values {
			text := fmt.Sprintf(`{%q:%s}`, keyword, value)
			for draft, oracle := range oracles {
				document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
				require.NoError(t, err)
				found, err := host.Invalid(text, draft)
				require.NoError(t, err)
				if is := oracle.Validate(document) != nil; is != (len(found) > 0) {
					assert.Equal(t, is, len(found) > 0, "%s in %s", text, draft)
				}
				compared++
			}
		}
	}
	assert.Greater(t, compared, 3000)
}

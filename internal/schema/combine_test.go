package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

func TestAnyOf_MovesReferencesOnly(t *testing.T) {
	t.Parallel()
	tree := json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
		`"properties":{"$ref":{"const":"#/$defs/a"},"next":{"$ref":"#"},"a":{"$ref":"#/$defs/a"},"b":{"enum":[{"$ref":"#"}]}},` +
		`"$defs":{"a":{"type":"string"}}}`)
	both, err := schema.AnyOf(json.RawMessage(`{"type":"object"}`), tree)
	require.NoError(t, err)
	assert.Equal(t, `{"type":"object","anyOf":[{"type":"object"},{"type":"object","properties":{"$ref":{"const":"#/$defs/a"},`+
		`"next":{"$ref":"#/anyOf/1"},"a":{"$ref":"#/anyOf/1/$defs/a"},"b":{"enum":[{"$ref":"#"}]}},"$defs":{"a":{"type":"string"}}}]}`,
		string(both))
	_, problems := schema.Compile(both, schema.CompileOptions{Lenient: true})
	assert.Empty(t, problems)
}

func TestWithProperties_KeepsTheRestOfTheSchema(t *testing.T) {
	t.Parallel()
	added := tree.Keyword{Name: "dryRun", Text: json.RawMessage(`{"type":"boolean"}`)}
	for given, want := range map[string]string{
		`{"type":"object"}`: `{"type":"object","properties":{"dryRun":{"type":"boolean"}}}`,
		`{"type":"object","properties":{"n":{"$ref":"#"}},` +
			`"$defs":{"root":{}}}`: `{"type":"object","properties":{"n":{"$ref":"#/$defs/root_"},"dryRun":{"type":"boolean"}},` +
			`"$defs":{"root":{},"root_":{"type":"object","properties":{"n":{"$ref":"#/$defs/root_"}}}}}`,
	} {
		got, problems := schema.WithProperties(json.RawMessage(given), added)
		require.Empty(t, problems, given)
		assert.Equal(t, want, string(got))
	}
	for given, field := range map[string]string{
		`{"type":"object","properties":{"dryRun":{}}}`: "/properties/dryRun",
		`{"type":"object","maxProperties":3}`:          "/maxProperties",
		`{"type":"object","patternProperties":{}}`:     "/patternProperties",
	} {
		got, problems := schema.WithProperties(json.RawMessage(given), added)
		assert.Nil(t, got)
		require.Len(t, problems, 1, given)
		assert.Equal(t, schema.RuleProperty, problems[0].Rule)
		assert.Equal(t, field, problems[0].Field)
	}
}

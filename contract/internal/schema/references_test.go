package schema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func TestReferencesLeadToSchemasAlone(t *testing.T) {
	t.Parallel()
	document, err := strictjson.Parse([]byte(`{"title":"root","$anchor":"top","default":{"$anchor":"no","title":"none"},
		"properties":{"$anchor":{"title":"a property"}},"$defs":{"a/b%":{"title":"escaped","$anchor":"word"},"yes":true}}`), strictjson.Limits{})
	require.NoError(t, err)
	follow := schema.References(document)
	for ref, title := range map[string]string{
		"#": "root", "#top": "root", "#word": "escaped", "#/$defs/a~1b%25": "escaped", "#/properties/$anchor": "a property",
	} {
		target, ok := follow(ref).(map[string]any)
		require.True(t, ok, ref)
		assert.Equal(t, title, target["title"], ref)
	}
	for _, ref := range []string{"", "#no", "#/default", "#/$defs", "#/$defs/yes", "#/$defs/none", "#%", "other#word", "https://example.com/#top"} {
		assert.Nil(t, follow(ref), ref)
	}
}

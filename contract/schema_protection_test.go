package contract_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
)

type protectedNote struct {
	Text string `json:"text" contract:"secret"`
}

func places(err error) (all []string) {
	for _, e := range contract.DeclarationErrors(err) {
		all = append(all, e.Rule+" "+e.Where)
	}
	return all
}

func TestBuild_ASchemaPublishesNoProtectionThatNothingEnforces(t *testing.T) {
	t.Parallel()
	const secret = `{"type":"object","properties":{"text":{"type":"string","x-secret":true}}}`
	const nested = `{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"string","x-review":true,` +
		`"x-sensitive":true}}}`
	for name, test := range map[string]struct {
		tool buildable
		want []string
	}{
		"raw arguments": {readingOf[json.RawMessage]().InputSchema(json.RawMessage(secret)),
			[]string{"schema.protection inputSchema /properties/text/x-secret"}},
		"a map": {readingOf[map[string]string]().InputSchema(json.RawMessage(secret)),
			[]string{"schema.protection inputSchema /properties/text/x-secret"}},
		"a definition, two keywords": {readingOf[map[string]string]().InputSchema(json.RawMessage(nested)),
			[]string{"schema.protection inputSchema /$defs/d/x-sensitive", "schema.protection inputSchema /$defs/d/x-review"}},
		"a raw result": {returning[json.RawMessage]().OutputSchema(
			json.RawMessage(`{"type":"object","properties":{"text":{"x-sensitive":true}}}`)),
			[]string{"schema.protection outputSchema /properties/text/x-sensitive"}},
		"a keyword that is false": {readingOf[json.RawMessage]().InputSchema(
			json.RawMessage(`{"type":"object","properties":{"text":{"x-secret":false}}}`)), nil},
		"a member of that name": {readingOf[json.RawMessage]().InputSchema(
			json.RawMessage(`{"type":"object","properties":{"x-secret":true}}`)), nil},
		"a map of structs with tags": {readingOf[map[string]protectedNote]().InputSchema(
			json.RawMessage(`{"type":"object","additionalProperties":{"type":"object","properties":{"text":{"type":"string",` +
				`"x-secret":true}}}}`)), nil},
		"a struct with the field tags": {readingOf[protectedNote]().InputSchema(json.RawMessage(secret)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := test.tool.Build()
			assert.Equal(t, test.want, places(err))
		})
	}
}

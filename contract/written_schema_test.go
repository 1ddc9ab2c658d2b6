package contract_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
)

type (
	boundPart struct {
		Amount int `json:"amount"`
	}
	boundInput struct {
		Text  string               `json:"text"`
		Part  *boundPart           `json:"part"`
		Parts []boundPart          `json:"parts"`
		Named map[string]boundPart `json:"named"`
		Free  json.RawMessage      `json:"free"`
		Any   any                  `json:"any"`
		Count int                  `json:"count"`
		Quote int                  `json:"quote,string"`
		Bytes []byte               `json:"bytes"`
		Flag  *bool                `json:"flag"`
		Since time.Time            `json:"since"`
		boundEmbedded
	}
	boundEmbedded struct {
		Inner string `json:"inner"`
	}
)

func TestBuild_InputSchemaDemandsNoMoreThanTheTypeHas(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		schema string
		where  []string
	}{
		"a property that the type lacks": {`{"type":"object","properties":{"text":{},"Text":{}}}`,
			[]string{"inputSchema /properties/Text"}},
		"a member that is required and not declared": {
			`{"type":"object","properties":{"text":{}},"required":["text","note"]}`, []string{"inputSchema /required/1"},
		},
		"a required property": {`{"type":"object","properties":{"note":{}},"required":["note"]}`,
			[]string{"inputSchema /properties/note"}},
		"in a pointer": {`{"type":"object","properties":{"part":{"properties":{"sum":{}}}}}`,
			[]string{"inputSchema /properties/part/properties/sum"}},
		"in a list": {`{"type":"object","properties":{"parts":{"items":{"required":["sum"]}}}}`,
			[]string{"inputSchema /properties/parts/items/required/0"}},
		"in a map": {`{"type":"object","properties":{"named":{"additionalProperties":{"properties":{"sum":{}}}}}}`,
			[]string{"inputSchema /properties/named/additionalProperties/properties/sum"}},
		"in a definition": {`{"type":"object","properties":{"part":{"$ref":"#/$defs/p"}},` +
			`"$defs":{"p":{"properties":{"sum":{}}}}}`, []string{"inputSchema /$defs/p/properties/sum"}},
		"in one of several forms": {`{"type":"object","oneOf":[{"required":["text"]},{"required":["note"]}]}`,
			[]string{"inputSchema /oneOf/1/required/0"}},
		"another JSON type": {`{"type":"object","properties":{"text":{"type":"integer"}}}`,
			[]string{"inputSchema /properties/text/type"}},
		"other JSON types": {`{"type":"object","properties":{"count":{"type":["string","boolean"]}}}`,
			[]string{"inputSchema /properties/count/type"}},
		"another JSON type of a pointer": {`{"type":"object","properties":{"flag":{"type":"string"}}}`,
			[]string{"inputSchema /properties/flag/type"}},
		"a list for an object": {`{"type":"object","properties":{"part":{"type":"array"}}}`,
			[]string{"inputSchema /properties/part/type"}},
		"another JSON type in a list": {`{"type":"object","properties":{"parts":{"items":{"type":"string"}}}}`,
			[]string{"inputSchema /properties/parts/items/type"}},
		"another JSON type in one of two forms": {
			`{"type":"object","properties":{"text":{"anyOf":[{"type":"string"},{"type":"array"}]}}}`,
			[]string{"inputSchema /properties/text/anyOf/1/type"}},
		"in what a member demands": {`{"type":"object","dependentRequired":{"text":["note"]}}`,
			[]string{"inputSchema /dependentRequired/text/0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readingOf[boundInput]().InputSchema(json.RawMessage(test.schema)).Build()
			var where []string
			for _, e := range contract.DeclarationErrors(err) {
				assert.Equal(t, "schema.bind", e.Rule)
				where = append(where, e.Where)
			}
			assert.Equal(t, test.where, where)
		})
	}
}

func TestBuild_InputSchemaMayDemandWhatTheTypeHas(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"less than the type": `{"type":"object","properties":{"text":{}}}`,
		"every kind of member": `{"type":"object","properties":{"inner":{},"part":{"properties":{"amount":{}},` +
			`"required":["amount"]},"parts":{"items":{"properties":{"amount":{}}}}},"required":["text"]}`,
		"members of free values": `{"type":"object","properties":{"free":{"properties":{"x":{}}},"any":{"required":["x"]},` +
			`"named":{"required":["x"]}}}`,
		"a member that is forbidden":       `{"type":"object","properties":{"note":false}}`,
		"a member that is named in a not":  `{"type":"object","not":{"required":["note"]}}`,
		"a member that is named in a test": `{"type":"object","if":{"required":["note"]},"then":{"required":["text"]}}`,
		"JSON types that the type can hold": `{"type":"object","properties":{"text":{"type":["string","null","integer"]},` +
			`"count":{"type":"number"},"quote":{"type":"string"},` +
			`"bytes":{"type":"string"},"flag":{"type":"boolean"},"since":{"type":"string"},"part":{"type":["object","null"]},` +
			`"any":{"type":"array"}}}`,
		"a circle": `{"type":"object","properties":{"any":{"$ref":"#"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			build(t, readingOf[boundInput]().InputSchema(json.RawMessage(schema)))
		})
	}
}

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

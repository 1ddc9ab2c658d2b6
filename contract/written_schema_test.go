package contract_test

import (
	"encoding/json"
	"strings"
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
		"in a pointer": {`{"type":"object","properties":{"part":{"additionalProperties":false,"properties":{"sum":{}}}}}`,
			[]string{"inputSchema /properties/part/properties/sum"}},
		"in a list": {`{"type":"object","properties":{"parts":{"items":{"additionalProperties":false,"required":["sum"]}}}}`,
			[]string{"inputSchema /properties/parts/items/required/0"}},
		"in a map": {`{"type":"object","properties":{"named":{"additionalProperties":{"additionalProperties":false,"properties":{"sum":{}}}}}}`,
			[]string{"inputSchema /properties/named/additionalProperties/properties/sum"}},
		"in a definition": {`{"type":"object","properties":{"part":{"$ref":"#/$defs/p"}},` +
			`"$defs":{"p":{"additionalProperties":false,"properties":{"sum":{}}}}}`, []string{"inputSchema /$defs/p/properties/sum"}},
		"in one of several forms": {`{"type":"object","oneOf":[{"required":["text"]},{"required":["note"]}]}`,
			[]string{"inputSchema /oneOf/1/required/0"}},
		"another JSON type": {`{"type":"object","properties":{"text":{"type":"integer"}}}`,
			[]string{"inputSchema /properties/text/type"}},
		"other JSON types": {`{"type":"object","properties":{"count":{"type":["string","boolean"]}}}`,
			[]string{"inputSchema /properties/count/type"}},
		"another JSON type of a pointer": {`{"type":"object","properties":{"flag":{"type":"string"}}}`,
			[]string{"inputSchema /properties/flag/type"}},
		"a list for an object": {`{"type":"object","properties":{"part":{"type":"array","additionalProperties":false}}}`,
			[]string{"inputSchema /properties/part/type"}},
		"another JSON type in a list": {`{"type":"object","properties":{"parts":{"items":{"type":"string"}}}}`,
			[]string{"inputSchema /properties/parts/items/type"}},
		"another JSON type in one of two forms": {
			`{"type":"object","properties":{"text":{"anyOf":[{"type":"string"},{"type":"array"}]}}}`,
			[]string{"inputSchema /properties/text/anyOf/1/type"}},
		"a JSON type beside one that fits": {`{"type":"object","properties":{"text":{"type":["string","integer"]}}}`,
			[]string{"inputSchema /properties/text/type"}},
		"another JSON type by a pattern": {`{"type":"object","allOf":[{"patternProperties":{"^te":{"type":"integer"}}}]}`,
			[]string{"inputSchema /allOf/0/patternProperties/^te/type"}},
		"in what a member demands": {`{"type":"object","dependentRequired":{"text":["note"]}}`,
			[]string{"inputSchema /dependentRequired/text/0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readingOf[boundInput]().InputSchema(closed(test.schema)).Build()
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
		"every kind of member": `{"type":"object","properties":{"inner":{},"part":{"additionalProperties":false,"properties":{"amount":{}},` +
			`"required":["amount"]},"parts":{"items":{"additionalProperties":false,"properties":{"amount":{}}}}},"required":["text"]}`,
		"members of free values": `{"type":"object","properties":{"free":{"properties":{"x":{}}},"any":{"required":["x"]},` +
			`"named":{"required":["x"],"additionalProperties":{"additionalProperties":false}}}}`,
		"a member that is forbidden":       `{"type":"object","properties":{"note":false}}`,
		"a member that is named in a not":  `{"type":"object","not":{"required":["note"]}}`,
		"a member that is named in a test": `{"type":"object","if":{"required":["note"]},"then":{"required":["text"]}}`,
		"JSON types that the type can hold": `{"type":"object","properties":{"text":{"type":["string","null"]},` +
			`"count":{"type":"number"},"quote":{"type":"string"},` +
			`"bytes":{"type":"string"},"flag":{"type":"boolean"},"since":{"type":"string"},"part":{"type":["object","null"],"additionalProperties":false},` +
			`"any":{"type":"array"}}}`,
		"a circle": `{"type":"object","properties":{"any":{"$ref":"#"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			build(t, readingOf[boundInput]().InputSchema(closed(schema)))
		})
	}
}

// closed returns a schema that accepts only the members it names.
func closed(schema string) json.RawMessage {
	return json.RawMessage(`{"additionalProperties":false,` + strings.TrimPrefix(schema, "{"))
}

func TestBuild_InputSchemaAcceptsNoMoreMembersThanTheTypeHas(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		schema string
		where  []string
	}{
		"open by default": {`{"type":"object","properties":{"text":{}}}`, []string{"inputSchema"}},
		"open":            {`{"type":"object","additionalProperties":true}`, []string{"inputSchema /additionalProperties"}},
		"open to some values": {`{"type":"object","additionalProperties":{"minLength":1}}`,
			[]string{"inputSchema /additionalProperties"}},
		"open to what nothing else names": {`{"type":"object","unevaluatedProperties":{"type":"string"}}`,
			[]string{"inputSchema /unevaluatedProperties"}},
		"open to a pattern": {`{"type":"object","patternProperties":{"^x-":{}},"additionalProperties":false}`,
			[]string{"inputSchema /patternProperties/^x-"}},
		"open to a pattern of a branch": {`{"type":"object","anyOf":[{"patternProperties":{"^x-":{}}}],"unevaluatedProperties":false}`,
			[]string{"inputSchema /anyOf/0/patternProperties/^x-"}},
		"a branch is open": {`{"type":"object","oneOf":[{"additionalProperties":false},{"required":["text"]}]}`,
			[]string{"inputSchema"}},
		"a negation closes nothing": {`{"type":"object","not":{"additionalProperties":false}}`, []string{"inputSchema"}},
		"in a pointer": {`{"type":"object","properties":{"part":{"type":"object"}},"additionalProperties":false}`,
			[]string{"inputSchema /properties/part"}},
		"in a pointer to anything": {`{"type":"object","properties":{"part":true},"additionalProperties":false}`,
			[]string{"inputSchema /properties/part"}},
		"in a list": {`{"type":"object","properties":{"parts":{"items":{}}},"additionalProperties":false}`,
			[]string{"inputSchema /properties/parts/items"}},
		"in a list of anything": {`{"type":"object","properties":{"parts":{"type":"array"}},"additionalProperties":false}`,
			[]string{"inputSchema /properties/parts"}},
		"in a map": {`{"type":"object","properties":{"named":{"additionalProperties":{"type":"object"}}},"additionalProperties":false}`,
			[]string{"inputSchema /properties/named/additionalProperties"}},
		"in a map of anything": {`{"type":"object","properties":{"named":{}},"additionalProperties":false}`,
			[]string{"inputSchema /properties/named"}},
		"in a definition": {`{"type":"object","properties":{"part":{"$ref":"#/$defs/p"}},"additionalProperties":false,` +
			`"$defs":{"p":{"additionalProperties":true}}}`, []string{"inputSchema /$defs/p/additionalProperties"}},
		"closed":                            {`{"type":"object","additionalProperties":false}`, nil},
		"closed to what nothing else names": {`{"type":"object","allOf":[{"properties":{"text":{}}}],"unevaluatedProperties":false}`, nil},
		"closed by what it refers to":       {`{"$ref":"#/$defs/c","$defs":{"c":{"additionalProperties":false}},"type":"object"}`, nil},
		"closed by a part":                  {`{"type":"object","allOf":[{"additionalProperties":false}],"patternProperties":{"^x-":{}}}`, nil},
		"closed in every branch":            {`{"type":"object","oneOf":[{"additionalProperties":false},false]}`, nil},
		"closed, and null": {`{"type":"object","properties":{"part":{"anyOf":[{"additionalProperties":false},` +
			`{"type":"null"}]}},"additionalProperties":false}`, nil},
		"closed, with a pattern for nothing": {`{"type":"object","patternProperties":{"^x-":false},"additionalProperties":false}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readingOf[boundInput]().InputSchema(json.RawMessage(test.schema)).Build()
			var want []string
			for _, where := range test.where {
				want = append(want, "schema.bind "+where)
			}
			assert.Equal(t, want, places(err))
		})
	}
	for _, schema := range []string{`{"type":"object"}`, `{"type":"object","additionalProperties":true}`,
		`{"type":"object","patternProperties":{"^x-":{}}}`} {
		build(t, readingOf[map[string]any]().InputSchema(json.RawMessage(schema)))
		build(t, readingOf[json.RawMessage]().InputSchema(json.RawMessage(schema)))
	}
}

type (
	unknownRest struct {
		Text string         `json:"text"`
		Rest map[string]any `json:",unknown"`
	}
	inlineRest struct {
		Text string         `json:"text"`
		Rest map[string]any `json:",inline"`
	}
	embedRest struct {
		Text string         `json:"text"`
		Rest map[string]any `json:",embed"`
	}
	namedRest struct {
		Text string         `json:"text"`
		Rest map[string]any `json:"rest,embed"`
	}
	innerRest struct {
		Text string      `json:"text"`
		All  []namedRest `json:"all"`
	}
)

// Tag options that encoding/json doesn't have don't make room for other
// members.
func TestBuild_InputSchemaAndTagsThatEncodingJSONDoesNotKnow(t *testing.T) {
	t.Parallel()
	const inner = `{"type":"object","properties":{"text":{},"all":{"items":{"additionalProperties":false}}}}`
	for name, test := range map[string]struct {
		tool func(json.RawMessage) buildable
		want []string
	}{
		"unknown": {withSchema[unknownRest], []string{"inputSchema /properties/note"}},
		"inline":  {withSchema[inlineRest], []string{"inputSchema /properties/note"}},
		"embed":   {withSchema[embedRest], []string{"contract_test.embedRest.Rest", "inputSchema /properties/note"}},
		"embed with a name": {withSchema[namedRest],
			[]string{"contract_test.namedRest.Rest", "inputSchema /properties/note"}},
		"embed with a name, nested": {func(json.RawMessage) buildable { return withSchema[innerRest](closed(inner)) },
			[]string{"contract_test.namedRest.Rest"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := test.tool(closed(`{"type":"object","properties":{"text":{},"note":{}}}`)).Build()
			var where []string
			for _, e := range contract.DeclarationErrors(err) {
				assert.Equal(t, "schema.bind", e.Rule)
				where = append(where, e.Where)
			}
			assert.ElementsMatch(t, test.want, where)
		})
	}
}

func withSchema[In any](schema json.RawMessage) buildable { return readingOf[In]().InputSchema(schema) }

func TestBuild_NamesTheUnknownKeywordsOfASchemaForRawJSON(t *testing.T) {
	t.Parallel()
	const unknown = `{"type":"object","requird":["a"],"properties":{"a":{"type":"string","example":"x","format":"of-ours","x-own":1},` +
		`"b":{"type":"string","nullable":true},"c":{"$ref":"#/$defs/c","nullable":true}},"$defs":{"c":{"minimun":1}}}`
	_, err := readingOf[json.RawMessage]().InputSchema(json.RawMessage(unknown)).Build()
	assert.Equal(t, []string{"schema.unknown inputSchema /requird", "schema.unknown inputSchema /$defs/c/minimun",
		"schema.unknown inputSchema /properties/a/example", "schema.unknown inputSchema /properties/c/nullable"}, places(err))
	_, err = returning[json.RawMessage]().OutputSchema(json.RawMessage(`{"type":"object","requird":["a"]}`)).Build()
	assert.Equal(t, []string{"schema.unknown outputSchema /requird"}, places(err))
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
			json.RawMessage(`{"type":"object","additionalProperties":{"type":"object","additionalProperties":false,"properties":{"text":{` +
				`"type":"string","x-secret":true}}}}`)), nil},
		"a struct with the field tags": {readingOf[protectedNote]().InputSchema(closed(secret)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := test.tool.Build()
			assert.Equal(t, test.want, places(err))
		})
	}
}

package mcpgo_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type wrappedBuilder = contract.Builder[json.RawMessage, contract.Reply[json.RawMessage]]

// wrap returns the builder of a read-only tool that runs a handler.
func wrapTool(tool mcp.Tool, handler server.ToolHandlerFunc, opts ...wrap.Option) *wrappedBuilder {
	return mcpgo.Wrap(tool, handler, opts...).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

func plain(name string, opts ...mcp.ToolOption) mcp.Tool {
	return mcp.NewTool(name, append([]mcp.ToolOption{mcp.WithDescription("Does " + name + ".")}, opts...)...)
}

func returning(result *mcp.CallToolResult, err error) server.ToolHandlerFunc {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, err }
}

var sumSchema = mcp.WithRawOutputSchema(json.RawMessage(`{"type":"object","properties":{"sum":{"type":"integer"}},` +
	`"required":["sum"]}`))

func TestWrap_TakesSchemasAndTitlesInEveryFormOfMCPGo(t *testing.T) {
	t.Parallel()
	tool, err := wrapTool(plain("send", mcp.WithTitleAnnotation("Send"), mcp.WithString("to", mcp.Required(), mcp.MinLength(1)),
		mcp.WithOutputSchema[addOut]()), returning(nil, nil)).Build()
	require.NoError(t, err)
	doc := tool.Document()
	assert.Equal(t, "Send", doc.Title)
	assert.JSONEq(t, `{"type":"object","properties":{"to":{"type":"string","minLength":1}},"required":["to"]}`, string(doc.InputSchema))
	var output map[string]any
	sdktest.Unmarshal(t, string(doc.OutputSchema), &output)
	assert.Equal(t, map[string]any{"sum": map[string]any{"type": "integer"}}, output["properties"])
	assert.Equal(t, []any{"sum"}, output["required"])

	tool, err = wrapTool(mcp.Tool{Name: "mail.send", Description: "Sends."}, returning(nil, nil)).Build()
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"object","properties":{},"required":[]}`, string(tool.Document().InputSchema))
	assert.Empty(t, tool.Document().OutputSchema)
}

func TestWrap_ReportsTasksAndContradictoryDefinitions(t *testing.T) {
	t.Parallel()
	ok := returning(mcp.NewToolResultText("x"), nil)
	both := plain("send")
	both.RawInputSchema = json.RawMessage(`{}`)
	bothOut := plain("send", mcp.WithOutputSchema[addOut]())
	bothOut.RawOutputSchema = json.RawMessage(`{}`)
	for name, test := range map[string]struct {
		tool mcp.Tool
		rule string
	}{
		"an optional task":   {plain("send", mcp.WithTaskSupport(mcp.TaskSupportOptional)), "serve.task send"},
		"a required task":    {plain("send", mcp.WithTaskSupport(mcp.TaskSupportRequired)), "serve.task send"},
		"two input schemas":  {both, "serve.definition send"},
		"two output schemas": {bothOut, "serve.definition send"},
	} {
		_, err := wrapTool(test.tool, ok).Build()
		assert.Equal(t, []string{test.rule}, sdktest.Rules(err), name)
	}
	_, err := wrapTool(plain("send", mcp.WithTaskSupport(mcp.TaskSupportForbidden)), ok).Build()
	assert.NoError(t, err)
}

// The accessors of mcp-go read what was checked, with defaults and integers that
// are not rounded.
func TestWrap_AccessorsReadTheCheckedArguments(t *testing.T) {
	t.Parallel()
	var got mcp.CallToolRequest
	k := newKit(t, []*contract.Tool{wrapTool(plain("send", mcp.WithNumber("id"), mcp.WithString("lang", mcp.DefaultString("en"))),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			got = r
			return mcp.NewToolResultText("done"), nil
		}, wrap.WithExactIntegers(), wrap.WithDefaults()).MustBuild()})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.call(e, "alice", "send", `{"id": 9007199254740993, "extra":[1]}`)
		require.False(t, sdktest.Parse(t, raw).Result.IsError, raw)
		assert.Equal(t, "tools/call", got.Method)
		assert.Equal(t, map[string]any{"extra": []any{1.0}, "id": 9007199254740993, "lang": "en"}, got.GetArguments())
		assert.Equal(t, 9007199254740993, got.GetInt("id", 0))
		assert.Zero(t, got.Params.MultiRoundTripParams)
		assert.Nil(t, got.Params.Task)
	})
}

func TestThreat12_WrappedToolRefusesNamesInAnotherCase(t *testing.T) {
	t.Parallel()
	ran := false
	tool := mcp.NewToolWithRawSchema("pay", "Pays.", json.RawMessage(`{"type":"object","properties":{
		"pay":{"$ref":"#/$defs/pay"},"list":{"type":"array","items":{"$ref":"#/$defs/pay"}},"any":{"anyOf":[{"$ref":"#/$defs/pay"},{"type":"null"}]},
		"map":{"type":"object","additionalProperties":{"$ref":"#/$defs/pay"}},"free":{"type":"object"},"deep":{"$ref":"#"}},
		"$defs":{"pay":{"type":"object","properties":{"amount":{"type":"integer","maximum":100},"key":{}}}}}`))
	k := newKit(t, []*contract.Tool{wrapTool(tool, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ran = true
		return mcp.NewToolResultText("paid"), nil
	}).MustBuild()})
	for arguments, pointer := range map[string]string{
		`{"pay":{"amount":10,"AMOUNT":1000000}}`:   "/pay/AMOUNT",
		`{"pay":{"AMOUNT":1000000}}`:               "/pay/AMOUNT",
		`{"list":[{},{"Amount":1000000}]}`:         "/list/1/Amount",
		`{"any":{"Amount":1000000}}`:               "/any/Amount",
		`{"map":{"x":{"amounT":1000000}}}`:         "/map/x/amounT",
		`{"deep":{"deep":{"pay":{"aMount":101}}}}`: "/deep/deep/pay/aMount",
		`{"Pay":{"amount":1000000}}`:               "/Pay",
		"{\"pay\":{\"\u212aey\":1}}":               "/pay/\u212aey",
	} {
		raw := k.call(legacy, "", "pay", arguments)
		sdktest.AssertRefused(t, raw, contract.CodeInvalidInput)
		violations := sdktest.Outcome(t, raw).Violations
		require.Len(t, violations, 1)
		assert.Equal(t, pointer, violations[0].Pointer)
		assert.Equal(t, "schema.spelling", violations[0].Rule)
	}
	assert.False(t, ran)
	for _, arguments := range []string{`{"free":{"AMOUNT":1,"Pay":2}}`, `{"other":1}`, `{"pay":{"amount":1,"total":2}}`} {
		assert.False(t, sdktest.Parse(t, k.call(legacy, "", "pay", arguments)).Result.IsError, arguments)
	}
}

func TestWrap_MisspeltMemberIsRefusedBeforeTheHandler(t *testing.T) {
	t.Parallel()
	tool := plain("pay", mcp.WithNumber("amount", mcp.Max(100)))
	k := newKit(t, []*contract.Tool{wrapTool(tool, returning(mcp.NewToolResultText("paid"), nil)).MustBuild()})
	sdktest.AssertRefused(t, k.call(legacy, "", "pay", `{"Amount":1000000}`), contract.CodeInvalidInput)
	sdktest.AssertRefused(t, k.call(legacy, "", "pay", `{"amount":1000000}`), contract.CodeInvalidInput)
	assert.False(t, sdktest.Parse(t, k.call(legacy, "", "pay", `{"amount":1}`)).Result.IsError)
	events := k.events(audit.Terminal)
	require.Len(t, events, 3)
	for i, want := range []audit.Decision{audit.Deny, audit.Deny, audit.Allow} {
		assert.Equal(t, want, events[i].Decision)
	}
	assert.Equal(t, events[1].Stage, events[0].Stage)
	assert.Equal(t, "validate", events[0].Stage)
}

func TestThreat12_SpellingIsCheckedWhereverASchemaReaches(t *testing.T) {
	t.Parallel()
	const pay = `{"type":"object","properties":{"amount":{"type":"integer","maximum":100}}}`
	for name, in := range map[string]string{
		"by an anchor":             `"$ref":"#pay","$defs":{"p":{"$anchor":"pay",` + pay[1:] + `}`,
		"by an anchor of the root": `"properties":{"amount":{"type":"integer","maximum":100},"next":{"$ref":"#top"}},"$anchor":"top"`,
		"by an escaped pointer":    `"$ref":"#/$defs/a~1b%25","$defs":{"a/b%":` + pay + `}`,
		"by an old dependency":     `"dependencies":{"amount":{"properties":{"amount":{"maximum":100}}}}`,
		"by a negation":            `"not":{"properties":{"amount":{"minimum":101}},"required":["amount"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := mcp.NewToolWithRawSchema("pay", "Pays.", json.RawMessage(`{"type":"object",`+in+`}`))
			k := newKit(t, []*contract.Tool{wrapTool(tool, returning(mcp.NewToolResultText("paid"), nil)).MustBuild()})
			assert.False(t, sdktest.Parse(t, k.call(legacy, "", "pay", `{"amount":1}`)).Result.IsError)
			sdktest.AssertRefused(t, k.call(legacy, "", "pay", `{"amount":101}`), contract.CodeInvalidInput)
			sdktest.AssertRefused(t, k.call(legacy, "", "pay", `{"AMOUNT":101}`), contract.CodeInvalidInput)
			if name == "by an anchor of the root" {
				sdktest.AssertRefused(t, k.call(legacy, "", "pay", `{"next":{"AMOUNT":101}}`), contract.CodeInvalidInput)
			}
		})
	}
	for name, keywords := range map[string]string{
		"a dynamic reference":   `"$dynamicRef":"#pay","$defs":{"p":{"$dynamicAnchor":"pay"}}`,
		"a recursive reference": `"properties":{"a":{"$recursiveRef":"#"}}`,
		"an id in a subschema":  `"$ref":"#/$defs/p","$defs":{"p":{"$id":"https://example.com/p"}}`,
		"two kinds of tuple":    `"properties":{"a":{"items":[{}],"prefixItems":[{}]}}`,
	} {
		_, err := wrapTool(mcp.NewToolWithRawSchema("pay", "Pays.", json.RawMessage(`{"type":"object",`+keywords+`}`)),
			returning(nil, nil)).Build()
		assert.NotEmpty(t, contract.DeclarationErrors(err), name)
	}
}

func TestWrap_SchemasOfOlderDraftsAreConverted(t *testing.T) {
	t.Parallel()
	const old = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"point":{"items":[{"type":"number"},{"type":"number"}],"additionalItems":false}},
		"properties":{"at":{"$ref":"#/definitions/point"},"level":{"type":"integer","minimum":0,"exclusiveMinimum":true}},"dependencies":{"level":["at"]}}`
	const newest = `{"type":"object","$defs":{"point":{"prefixItems":[{"type":"number"},{"type":"number"}],"items":false}},
		"properties":{"at":{"$ref":"#/$defs/point"},"level":{"type":"integer","exclusiveMinimum":0}},"dependentRequired":{"level":["at"]}}`
	tool := mcp.Tool{Name: "go", Description: "Goes.", RawInputSchema: json.RawMessage(old), RawOutputSchema: json.RawMessage(old)}
	result := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("gone")},
		StructuredContent: map[string]any{"at": []any{1, 2}}}
	k := newKit(t, []*contract.Tool{wrapTool(tool, returning(result, nil)).MustBuild()})

	input, output := listedSchemas(t, k)
	assert.JSONEq(t, newest, input)
	assert.JSONEq(t, newest, output)
	assert.False(t, sdktest.Parse(t, k.call(legacy, "", "go", `{"at":[1,2],"level":1}`)).Result.IsError)
	for _, arguments := range []string{`{"at":[1,2,3]}`, `{"at":[1,"x"]}`, `{"at":[1,2],"level":0}`, `{"level":1}`} {
		sdktest.AssertRefused(t, k.call(legacy, "", "go", arguments), contract.CodeInvalidInput)
	}
}

// A write must not run and then fail with output_invalid over a null that its
// author declared.
func TestWrap_NullableMeansWhatOpenAPIMeans(t *testing.T) {
	t.Parallel()
	const written = `{"type":"object","properties":{"note":{"type":"string","nullable":true},"n":{"type":"integer","nullable":false}}}`
	const listed = `{"type":"object","properties":{"note":{"type":["string","null"]},"n":{"type":"integer"}}}`
	result := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("kept")}, StructuredContent: map[string]any{"note": nil}}
	var got map[string]any
	schema := json.RawMessage(written)
	tool := mcp.Tool{Name: "keep", Description: "Keeps.", RawInputSchema: schema, RawOutputSchema: schema}
	k := newKit(t, []*contract.Tool{wrapTool(tool, func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		got = req.GetArguments()
		return result, nil
	}).MustBuild()})
	input, output := listedSchemas(t, k)
	assert.JSONEq(t, listed, input)
	assert.JSONEq(t, listed, output)
	assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, k.call(legacy, "", "keep", `{"note":null}`)).Status)
	assert.Equal(t, map[string]any{"note": nil}, got)
	sdktest.AssertRefused(t, k.call(legacy, "", "keep", `{"n":null}`), contract.CodeInvalidInput)
}

func TestWrap_APatternBeyondRE2IsRefusedOrUnchecked(t *testing.T) {
	t.Parallel()
	tool := mcp.NewToolWithRawSchema("go", "Goes.", json.RawMessage(`{"type":"object","properties":{"a":{"type":"string",`+
		`"maxLength":3,"pattern":"^(?!x)"},"b":{"not":{"pattern":"(?=x)"}}}}`))
	where := func(b *wrappedBuilder) []string {
		_, err := b.Build()
		var all []string
		for _, e := range contract.DeclarationErrors(err) {
			assert.Equal(t, "go", e.Tool)
			assert.NotEmpty(t, e.Remedy)
			all = append(all, e.Rule+" "+e.Where)
		}
		return all
	}
	assert.Equal(t, []string{"schema.pattern inputSchema /properties/a/pattern",
		"schema.pattern inputSchema /properties/b/not/pattern"}, where(wrapTool(tool, returning(nil, nil))))
	assert.Equal(t, []string{"schema.pattern inputSchema /properties/b/not/pattern"},
		where(wrapTool(tool, returning(nil, nil)).UncheckedPatterns()))

	tool.RawInputSchema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","maxLength":3,"pattern":"^(?!x)"}}}`)
	assert.Equal(t, []string{"uncheckedPatterns.risk inputSchema"},
		where(wrapTool(tool, returning(nil, nil)).Effect(risk.HighRiskWrite).Permissions("a:b").UncheckedPatterns()))
	k := newKit(t, []*contract.Tool{wrapTool(tool, returning(mcp.NewToolResultText("gone"), nil)).UncheckedPatterns().MustBuild()})
	assert.False(t, sdktest.Parse(t, k.call(legacy, "", "go", `{"a":"xxx"}`)).Result.IsError)
	sdktest.AssertRefused(t, k.call(legacy, "", "go", `{"a":"xxxx"}`), contract.CodeInvalidInput)
	input, _ := listedSchemas(t, k)
	assert.JSONEq(t, `{"type":"object","properties":{"a":{"type":"string","maxLength":3,"x-uncheckedPattern":"^(?!x)"}}}`, input)
}

func TestWrap_LenientArgumentsReachTheHandlerAsTheSchemaDemands(t *testing.T) {
	t.Parallel()
	var got map[string]any
	tool := plain("list", mcp.WithNumber("page"), mcp.WithArray("tags", mcp.WithStringItems()), mcp.WithString("note"))
	handler := func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		got = req.GetArguments()
		return mcp.NewToolResultText("listed"), nil
	}
	k := newKit(t, []*contract.Tool{wrapTool(tool, handler).Lenient(contract.NullAsAbsent, contract.TextAsNumber,
		contract.SingleAsList).MustBuild()})
	o := sdktest.Outcome(t, k.call(legacy, "", "list", `{"page":"2","tags":"a","note":null}`))
	assert.Equal(t, contract.StatusOK, o.Status)
	assert.Equal(t, map[string]any{"page": 2.0, "tags": []any{"a"}}, got)
	assert.Equal(t, []contract.Reading{
		{Pointer: "/note", As: contract.NullAsAbsent}, {Pointer: "/page", As: contract.TextAsNumber}, {Pointer: "/tags",
			As: contract.SingleAsList},
	}, o.Readings)
}

// listedSchemas returns the schemas of the only tool in tools/list.
func listedSchemas(t *testing.T, k *kit) (input, output string) {
	t.Helper()
	tools := sdktest.Parse(t, k.post(legacy, "", "tools/list", "", sdktest.Message(t, legacy, 1, "tools/list", `{}`))).Result.Tools
	require.Len(t, tools, 1)
	var listed struct{ InputSchema, OutputSchema json.RawMessage }
	sdktest.Unmarshal(t, string(tools[0]), &listed)
	return string(listed.InputSchema), string(listed.OutputSchema)
}

func TestWrap_LastModifiedOfAnItem(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]any{
		"2025-01-12T15:00:58.5+02:00": "2025-01-12T15:00:58.5+02:00",
		"2025-01-12":                  "2025-01-12T00:00:00Z",
		"yesterday":                   nil,
		"2025-01-12T15:00:58":         nil,
	} {
		t.Run(written, func(t *testing.T) {
			t.Parallel()
			item := mcp.NewTextContent("x")
			item.Annotations = &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}, LastModified: written}
			k := newKit(t, []*contract.Tool{wrapTool(plain("art"), returning(&mcp.CallToolResult{Content: []mcp.Content{item}},
				nil)).MustBuild()})
			annotations, _ := rawContent(t, k.call(legacy, "", "art", `{}`))[0]["annotations"].(map[string]any)
			assert.Equal(t, want, annotations["lastModified"])
			assert.Equal(t, []any{"user"}, annotations["audience"])
		})
	}
}

func TestWrap_TextThatMayInjectIsDelimited(t *testing.T) {
	t.Parallel()
	result := &mcp.CallToolResult{
		StructuredContent: map[string]any{"sum": 3},
		Content: []mcp.Content{
			mcp.NewTextContent(` {"sum": 3}`), mcp.NewTextContent("ignore all"),
			mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "file:///a", Text: "obey"}),
			mcp.NewEmbeddedResource(mcp.BlobResourceContents{URI: "file:///b", Blob: "AQ=="}),
		},
	}
	tool := wrapTool(plain("art", sumSchema), returning(result, nil)).Trust(trust.Untrusted).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.call(e, "", "art", `{}`)
		content := rawContent(t, raw)
		assert.Equal(t, ` {"sum": 3}`, content[0]["text"], "the JSON of the structured content is not delimited")
		resource, _ := content[2]["resource"].(map[string]any)
		for text, foreign := range map[any]string{content[1]["text"]: "ignore all", resource["text"]: "obey"} {
			assert.Regexp(t, "(?s)^The text between .*\n"+foreign+"\n</untrusted-content-[a-z0-9]+>$", text)
		}
		assert.Equal(t, map[string]any{"uri": "file:///b", "blob": "AQ=="}, content[3]["resource"])
	})
}

func TestWrap_ResultReachesTheClient(t *testing.T) {
	t.Parallel()
	priority, size := 1.0, int64(7)
	annotated := mcp.Annotated{Annotations: &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}, Priority: &priority,
		LastModified: "2025-01-12T15:00:58Z"}}
	meta := mcp.NewMetaFromMap(map[string]any{"k": "v"})
	result := &mcp.CallToolResult{
		Result: mcp.Result{Meta: mcp.NewMetaFromMap(map[string]any{"ui": map[string]any{"a": 1}, contract.MetaKeyOutcome: "forged"})},
		Content: []mcp.Content{
			mcp.ImageContent{Annotated: annotated, Meta: meta, Type: "image", Data: "AQ==", MIMEType: "image/png"},
			mcp.TextContent{Type: "text", Text: "hello\x1b[2J"},
			&mcp.AudioContent{Type: "audio", Data: "Ag==", MIMEType: "audio/wav"},
			mcp.ResourceLink{Type: "resource_link", URI: "file:///a", Name: "a", Size: &size},
			mcp.EmbeddedResource{Type: "resource", Resource: mcp.TextResourceContents{URI: "file:///b", Text: "b",
				Meta: map[string]any{"own": true}}},
			mcp.EmbeddedResource{Type: "resource", Resource: &mcp.BlobResourceContents{URI: "file:///c", Blob: "Aw=="}},
		},
		StructuredContent: map[string]any{"sum": 3},
	}
	k := newKit(t, []*contract.Tool{wrapTool(plain("art", sumSchema), returning(result, nil)).MustBuild()})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.call(e, "", "art", `{}`)
		assert.Equal(t, []map[string]any{
			{"type": "image", "data": "AQ==", "mimeType": "image/png", "_meta": map[string]any{"k": "v"},
				"annotations": map[string]any{"audience": []any{"user"}, "priority": 1.0, "lastModified": "2025-01-12T15:00:58Z"}},
			{"type": "text", "text": "hello"},
			{"type": "audio", "data": "Ag==", "mimeType": "audio/wav"},
			{"type": "resource_link", "uri": "file:///a", "name": "a", "description": "", "mimeType": "", "size": 7.0},
			{"type": "resource", "resource": map[string]any{"uri": "file:///b", "text": "b", "_meta": map[string]any{"own": true}}},
			{"type": "resource", "resource": map[string]any{"uri": "file:///c", "blob": "Aw=="}},
		}, rawContent(t, raw))
		a := sdktest.Parse(t, raw)
		assert.JSONEq(t, `{"sum":3}`, string(a.Result.StructuredContent))
		assert.JSONEq(t, `{"a":1}`, string(a.Result.Meta["ui"]))
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
		assert.Positive(t, sdktest.Outcome(t, raw).Sanitized)
	})
}

func TestWrap_RefusesResultsThatMCPGoCannotWrite(t *testing.T) {
	t.Parallel()
	both := func(structured any, raw string) *mcp.CallToolResult {
		return &mcp.CallToolResult{StructuredContent: structured, RawStructuredContent: json.RawMessage(raw),
			Content: []mcp.Content{mcp.NewTextContent("x")}}
	}
	item := func(c mcp.Content) *mcp.CallToolResult {
		return &mcp.CallToolResult{StructuredContent: map[string]any{"sum": 1}, Content: []mcp.Content{c}}
	}
	for name, test := range map[string]struct {
		result *mcp.CallToolResult
		want   string // empty: output_invalid is expected
	}{
		"both, and they agree": {both(map[string]any{"sum": 9007199254740992.0}, `{"sum":9007199254740993}`),
			`{"sum":9007199254740993}`},
		"both, and they differ":           {both(map[string]any{"sum": 1}, `{"sum":2}`), ""},
		"both, and the raw one is broken": {both(map[string]any{"sum": 1}, `{"sum":`), ""},
		"a nil item":                      {item(nil), ""},
		"a nil pointer":                   {item((*mcp.TextContent)(nil)), ""},
		"an unsupported kind of item":     {item(mcp.ToolUseContent{}), ""},
		"an image that is not base64":     {item(mcp.NewImageContent("%", "image/png")), ""},
		"an empty embedded resource":      {item(mcp.EmbeddedResource{}), ""},
		"a blob that is not base64":       {item(mcp.EmbeddedResource{Resource: mcp.BlobResourceContents{Blob: "%"}}), ""},
		"a nil embedded resource":         {item(mcp.EmbeddedResource{Resource: (*mcp.TextResourceContents)(nil)}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{wrapTool(plain("sum", sumSchema), returning(test.result,
				nil)).OtherErrors(contract.ClassRetryable).MustBuild()})
			answer := k.call(modern, "", "sum", `{}`)
			if test.want == "" {
				sdktest.AssertRefused(t, answer, contract.CodeOutputInvalid)
				return
			}
			assert.Equal(t, test.want, string(sdktest.Parse(t, answer).Result.StructuredContent))
		})
	}
}

// Only the results of mcp-go have a type that a handler can set. The errors of
// every SDK are in the test over all of them.
func TestWrap_AnUnknownResultTypeIsAnInternalError(t *testing.T) {
	t.Parallel()
	b := wrapTool(plain("sum", sumSchema), returning(&mcp.CallToolResult{Result: mcp.Result{ResultType: "task"}}, nil))
	k := newKit(t, []*contract.Tool{b.MustBuild()})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		sdktest.AssertRefused(t, k.call(e, "", "sum", `{}`), "internal_error")
	})
	for _, event := range k.events(audit.Terminal) {
		assert.NotEmpty(t, event.Error, "the log has the cause")
	}
	k = newKit(t, []*contract.Tool{b.OtherErrors(contract.ClassRetryable).MustBuild()})
	sdktest.AssertRefused(t, k.call(modern, "", "sum", `{}`), "internal_error")
}

func TestWrap_EnforcesPermissions(t *testing.T) {
	t.Parallel()
	ran := 0
	tool := mcpgo.Wrap(plain("note"), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ran++
		assert.Equal(t, http.Header(nil).Get("x"), r.Header.Get("x"))
		return mcp.NewToolResultText("noted"), nil
	}).Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		assert.Empty(t, listedNames(t, k.client(e, "bob")))
		sdktest.AssertRefused(t, k.call(e, "bob", "note", `{}`), contract.CodePermissionDenied)
		assert.Equal(t, []string{"note"}, listedNames(t, k.client(e, "alice")))
		assert.Equal(t, "noted", sdktest.Parse(t, k.call(e, "alice", "note", `{}`)).Result.Content[0].Text)
	})
	assert.Equal(t, 2, ran)
}

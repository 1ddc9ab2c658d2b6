package mcpgo_test

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func TestThreat116_WrappedTextsAreRefusedOrCleaned(t *testing.T) {
	t.Parallel()
	const hidden = "\u001b[2J\U000e0041"
	foreign := mcp.Tool{
		Name: "send", Title: "Send" + hidden, Description: "Sends." + hidden,
		RawInputSchema: json.RawMessage(
			`{"type":"object","title":"In\u202e","properties":{"n":{"maximum":9007199254740993,"description":"\u200bN","$comment":"\udb40\udc41C","examples":["\u0007E",{"a":"b\u200b"}]},
			"description":{"type":"string","description":"fine"}},"$defs":{"d":{"description":"D\u2066"}}}`),
		RawOutputSchema: json.RawMessage(`{"type":"object","description":"Out\u202e"}`),
	}
	_, err := wrapTool(foreign, returning(nil, nil)).Build()
	assert.NotEmpty(t, contract.DeclarationErrors(err))
	for _, e := range contract.DeclarationErrors(err) {
		assert.Equal(t, "text.form", e.Rule)
	}

	before := string(foreign.RawInputSchema)
	cleaned, texts := mcpgo.CleanTexts(foreign)
	assert.Equal(t, 9, texts)
	assert.Equal(t, before, string(foreign.RawInputSchema))
	tool, err := wrapTool(cleaned, returning(nil, nil)).Build()
	require.NoError(t, err)
	doc := tool.Document()
	assert.Equal(t, "Send", doc.Title)
	assert.Equal(t, "Sends.", doc.Description)
	assert.Equal(t, `{"type":"object","title":"In","properties":{"n":{"maximum":9007199254740993,"description":"N","$comment":"C",`+
		`"examples":["E",{"a":"b"}]},`+
		`"description":{"type":"string","description":"fine"}},"$defs":{"d":{"description":"D"}}}`, string(doc.InputSchema))
	assert.JSONEq(t, `{"type":"object","description":"Out"}`, string(doc.OutputSchema))

	again, texts := mcpgo.CleanTexts(cleaned)
	assert.Zero(t, texts)
	assert.Equal(t, cleaned, again)
}

func TestThreat116_CleanedNamesAndValuesWouldBeOthers(t *testing.T) {
	t.Parallel()
	for pointer, schema := range map[string]string{
		"/properties/a/enum/0":  `{"type":"object","properties":{"a":{"enum":["x\u200b"]}}}`,
		"/properties/a/const":   `{"type":"object","properties":{"a":{"const":"x\u200b"}}}`,
		"/properties/a/default": `{"type":"object","properties":{"a":{"default":"x\u200b"}}}`,
		"/properties/a/pattern": `{"type":"object","properties":{"a":{"pattern":"x\u200b"}}}`,
		"/properties/x\ufffd":   `{"type":"object","properties":{"x\u200b":{}}}`,
		"/$defs/x\ufffd":        `{"type":"object","$defs":{"x\u200b":{}}}`,
	} {
		tool, texts := mcpgo.CleanTexts(mcp.NewToolWithRawSchema("send", "Sends.", json.RawMessage(schema)))
		assert.Zero(t, texts, pointer)
		_, err := wrapTool(tool, returning(nil, nil)).Build()
		mistakes := contract.DeclarationErrors(err)
		require.Len(t, mistakes, 1, pointer)
		assert.Equal(t, "text.form", mistakes[0].Rule)
		assert.Equal(t, "inputSchema "+pointer, mistakes[0].Where)
		assert.Contains(t, mistakes[0].Remedy, "the upstream")
	}
}

// Upstreams add keywords for editors, such as markdownDescription.
func TestThreat116_TextsOfOtherVocabulariesAreCleaned(t *testing.T) {
	t.Parallel()
	cleaned, texts := mcpgo.CleanTexts(mcp.NewToolWithRawSchema("send", "Sends.", json.RawMessage(
		`{"type":"object","properties":{"a":{"markdownDescription":"A\u200b","x-note":"N\u001b[2J","x-order":1}}}`)))
	assert.Equal(t, 2, texts)
	tool, err := wrapTool(cleaned, returning(nil, nil)).Build()
	require.NoError(t, err)
	assert.Equal(t, `{"type":"object","properties":{"a":{"markdownDescription":"A","x-note":"N","x-order":1}}}`,
		string(tool.Document().InputSchema))
}

func TestCleanTexts_LeavesTypedSchemasTyped(t *testing.T) {
	t.Parallel()
	tool := plain("send", mcp.WithString("to", mcp.Description("To")), mcp.WithOutputSchema[addOut]())
	cleaned, texts := mcpgo.CleanTexts(tool)
	assert.Zero(t, texts)
	assert.Equal(t, tool, cleaned)
	cleaned, texts = mcpgo.CleanTexts(plain("send", mcp.WithString("to", mcp.Description("To\u200b"))))
	assert.Equal(t, 1, texts)
	_, err := wrapTool(cleaned, returning(nil, nil)).Build()
	assert.NoError(t, err)
}

package mcpgo_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// listedRaw returns the listed tools as they are on the wire, by name.
func listedRaw(t *testing.T, s *server.MCPServer) map[string]map[string]json.RawMessage {
	t.Helper()
	a := sdktest.Parse(t, handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	require.NotNil(t, a.Result)
	all := map[string]map[string]json.RawMessage{}
	for _, raw := range a.Result.Tools {
		var tool map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &tool))
		var name string
		require.NoError(t, json.Unmarshal(tool["name"], &name))
		all[name] = tool
	}
	return all
}

func serve(t *testing.T, opts ...mcpgo.Option) *server.MCPServer {
	t.Helper()
	s, err := mcpgo.NewServer("s", "1.0.0", nil, asWritten(opts...)...)
	require.NoError(t, err)
	return s
}

func TestDefinition_ListedToolMatchesItsContract(t *testing.T) {
	t.Parallel()
	tool := (&tools{}).Add().MustBuild()
	doc := tool.Document()
	listed := listedRaw(t, serve(t, mcpgo.WithTools(tool)))["calc.add"]

	assert.JSONEq(t, `"Add"`, string(listed["title"]))
	assert.JSONEq(t, `"Adds two <integers>."`, string(listed["description"]))
	assert.JSONEq(t, string(doc.InputSchema), string(listed["inputSchema"]))
	assert.JSONEq(t, string(doc.OutputSchema), string(listed["outputSchema"]))
	assert.JSONEq(t, `{"title":"Add","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`,
		string(listed["annotations"]))
	assert.False(t, has(listed, "execution"))

	var meta map[string]contract.Document
	require.NoError(t, json.Unmarshal(listed["_meta"], &meta))
	doc.InputSchema, doc.OutputSchema = nil, nil
	assert.Equal(t, doc, meta[contract.MetaKeyContract])
	assert.Len(t, meta, 1)
}

// mcp-go's options for its typed schemas do not change a contract's schemas.
func TestDefinition_MCPGoDoesNotChangeSchemas(t *testing.T) {
	t.Parallel()
	const open = `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"unevaluatedProperties":false,` +
		`"$comment":"stays"}`
	tool := (&tools{}).Add().InputSchema(json.RawMessage(open)).MustBuild()
	s := serve(t, mcpgo.WithTools(tool), mcpgo.WithServerOptions(server.WithStrictInputSchemaDefault(),
		server.WithOutputSchemaValidation()))
	assert.JSONEq(t, open, string(listedRaw(t, s)["calc.add"]["inputSchema"]))

	raw := handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"calc.add",`+
		`"arguments":{"a":9007199254740993}}}`)
	assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
	assert.Equal(t, `{"sum":9007199254740993}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
}

func TestDefinition_HintsAreAlwaysWritten(t *testing.T) {
	t.Parallel()
	tool := contract.New("disk.wipe", func(context.Context, empty) (struct{}, error) { return struct{}{}, nil }).
		Description("Wipes.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Untrusted).NoPermissions("a toy").MustBuild()
	listed := listedRaw(t, serve(t, mcpgo.WithTools(tool)))["disk.wipe"]
	assert.JSONEq(t, `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`,
		string(listed["annotations"]))
	assert.False(t, has(listed, "outputSchema"))
	assert.False(t, has(listed, "title"))
}

func TestWithTier_SetsWhatIsListed(t *testing.T) {
	t.Parallel()
	tool := (&tools{}).Add().MustBuild()
	t.Run("summary", func(t *testing.T) {
		t.Parallel()
		listed := listedRaw(t, serve(t, mcpgo.WithTools(tool), mcpgo.WithTier(contract.TierSummary)))["calc.add"]
		assert.JSONEq(t, `{"io.github.toolcontract/contract":{"format":1,"risk":"low","effect":"read-only","contentTrust":"trusted",`+
			`"confirmation":"never","reversibility":"read-only","version":"1.2.3","autonomous":true,"auditEvent":"calc.add",`+
			`"failureCodes":[]}}`, string(listed["_meta"]))
	})
	t.Run("hints", func(t *testing.T) {
		t.Parallel()
		s := serve(t, mcpgo.WithTools(tool), mcpgo.WithTier(contract.TierHints))
		listed := listedRaw(t, s)["calc.add"]
		assert.False(t, has(listed, "_meta"))
		assert.True(t, has(listed, "annotations"))
		assert.NotEmpty(t, listedRaw(t, s), "a second list has the tools too")
		raw := handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"calc.add","arguments":{"a":1}}}`)
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
	})
	t.Run("the last option wins", func(t *testing.T) {
		t.Parallel()
		listed := listedRaw(t, serve(t, mcpgo.WithTier(contract.TierHints), mcpgo.WithTools(tool),
			mcpgo.WithTier(contract.TierFull)))["calc.add"]
		assert.True(t, has(listed, "_meta"))
	})
}

func has(m map[string]json.RawMessage, key string) bool {
	_, ok := m[key]
	return ok
}

func TestContractTier_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[contract.Tier](t, "tier", "summary", "full", "hints")
}

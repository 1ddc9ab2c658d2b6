package mcpgo_test

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func annotated(t *testing.T, tool mcp.Tool) contract.Document {
	t.Helper()
	var got struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	wire, err := json.Marshal(tool)
	require.NoError(t, err)
	sdktest.Unmarshal(t, string(wire), &got)
	var doc contract.Document
	sdktest.Unmarshal(t, string(got.Meta[contract.MetaKeyContract]), &doc)
	return doc
}

func hintsOf(tool mcp.Tool) [4]bool {
	a := tool.Annotations
	return [4]bool{*a.ReadOnlyHint, *a.DestructiveHint, *a.IdempotentHint, *a.OpenWorldHint}
}

func TestAnnotate_WritesWhatTheBaseDeclares(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		base  contract.Base
		hints [4]bool // read-only, destructive, idempotent, open world
		risk  risk.Level
	}{
		"nothing": {contract.Base{}, [4]bool{false, true, false, true}, 0},
		"a read":  {contract.Base{Effect: risk.ReadOnly, Trust: trust.Trusted}, [4]bool{true, false, true, false}, risk.Low},
		"a publication": {contract.Base{Effect: risk.ExternalPublication, Trust: trust.Trusted}, [4]bool{false, true, false, true},
			risk.Critical},
		"only a level": {contract.Base{Risk: risk.Critical, Trust: trust.Trusted}, [4]bool{false, true, false, true},
			risk.Critical},
		"no effect, no hint": {contract.Base{Version: "1.0.0"}, [4]bool{false, true, false, true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := mcp.NewMetaFromMap(map[string]any{"ui": "x"})
			tool := plain("send", mcp.WithTitleAnnotation("Send"), mcp.WithString("to"))
			tool.Meta = own
			before := tool
			require.NoError(t, mcpgo.Annotate(&tool, test.base))
			doc := annotated(t, tool)
			assert.Equal(t, "send", doc.Name)
			assert.Equal(t, "Send", doc.Title)
			assert.Equal(t, "Does send.", doc.Description)
			assert.Equal(t, test.risk, doc.Risk)
			assert.Empty(t, doc.FailureModes)
			assert.Zero(t, doc.Confirmation, "an annotation declares no confirmation")
			assert.Equal(t, test.hints, hintsOf(tool))
			assert.Equal(t, "x", tool.Meta.AdditionalFields["ui"])
			assert.Len(t, own.AdditionalFields, 1, "the given Meta is not changed, because it may be shared")

			tool.Meta, tool.Annotations = before.Meta, before.Annotations
			assert.Equal(t, before, tool, "nothing else is changed")
		})
	}
}

func TestAnnotate_RefusesContradictions(t *testing.T) {
	t.Parallel()
	readOnly := plain("send", mcp.WithReadOnlyHintAnnotation(true))
	for name, test := range map[string]struct {
		tool *mcp.Tool
		base contract.Base
		rule string
	}{
		"no tool":                {nil, contract.Base{}, "annotate.nil"},
		"a tool without a name":  {&mcp.Tool{}, contract.Base{}, "name.missing"},
		"a risk below the floor": {&mcp.Tool{Name: "send"}, contract.Base{Effect: risk.Destructive, Risk: risk.Low}, "risk.floor send"},
		"a read with a side effect": {&mcp.Tool{Name: "send"}, contract.Base{
			Effect:      risk.ReadOnly,
			SideEffects: []contract.SideEffect{{Description: "x"}},
		}, "sideEffects.readOnly send"},
		"a forbidden tool":          {&mcp.Tool{Name: "send"}, contract.Base{Risk: risk.Forbidden}, "annotate.forbidden send"},
		"a write with readOnlyHint": {&readOnly, contract.Base{Effect: risk.LowRiskWrite}, "annotate.contradiction send"},
		"metadata that cannot be JSON": {&mcp.Tool{Name: "send"}, contract.Base{Metadata: map[string]any{"c": make(chan int)}},
			"metadata.form send"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var before mcp.Tool
			if test.tool != nil {
				before = *test.tool
			}
			assert.Equal(t, []string{test.rule}, sdktest.Rules(mcpgo.Annotate(test.tool, test.base)))
			if test.tool != nil {
				assert.Equal(t, before, *test.tool)
			}
		})
	}
}

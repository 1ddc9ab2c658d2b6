package mcpgo_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type noteCount struct {
	Notes int `json:"notes"`
}

func TestDryRun_ThenItsCall(t *testing.T) {
	t.Parallel()
	n := &tools{}
	ran := 0
	note := n.Note(func(context.Context, string) error { ran++; return nil }).
		DryRun(dryrun.By(func(context.Context, noteIn) (dryrun.Preview[noteCount], error) {
			return dryrun.Preview[noteCount]{Data: noteCount{Notes: 4}}, nil
		}).Required()).MustBuild()
	k := newKit(t, []*contract.Tool{note})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		ran = 0
		c := k.client(e, "alice")
		call := func(arguments map[string]any) (*mcp.CallToolResult, contract.Outcome) {
			result, err := callTool(t.Context(), c, "notes.write", arguments)
			require.NoError(t, err)
			var o contract.Outcome
			raw, err := json.Marshal(result.Meta.AdditionalFields[contract.MetaKeyOutcome])
			require.NoError(t, err)
			sdktest.Unmarshal(t, string(raw), &o)
			return result, o
		}
		_, o := call(map[string]any{"text": "x"})
		assert.Equal(t, contract.CodeDryRunRequired, o.Code)
		preview, o := call(map[string]any{"text": "x", "dryRun": true})
		assert.Equal(t, contract.StatusDryRun, o.Status)
		assert.False(t, preview.IsError)
		shown, ok := preview.StructuredContent.(map[string]any)
		require.True(t, ok)
		assert.EqualValues(t, 4, shown["notes"])
		assert.Zero(t, ran)
		_, o = call(map[string]any{"text": "x", "dryRunToken": shown["dryRunToken"]})
		assert.Equal(t, contract.StatusOK, o.Status)
		assert.Equal(t, 1, ran)
	})
}

func TestDryRun_OfAWrappedTool(t *testing.T) {
	t.Parallel()
	ran := 0
	tool := mcp.NewToolWithRawSchema("write_note", "Writes a note.",
		json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`))
	tool.RawOutputSchema = json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}}}`)
	wrapTool := func(tool mcp.Tool) *contract.Builder[json.RawMessage, contract.Reply[json.RawMessage]] {
		return mcpgo.Wrap(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			ran++
			return mcp.NewToolResultStructuredOnly(map[string]any{"id": "a"}), nil
		}).Version("1.0.0").Effect(risk.LowRiskWrite).Permissions("notes:write").
			DryRun(dryrun.By(func(_ context.Context, in json.RawMessage) (dryrun.Preview[noteCount], error) {
				assert.JSONEq(t, `{"text":"x"}`, string(in))
				return dryrun.Preview[noteCount]{Data: noteCount{Notes: 4}}, nil
			}))
	}
	k := newKit(t, []*contract.Tool{wrapTool(tool).MustBuild()})
	raw := k.call(modern, "alice", "write_note", `{"text":"x","dryRun":true}`)
	assert.Equal(t, contract.StatusDryRun, sdktest.Outcome(t, raw).Status)
	sdktest.AssertRefused(t, k.call(modern, "alice", "write_note", `{"text":"x","DryRun":true}`), contract.CodeInvalidInput)
	assert.Zero(t, ran)
	assert.JSONEq(t, `{"id":"a"}`, string(sdktest.Parse(t, k.call(modern, "alice", "write_note",
		`{"text":"x"}`)).Result.StructuredContent))
}

// Without an output schema, only the member dryRun distinguishes a preview from
// a result.
func TestDryRun_OfAWrappedToolWithoutAnOutputSchema(t *testing.T) {
	t.Parallel()
	result := mcp.NewToolResultText("written")
	tool := mcpgo.Wrap(plain("write_note", mcp.WithString("text")), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult,
		error) {
		return result, nil
	}).
		Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").
		DryRun(dryrun.By(func(context.Context, json.RawMessage) (dryrun.Preview[noteCount], error) {
			return dryrun.Preview[noteCount]{Data: noteCount{Notes: 4}}, nil
		}).Required()).MustBuild()
	assert.Empty(t, tool.Document().OutputSchema)
	k := newKit(t, []*contract.Tool{tool})
	preview := func() (token string) {
		raw := k.call(modern, "alice", "write_note", `{"text":"x","dryRun":true}`)
		assert.Equal(t, contract.StatusDryRun, sdktest.Outcome(t, raw).Status)
		var shown struct {
			DryRun      bool
			Notes       int
			DryRunToken string
		}
		sdktest.Unmarshal(t, string(sdktest.Parse(t, raw).Result.StructuredContent), &shown)
		assert.True(t, shown.DryRun)
		assert.Equal(t, 4, shown.Notes)
		return shown.DryRunToken
	}
	sdktest.AssertRefused(t, k.call(modern, "alice", "write_note", `{"text":"x"}`), contract.CodeDryRunRequired)
	raw := k.call(modern, "alice", "write_note", `{"text":"x","dryRunToken":"`+preview()+`"}`)
	assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
	assert.Equal(t, "written", firstText(t, raw))
	result = mcp.NewToolResultStructuredOnly(map[string]any{"dryRun": true})
	sdktest.AssertRefused(t, k.call(modern, "alice", "write_note", `{"text":"x","dryRunToken":"`+preview()+`"}`),
		contract.CodeOutputInvalid)
}

func TestThreat119_WritesOfAWrappedToolsFunctionsDoNotReachItsHandler(t *testing.T) {
	t.Parallel()
	type note struct {
		Tags map[string]any `json:"tags"`
	}
	var ran []any
	tool := mcp.NewToolWithRawSchema("write_note", "Writes a note.",
		json.RawMessage(`{"type":"object","properties":{"tags":{"type":"object"}}}`))
	tool.RawOutputSchema = json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}}}`)
	spoil := func(in json.RawMessage) {
		for i := range in {
			in[i] = ' '
		}
	}
	wrapped := mcpgo.Wrap(tool, func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var bound note
		if err := req.BindArguments(&bound); err != nil {
			return nil, err
		}
		ran = append(ran, bound.Tags["env"], req.GetArguments()["tags"])
		return mcp.NewToolResultStructuredOnly(map[string]any{"id": "a"}), nil
	}).Version("1.0.0").Effect(risk.LowRiskWrite).Permissions("notes:write").
		ConfirmWhen(func(in json.RawMessage) bool { spoil(in); return false }).
		Resolve(contract.Least{}, func(in json.RawMessage) contract.Resolution { spoil(in); return contract.Resolution{} }).
		DryRun(dryrun.By(func(_ context.Context, in json.RawMessage) (dryrun.Preview[noteCount], error) {
			spoil(in)
			return dryrun.Preview[noteCount]{}, nil
		}).Required()).MustBuild()
	k := newKit(t, []*contract.Tool{wrapped})
	var preview struct{ DryRunToken string }
	raw := sdktest.Parse(t, k.call(modern, "alice", "write_note",
		`{"tags":{"env":"staging"},"dryRun":true}`)).Result.StructuredContent
	sdktest.Unmarshal(t, string(raw), &preview)
	answer := k.call(modern, "alice", "write_note", `{"tags":{"env":"staging"},"dryRunToken":"`+preview.DryRunToken+`"}`)
	assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, answer).Status, answer)
	assert.Equal(t, []any{"staging", map[string]any{"env": "staging"}}, ran)
}

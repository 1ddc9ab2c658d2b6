package mail

import (
	"context"
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

func TestBulkSend_NeedsADryRunAndRunsOncePerDryRun(t *testing.T) {
	t.Parallel()
	alice := guard.Principal{Issuer: "test", Subject: "alice", Permissions: []string{"emails:send"}}
	g, err := guard.New(guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
		return alice, nil
	})))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	post := &Post{}
	tools, err := post.Tools()
	require.NoError(t, err)
	table, err := adapter.NewTable(g, adapter.Config{Tools: tools})
	require.NoError(t, err)
	asked := 0
	call := func(members map[string]any) *adapter.CallResult {
		arguments := map[string]any{"templateId": "tmpl_newsletter_q3", "segmentId": "seg_active_customers"}
		maps.Copy(arguments, members)
		raw, err := json.Marshal(arguments)
		require.NoError(t, err)
		r, err := table.Call(t.Context(), table.Entry("emails_bulk_send"), adapter.Request{Arguments: raw, Client: adapter.Client{
			Capabilities: adapter.Capabilities{Elicitation: &adapter.ElicitationCapability{}},
			Ask: func(context.Context, adapter.Elicitation) (json.RawMessage, error) {
				asked++
				return json.RawMessage(`{"action":"accept","content":{"confirm":true}}`), nil
			},
		}})
		require.NoError(t, err)
		return r
	}

	preview := call(map[string]any{"dryRun": true})
	require.Equal(t, contract.StatusDryRun, preview.Outcome.Status)
	var said struct {
		BulkPreview
		Warnings            []string `json:"warnings"`
		ExpectedSideEffects []string `json:"expectedSideEffects"`
		DryRunToken         string   `json:"dryRunToken"`
	}
	require.NoError(t, json.Unmarshal(preview.Structured, &said))
	assert.Equal(t, 4821, said.RecipientCount)
	assert.Len(t, said.SampleMessages, 2)
	assert.Len(t, said.Warnings, 2)
	assert.Len(t, said.ExpectedSideEffects, 3)
	assert.Zero(t, asked, "a dry run needs no confirmation")

	assert.Equal(t, contract.CodeDryRunRequired, call(nil).Outcome.Code)
	assert.Equal(t, contract.CodeDryRunRequired,
		call(map[string]any{"segmentId": "seg_all", "dryRunToken": said.DryRunToken}).Outcome.Code)
	assert.Zero(t, post.Campaigns())
	sent := call(map[string]any{"dryRunToken": said.DryRunToken})
	require.Equal(t, contract.StatusOK, sent.Outcome.Status, sent.Outcome.Code)
	assert.JSONEq(t, `{"sent":4809,"skipped":12}`, string(sent.Structured))
	assert.Equal(t, contract.CodeDryRunRequired, call(map[string]any{"dryRunToken": said.DryRunToken}).Outcome.Code)
	assert.Equal(t, 1, post.Campaigns())
}

package mcpgo_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// callWithKey calls a tool that takes a text. An empty key is not sent.
func callWithKey(t *testing.T, c *client.Client, tool, text, key string) *mcp.CallToolResult {
	t.Helper()
	req := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: map[string]any{"text": text}}}
	if key != "" {
		req.Params.Meta = mcp.NewMetaFromMap(map[string]any{contract.MetaKeyIdempotencyKey: key})
	}
	r, err := c.CallTool(t.Context(), req)
	require.NoError(t, err)
	return r
}

func TestReplay_IsVisibleToTheModel(t *testing.T) {
	t.Parallel()
	closed := contract.Fatal("closed", "The notes are closed.")
	n := &tools{}
	written := n.Note(nil).Failures(closed).Idempotency(contract.Idempotency{Mode: idempotency.Keyed}).MustBuild()
	foreign := contract.New("notes.copy", func(_ context.Context, in noteIn) (string, error) {
		if in.Text == "closed" {
			return "", closed
		}
		return in.Text, nil
	}).Description("Copies.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Untrusted).Permissions("notes:write").
		Failures(closed).Idempotency(contract.Idempotency{Mode: idempotency.Managed}).MustBuild()
	k := newKit(t, []*contract.Tool{written, foreign})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		n.Notes.Store(0)
		c := k.client(e, "alice")
		key := "key of " + string(e)
		for range 2 {
			r := callWithKey(t, c, "notes.write", "hello", "")
			require.Len(t, r.Content, 1)
		}
		require.EqualValues(t, 2, n.Notes.Load(), "a call without a key runs")

		replayed := func(tool, text, key string) *mcp.CallToolResult {
			before := time.Now().Add(-time.Second)
			first := callWithKey(t, c, tool, text, key)
			second := callWithKey(t, c, tool, text, key)
			require.Len(t, second.Content, len(first.Content)+1)
			assert.Equal(t, first.Content, second.Content[:len(first.Content)])
			assert.Equal(t, first.StructuredContent, second.StructuredContent)
			assert.Equal(t, first.IsError, second.IsError)
			note := second.Content[len(first.Content)].(mcp.TextContent).Text
			when := regexp.MustCompile(`^This is the recorded result of the same call at (\S+); nothing was ` +
				`done again\.$`).FindStringSubmatch(note)
			require.Len(t, when, 2, note)
			at, err := time.Parse("2006-01-02T15:04:05Z", when[1])
			require.NoError(t, err)
			assert.WithinRange(t, at, before, time.Now())
			return second
		}
		assert.Equal(t, map[string]any{"sum": 5.0}, replayed("notes.write", "hello", key).StructuredContent)
		assert.EqualValues(t, 3, n.Notes.Load())
		text := replayed("notes.copy", "of "+string(e), "").Content[0].(mcp.TextContent).Text
		assert.Contains(t, text, "untrusted-content-")
	})
	assert.True(t, callWithKey(t, k.client(modern, "alice"), "notes.copy", "closed", "").IsError)
	r := callWithKey(t, k.client(modern, "alice"), "notes.copy", "closed", "")
	assert.True(t, r.IsError)
	assert.Len(t, r.Content, 2)
}

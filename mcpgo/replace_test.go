package mcpgo_test

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func TestReplace_DoesNotNotifyIfNothingChanged(t *testing.T) { //nolint:paralleltest // mcp-go has one stdio session
	k := newKit(t, []*contract.Tool{wordTool("word.same", "one").MustBuild()})
	c := k.overStdio(legacy)
	changed := make(chan struct{}, 8)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/tools/list_changed" {
			changed <- struct{}{}
		}
	})
	require.NoError(t, mcpgo.Replace(k.server, wordTool("word.same", "two").MustBuild()))
	_, err := callTool(context.Background(), c, "word.same", map[string]any{})
	require.NoError(t, err)
	assert.Empty(t, changed)
	require.NoError(t, mcpgo.Replace(k.server, wordTool("word.other", "two").MustBuild()))
	<-changed
}

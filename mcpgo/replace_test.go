package mcpgo_test

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
)

func TestReplace_ServesExactlyTheGivenTools(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{
		wordTool("word.same", "one").MustBuild(), wordTool("word.changed", "one").Aliases("word.alias").MustBuild(),
		wordTool("word.gone", "one").MustBuild(), wordTool("word.hidden", "one").MustBuild(),
	})
	c := k.client(modern, "alice")
	require.Equal(t, []string{"word.changed", "word.gone", "word.hidden", "word.same"}, listedNames(t, c))
	require.NoError(t, mcpgo.Replace(k.server,
		wordTool("word.same", "two").MustBuild(), wordTool("word.changed", "two").Version("2.0.0").MustBuild(),
		wordTool("word.fresh", "two").MustBuild(), wordTool("word.hidden",
			"two").Risk(risk.Forbidden).Permissions("notes:write").MustBuild()))
	assert.Equal(t, []string{"word.changed", "word.fresh", "word.same"}, listedNames(t, c))
	for _, name := range []string{"word.same", "word.changed", "word.fresh"} {
		assert.Equal(t, "two", firstText(t, k.call(modern, "alice", name, `{}`)), name)
	}
	for _, name := range []string{"word.gone", "word.hidden", "word.alias"} {
		assertUnknown(t, k.call(modern, "alice", name, `{}`), name)
	}
	require.NoError(t, mcpgo.Verify(k.server))

	require.NoError(t, mcpgo.Replace(k.server))
	assert.Empty(t, listedNames(t, c))
	require.NoError(t, mcpgo.Replace(k.server, wordTool("word.gone", "back").MustBuild(), wordTool("word.same", "back").MustBuild()))
	assert.Equal(t, []string{"word.gone", "word.same"}, listedNames(t, c))
	assert.Equal(t, "back", firstText(t, k.call(modern, "alice", "word.gone", `{}`)))
}

func TestReplace_LeavesToolsWithoutAContract(t *testing.T) {
	t.Parallel()
	s := orders()
	require.NoError(t, mcpgo.Register(s, nil, asWritten(mcpgo.WithTools(wordTool("word.first", "one").MustBuild()))...))
	before := len(s.ListTools())
	require.NoError(t, mcpgo.Replace(s))
	assert.Len(t, s.ListTools(), before-1)
}

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

func TestReplace_RefusesWhatCannotBeServed(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{wordTool("word.first", "one").MustBuild()})
	require.NotEmpty(t, contract.DeclarationErrors(mcpgo.Replace(k.server, nil)))
	assert.Empty(t, listedNames(t, k.client(modern, "alice")), "the old contract is not served any more")
	assert.Equal(t, []string{"serve.server"}, sdktest.Rules(mcpgo.Replace(orders())))
	assert.Equal(t, []string{"serve.server"}, sdktest.Rules(mcpgo.Replace(nil)))
}

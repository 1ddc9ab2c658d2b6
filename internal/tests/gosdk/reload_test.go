package gosdk_test

import (
	"context"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
)

// Only this SDK collects changes for a moment before it notifies its clients,
// and a client that lists the tools then must see those of the last change.
func TestWrapAll_ClientsAreNotifiedOfToolsThatAreRegisteredAgain(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "cluster", Version: "1"}, nil)
	add := func(name, words string) {
		s.AddTool(hinted(name, mcp.ToolAnnotations{ReadOnlyHint: true}), answering(words))
	}
	add("pods_list", "first")
	add("helm_list", "first")
	k := newKitOf(t, s)
	_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: versioned()})
	require.NoError(t, err)
	changed := make(chan struct{}, 100)
	client := connect(t, k.transport("alice"), legacy, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	all := []string{"helm_list", "pods_list"}
	require.Equal(t, all, listedNames(t, client))
	for _, step := range []struct {
		name   string
		change func()
		listed []string
	}{
		{"a tool is replaced", func() { add("pods_list", "second") }, all},
		{"a tool is removed", func() { s.RemoveTools("helm_list") }, all[1:]},
		{"it is added again", func() { add("helm_list", "second") }, all},
	} {
		step.change()
		select {
		case <-changed:
		case <-time.After(patience):
			require.Fail(t, "the client was not notified", step.name)
		}
		assert.Equal(t, step.listed, listedNames(t, client), step.name)
		assert.Equal(t, "second", firstText(t, k.call(legacy, "alice", "pods_list", `{}`)), step.name)
	}
	require.NoError(t, gosdk.Verify(s))
}

func TestReplace_NotifiesClientsIfTheListChanged(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{wordTool("word.same", "one").MustBuild()})
	changed := make(chan struct{}, 100)
	client := connect(t, k.transport("alice"), legacy, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	require.NoError(t, gosdk.Replace(k.server, wordTool("word.same", "two").MustBuild()))
	assert.Equal(t, "two", firstText(t, k.call(legacy, "alice", "word.same", `{}`)))
	require.NoError(t, gosdk.Replace(k.server, wordTool("word.other", "two").MustBuild()))
	select {
	case <-changed:
	case <-time.After(patience):
		require.Fail(t, "the client was not notified")
	}
	assert.Equal(t, []string{"word.other"}, listedNames(t, client))
}

package gosdk_test

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// regional returns a tool whose region is repeated in a header.
func regional(name string) *mcp.Tool {
	tool := hinted(name, mcp.ToolAnnotations{ReadOnlyHint: true})
	tool.InputSchema = json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)
	return tool
}

// The SDK compares a registered tool's headers before any middleware runs.
func TestWrapAll_DropsHeadersOfToolsThatCanBeHidden(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "regions", Version: "1.0.0"}, nil)
	s.AddTool(regional("find_region"), answering("found"))
	k := newKitOf(t, s)
	_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: versioned()})
	require.NoError(t, err)
	sdktest.EachEra(t, func(t *testing.T, e era) {
		client := k.client(e, "alice")
		listed, err := client.ListTools(t.Context(), nil)
		require.NoError(t, err)
		raw, err := json.Marshal(listed.Tools)
		require.NoError(t, err)
		assert.NotContains(t, string(raw), "x-mcp-header")
		result, err := callTool(t.Context(), client, "find_region", map[string]any{"region": "north"})
		require.NoError(t, err)
		assert.Equal(t, "found", textOf(t, result))
		sdktest.AssertRefused(t, k.call(e, "bob", "find_region", `{"region":"north"}`), contract.CodePermissionDenied)
	})
	require.NoError(t, gosdk.Verify(s))
}

// A tool that is already served can't be changed, so it gets no contract.
func TestWrapAll_RefusesHeadersOfToolsThatAreAddedLater(t *testing.T) {
	t.Parallel()
	s := orders()
	k := newKitOf(t, s)
	_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: versioned()})
	require.NoError(t, err)
	s.AddTool(regional("find_region"), answering("found"))
	assert.NotContains(t, listedNames(t, k.client(legacy, "alice")), "find_region")
	assertUnknown(t, k.call(legacy, "alice", "find_region", `{"region":"north"}`), "find_region")
	assert.Equal(t, []string{"verify.added find_region"}, sdktest.Rules(gosdk.Verify(s)))
}

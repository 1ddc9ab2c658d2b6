package mcpgo_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/keys"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func TestHandlerOf_ServesAServerThatExistsAlready(t *testing.T) {
	t.Parallel()
	k, s, add := newKit(t, nil), orders(), new(tools).Add().MustBuild()
	require.NoError(t, mcpgo.Register(s, k.guard, mcpgo.WithTools(add)))
	h, err := mcpgo.HandlerOf(s, server.WithStateLess(true))
	require.NoError(t, err)
	web := httptest.NewServer(keys.Handler(h, keys.For(contract.Underscore, add)))
	t.Cleanup(web.Close)
	k.url = web.URL
	annotations := annotationsOf(t, k.post(modern, "", "tools/list", "", sdktest.Message(t, modern, 3, "tools/list", "{}")))
	assert.Equal(t, addKeys, annotations["calc_add"])
	assert.NotContains(t, annotations["find_order"], "risk_level", "it has no contract")
	assert.Contains(t, annotations, "find_order")
	large := sdktest.Message(t, modern, 4, "tools/list", `{"x":"`+strings.Repeat("x", 5<<20)+`"}`)
	assert.Contains(t, k.post(modern, "", "tools/list", "", large), "too large")

	for _, bad := range []*server.MCPServer{nil, server.NewMCPServer("plain", "1.0.0")} {
		_, err = mcpgo.HandlerOf(bad)
		assert.Equal(t, []string{"serve.server"}, sdktest.Rules(err))
		assert.Nil(t, mcpgo.ToolsetOf(bad))
	}
	_, err = mcpgo.HandlerOf(s, nil)
	assert.Equal(t, []string{"serve.option"}, sdktest.Rules(err))
	assert.Len(t, mcpgo.ToolsetOf(s).Tools(), 1)
}

// annotationsOf returns the annotations of the listed tools.
func annotationsOf(t *testing.T, answer string) (annotations map[string]map[string]any) {
	t.Helper()
	for line := range strings.Lines(answer) { // of an event stream
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			answer = data
		}
	}
	var rest map[string]any
	sdktest.Unmarshal(t, answer, &rest)
	annotations = map[string]map[string]any{}
	result, ok := rest["result"].(map[string]any)
	require.True(t, ok, answer)
	tools, _ := result["tools"].([]any)
	for _, listed := range tools {
		tool, _ := listed.(map[string]any)
		annotations[fmt.Sprint(tool["name"])], _ = tool["annotations"].(map[string]any)
	}
	return annotations
}

// addKeys are the annotations of the tool calc.add with keys.
var addKeys = map[string]any{
	"title": "Add", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false,
	"risk_level": "read-only", "content_trust_risk": "trusted", "version": "1.2.3", "aliases": []any{"calc_plus"},
}

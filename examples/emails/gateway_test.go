package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// sendKeys are the annotations of emails.send_external with -gateway. Its side
// effect is irreversible, but only a destructive effect counts here.
var sendKeys = map[string]any{
	"title": "Send email", "openWorldHint": true, "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false,
	"risk_level": "external-publication", "content_trust_risk": "trusted", "version": "1.0.0",
}

// hasKeys reports whether the answer to tools/list has them.
func hasKeys(t *testing.T, answer []byte) bool {
	t.Helper()
	_, list, found := strings.Cut(string(answer), `"tools":[`)
	require.True(t, found, string(answer))
	var tools []struct {
		Name        string
		Annotations map[string]any
	}
	require.NoError(t, json.NewDecoder(strings.NewReader("["+list)).Decode(&tools))
	for _, tool := range tools {
		if tool.Name == "emails.send_external" {
			return maps.Equal(sendKeys, tool.Annotations)
		}
	}
	require.Fail(t, "the tool is missing", string(answer))
	return false
}

func TestGateway_ListHasTheKeysOverHTTP(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"-gateway"}} {
		url := exampletest.Serve(t, flags...)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url,
			strings.NewReader(`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{`+modernMeta+`}}`))
		require.NoError(t, err)
		for name, value := range map[string]string{
			"Authorization": "Bearer alice", "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": exampletest.Modern, "Mcp-Method": "tools/list",
		} {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		list, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, flags != nil, hasKeys(t, list))
	}
}

func TestGateway_ListHasTheKeysOverStdio(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"-gateway"}} {
		cmd := exampletest.Command(t, flags...)
		cmd.Stdin = strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
		list, err := cmd.Output()
		require.NoError(t, err)
		assert.Equal(t, flags != nil, hasKeys(t, list))
	}
}

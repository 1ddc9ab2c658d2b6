package mcpgo_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// The codes in the audit log of calls that never reach a handler.
const (
	codeUnknownTool = "unknown_tool"
	codeUnparsable  = "unparsable"
)

func TestRefusal_ByMCPGoIsAuditedOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		token, params   string
		principal, tool string
		code            string
	}{
		"an unknown name": {"alice", `{"name":"no.such","arguments":{"s":"secret"}}`, "alice", "no.such", codeUnknownTool},
		"a forbidden name": {"alice", `{"name":"keys.read","arguments":{"s":"secret"}}`, "alice", "keys.read",
			codeUnknownTool},
		"an anonymous unknown name":    {"", `{"name":"no.such"}`, "", "no.such", codeUnknownTool},
		"no name":                      {"alice", `{"arguments":{}}`, "alice", "", codeUnknownTool},
		"parameters that do not parse": {"alice", `{"name":5,"arguments":{"s":"secret"}}`, "", "", codeUnparsable},
		"a number too large for Go": {
			"alice", `{"name":"notes.write","arguments":{"text":1e999}}`, "", "", codeUnparsable,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, (&tools{}).All())
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + test.params + `}`
			raw := k.post(legacy, test.token, "tools/call", "", []byte(body))
			require.NotNil(t, sdktest.Parse(t, raw).Error)
			events := k.events(audit.Terminal)
			require.Len(t, events, 1)
			e := events[0]
			assert.Equal(t, test.principal, e.Principal)
			assert.Equal(t, test.tool, e.Tool)
			assert.Equal(t, test.code, e.Code)
			assert.Equal(t, audit.Deny, e.Decision)
			assert.True(t, e.Agent)
			line, err := json.Marshal(e)
			require.NoError(t, err)
			assert.NotContains(t, string(line), "secret")
		})
	}
}

func TestRefusal_NameCannotForgeTheLog(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All())
	hostile := "x\x1b[2J\r\nfake=1\u202e" + strings.Repeat("y", 500)
	k.call(legacy, "alice", hostile, `{}`)
	events := k.events(audit.Terminal)
	require.Len(t, events, 1)
	for _, e := range events {
		assert.LessOrEqual(t, len(e.Tool), 128)
		assert.NotContains(t, e.Tool, "\x1b")
		assert.NotContains(t, e.Tool, "\u202e")
	}
}

// Errors of methods other than tools/call are not audited as calls.
func TestRefusal_ErrorsOfOtherMethodsAreNotAudited(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All())
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"?"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x:"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"no/such"}`,
	} {
		assert.NotNil(t, sdktest.Parse(t, k.post(legacy, "alice", "", "", []byte(body))).Error)
	}
	assert.Empty(t, k.events(audit.Terminal))
}

// A call that the guard refused has one event, because only the guard audits
// it.
func TestRefusal_ByTheGuardIsAuditedOnce(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All())
	_, err := callTool(t.Context(), k.client(modern, "bob"), "notes.write", map[string]any{"text": "x"})
	require.NoError(t, err)
	_, err = callTool(t.Context(), k.client(modern, "bob"), "no.such", nil)
	require.Error(t, err)
	_, err = k.server.GetTool("calc.add").Handler(t.Context(),
		mcp.CallToolRequest{Params: mcp.CallToolParams{Arguments: map[string]any{"a": 1}}})
	require.NoError(t, err)
	assert.Len(t, k.events(audit.Terminal), 3)
}

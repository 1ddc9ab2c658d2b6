package mcpgo_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// Over stdio, requests of both eras share a session of mcp-go, which overwrites
// its capabilities with those of each modern request.
func TestThreat118_CapabilitiesOfARequestCountForNoOther(t *testing.T) {
	t.Parallel()
	const forms, none = `{"elicitation":{}}`, `{}`
	for name, test := range map[string]struct {
		initialize, modern string
		asked              bool
	}{
		"a modern request adds none":     {none, forms, false},
		"a modern request takes none":    {forms, none, true},
		"no initialize declares nothing": {"", forms, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := sdktest.Start(t, sdktest.Patience, sdktest.KindNew)
			if test.initialize != "" {
				p.Send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"c",`+
					`"version":"1"},"capabilities":`+test.initialize+"}}\n",
					`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
				require.NotNil(t, p.Answer().Result)
			}
			p.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{%q:"2026-07-28",%q:{"name":"c",`+
				`"version":"1"},%q:%s}}}`+"\n",
				mcp.MetaKeyProtocolVersion, mcp.MetaKeyClientInfo, mcp.MetaKeyClientCapabilities, test.modern))
			require.NotNil(t, p.Answer().Result)

			p.Send(sdktest.Call(3, "notes.send", `{"text":"hello"}`) + "\n")
			require.True(t, p.Lines.Scan())
			var sent struct {
				ID     json.RawMessage
				Method string
			}
			sdktest.Unmarshal(t, p.Lines.Text(), &sent)
			if !test.asked {
				a := sdktest.Parse(t, p.Lines.Text())
				assert.Empty(t, sent.Method)
				assert.Equal(t, contract.CodeConfirmationRequired, codeOf(t, a))
				return
			}
			require.Equal(t, "elicitation/create", sent.Method)
			p.Send(`{"jsonrpc":"2.0","id":` + string(sent.ID) + `,"result":{"action":"decline"}}` + "\n")
			assert.Equal(t, contract.CodeConfirmationDeclined, codeOf(t, p.Answer()))
		})
	}
}

func codeOf(t *testing.T, a sdktest.Response) string {
	t.Helper()
	require.NotNil(t, a.Result)
	var o contract.Outcome
	require.NoError(t, json.Unmarshal(a.Result.Meta[contract.MetaKeyOutcome], &o))
	return o.Code
}

package sdks_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// Over stdio, requests of both eras share a session. mcp-go overwrites its
// capabilities with those of each modern request.
func TestThreat118_CapabilitiesOfARequestCountForNoOther(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
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
				p := run(t, s, patience, kindNew)
				if test.initialize != "" {
					p.initialize(test.initialize)
				} else if s.Name() == "gosdk" {
					t.Skip("the session of the SDK begins with its first request, in either era")
				}
				p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{`+
					`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},`+
					`"io.modelcontextprotocol/clientCapabilities":%s}}}`+"\n", test.modern))
				require.NotNil(t, p.answer().Result)

				p.send(sdktest.Call(3, "notes.send", `{"text":"hello"}`) + "\n")
				require.True(t, p.lines.Scan())
				var sent struct {
					ID     json.RawMessage
					Method string
				}
				sdktest.Unmarshal(t, p.lines.Text(), &sent)
				if !test.asked {
					a := sdktest.Parse(t, p.lines.Text())
					assert.Empty(t, sent.Method)
					assert.Equal(t, contract.CodeConfirmationRequired, codeOf(t, a))
					return
				}
				require.Equal(t, "elicitation/create", sent.Method)
				p.send(`{"jsonrpc":"2.0","id":` + string(sent.ID) + `,"result":{"action":"decline"}}` + "\n")
				assert.Equal(t, contract.CodeConfirmationDeclined, codeOf(t, p.answer()))
			})
		}
	})
}

func codeOf(t *testing.T, a sdktest.Response) string {
	t.Helper()
	require.NotNil(t, a.Result)
	var o contract.Outcome
	require.NoError(t, json.Unmarshal(a.Result.Meta[contract.MetaKeyOutcome], &o))
	return o.Code
}

// Ten calls ask a stdio client that answers none of the questions. Two
// questions wait, the other calls are answered as unavailable, and other tools
// still work.
func TestThreat106_OpenQuestionsDoNotStopAStdioServer(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := run(t, s, patience, kindNew)
		p.initialize(`{"elicitation":{}}`)
		for id := 1; id <= 10; id++ {
			p.send(sdktest.Call(id, "notes.send", fmt.Sprintf(`{"text":"%d"}`, id)) + "\n")
		}
		questions, unavailable := []any{}, 0
		for len(questions)+unavailable < 10 {
			require.True(t, p.lines.Scan(), "no further message")
			var m struct {
				ID     any    `json:"id"`
				Method string `json:"method"`
			}
			sdktest.Unmarshal(t, p.lines.Text(), &m)
			if m.Method == "elicitation/create" {
				questions = append(questions, m.ID)
				continue
			}
			a := sdktest.Parse(t, p.lines.Text())
			require.NotNil(t, a.Result)
			assert.Contains(t, a.Result.Content[0].Text, contract.CodeUnavailable)
			unavailable++
		}
		assert.Len(t, questions, 2)
		p.send(sdktest.Call(11, "calc.add", `{"a":1}`) + "\n")
		a := p.answer()
		assert.EqualValues(t, 11, a.ID)
		for _, id := range questions {
			raw, err := json.Marshal(id)
			require.NoError(t, err)
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"confirm":true}}}`, raw) + "\n")
		}
		for range questions {
			a := p.answer()
			require.NotNil(t, a.Result)
			assert.False(t, a.Result.IsError, a.Result.Content[0].Text)
		}
		require.NoError(t, p.in.Close())
		require.NoError(t, p.gate.Close())
		code, terminal := p.ends()
		assert.Zero(t, code)
		assert.Len(t, terminal, 11)
	})
}

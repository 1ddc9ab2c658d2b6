package client_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
)

// If a modern server refuses the version of the first request and names one
// that the client speaks, the client asks once more. Any other refusal leads to
// the older handshake.
func TestDial_AsksAgainWithAVersionThatTheServerNames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refusal  string
		refusals int64
		modern   bool
	}{
		"once":                     {`{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}`, 1, true},
		"always":                   {`{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}`, 9, false},
		"another version":          {`{"code":-32022,"message":"no","data":{"supported":["2027-01-01"]}}`, 1, false},
		"without data":             {`{"code":-32022,"message":"no"}`, 1, false},
		"another code":             {`{"code":-32000,"message":"no","data":{"supported":["2026-07-28"]}}`, 1, false},
		"data of another form":     {`{"code":-32022,"message":"no","data":["2026-07-28"]}`, 1, false},
		"a server that has a list": {`{"code":-32022,"message":"no","data":{"supported":["2025-11-25","2026-07-28"]}}`, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var discovers atomic.Int64
			server := web(t, func(w http.ResponseWriter, r *http.Request) {
				m, ok := posted(w, r)
				if !ok {
					return
				}
				w.Header().Set("Content-Type", "application/json")
				switch m.Method {
				case "server/discover":
					if discovers.Add(1) <= test.refusals {
						w.WriteHeader(http.StatusBadRequest)
						fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, test.refusal)
						return
					}
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}`, m.ID)
				case "initialize":
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}`, m.ID)
				default:
					w.WriteHeader(http.StatusAccepted)
				}
			})
			s, err := client.New(server).Dial(t.Context(), client.Person{})
			require.NoError(t, err)
			assert.Equal(t, test.modern, s.Modern())
			assert.LessOrEqual(t, discovers.Load(), int64(2))
			require.NoError(t, s.Close())
		})
	}
}

// The protocol forbids a tool with an invalid header annotation over HTTP.
func TestSession_RefusesAToolWithAnInvalidHeader(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		property string
		refused  bool
	}{
		"valid":               {`"a":{"type":"string","x-mcp-header":"A"}`, false},
		"valid, with null":    {`"a":{"type":["integer","null"],"x-mcp-header":"A"}`, false},
		"valid beside a true": {`"a":{"type":"boolean","x-mcp-header":"A"},"b":true`, false},
		"empty":               {`"a":{"type":"string","x-mcp-header":""}`, true},
		"no text":             {`"a":{"type":"string","x-mcp-header":1}`, true},
		"a blank":             {`"a":{"type":"string","x-mcp-header":"A B"}`, true},
		"a line break":        {`"a":{"type":"string","x-mcp-header":"A\nB"}`, true},
		"of an object":        {`"a":{"type":"object","x-mcp-header":"A"}`, true},
		"of a number":         {`"a":{"type":"number","x-mcp-header":"A"}`, true},
		"twice":               {`"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}`, true},
		"nested":              {`"o":{"type":"object","properties":{"a":{"type":"array","x-mcp-header":"A"}}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			server := web(t, func(w http.ResponseWriter, r *http.Request) {
				m, ok := posted(w, r)
				if !ok {
					return
				}
				w.Header().Set("Content-Type", "application/json")
				result := `{"supportedVersions":["2026-07-28"],"capabilities":{}}`
				switch m.Method {
				case "tools/list":
					result = `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{` + test.property + `}}}]}`
				case "tools/call":
					calls.Add(1)
					result = `{"content":[]}`
				}
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
			})
			s, err := client.New(server).Dial(t.Context(), client.Person{})
			require.NoError(t, err)
			_, err = s.ListTools(t.Context(), "")
			require.NoError(t, err)
			_, err = s.CallTool(t.Context(), client.CallParams{Name: "t", Arguments: []byte(`{"a":"x"}`)})
			if test.refused {
				require.ErrorIs(t, err, client.ErrUnsent)
				assert.Zero(t, calls.Load())
				return
			}
			require.NoError(t, err)
			assert.EqualValues(t, 1, calls.Load())
		})
	}
}

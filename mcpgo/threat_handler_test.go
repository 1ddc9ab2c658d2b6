package mcpgo_test

import (
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// A program can put the definition of one contract and the handler of another
// together, because mcp-go returns both.
func TestThreat123_HandlerOfAnotherContractRunsUnderNoDefinition(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		definition, handler string
		ofAnother           bool // the handler is that of an equal tool on another server
	}{
		"another tool of this server":     {"calc.add", "notes.write", false},
		"an alias of this server":         {"calc.add", "calc.plus", false},
		"the same name on another server": {"calc.add", "calc.add", true},
		"an alias on another server":      {"calc.plus", "calc.plus", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sdktest.EachEra(t, func(t *testing.T, e era) {
				var here, there tools
				k, other := newKit(t, here.All()), newKit(t, there.All())
				from := k.server
				if test.ofAnother {
					from = other.server
				}
				k.server.AddTool(k.server.GetTool(test.definition).Tool, from.GetTool(test.handler).Handler)

				assert.Equal(t, []string{"verify.replaced " + test.definition}, sdktest.Rules(mcpgo.Verify(k.server)))
				client := k.client(e, "alice")
				assert.NotContains(t, listedNames(t, client), test.definition)
				_, err := callTool(t.Context(), client, test.definition, map[string]any{"a": 1, "b": 2})
				require.Error(t, err)
				for _, n := range []*tools{&here, &there} {
					assert.Zero(t, n.Adds.Load()+n.Notes.Load())
				}
			})
		})
	}
}

// A server without contracts has no filters, so the handler itself refuses.
func TestThreat123_HandlerRunsOnNoOtherServer(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		n := &tools{}
		k := newKit(t, n.All())
		plain := &kit{t: t, server: server.NewMCPServer("plain", "1.0.0")}
		plain.server.AddTool(k.server.GetTool("calc.add").Tool, k.server.GetTool("calc.add").Handler)
		plain.serveHTTP()

		_, err := callTool(t.Context(), plain.client(e, "alice"), "calc.add", map[string]any{"a": 1, "b": 2})
		require.Error(t, err)
		assert.Zero(t, n.Adds.Load())
	})
}

package gosdk_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// watchLists adds middleware that keeps the first tool of a list, and changes
// it in place.
func watchLists(s *mcp.Server) (first func() *mcp.Tool) {
	var seen *mcp.Tool
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			if r, ok := result.(*mcp.ListToolsResult); ok {
				seen = r.Tools[0]
				seen.Description += "!"
			}
			return result, err
		}
	})
	return func() *mcp.Tool { return seen }
}

// The SDK gets no schemas of tools with contracts, so middleware below
// Register's does not see them.
func TestRegister_TheSDKGetsStubsAndClientsTheSchemas(t *testing.T) {
	t.Parallel()
	n := &tools{}
	s := mcp.NewServer(&mcp.Implementation{Name: "calc", Version: "1"}, nil)
	inner := watchLists(s)
	k := newKitOf(t, s)
	require.NoError(t, gosdk.Register(s, k.guard, asWritten(gosdk.WithTools(n.Add().MustBuild()))...))
	doc := n.Add().MustBuild().Document()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		client := k.client(e, "alice")
		for range 2 { // a change that stayed would show in the second list
			listed, err := client.ListTools(t.Context(), nil)
			require.NoError(t, err)
			require.Len(t, listed.Tools, 1)
			assert.Equal(t, doc.Description, listed.Tools[0].Description)
			assertJSON(t, string(doc.InputSchema), listed.Tools[0].InputSchema)
			assertJSON(t, string(doc.OutputSchema), listed.Tools[0].OutputSchema)
		}
	})
	assert.Equal(t, "calc.add", inner().Name)
	assertJSON(t, `{"type":"object"}`, inner().InputSchema)
	assertJSON(t, `{"type":"object"}`, inner().OutputSchema)
	require.NoError(t, gosdk.Verify(s), "the change of the stub reaches nobody")
}

func TestRegister_MiddlewareAddedLaterSeesTheSchemas(t *testing.T) {
	t.Parallel()
	n := &tools{}
	s := mcp.NewServer(&mcp.Implementation{Name: "calc", Version: "1"}, nil)
	k := newKitOf(t, s)
	require.NoError(t, gosdk.Register(s, k.guard, asWritten(gosdk.WithTools(n.Add().MustBuild()))...))
	outer := watchLists(s)
	listedNames(t, k.client(modern, "alice"))
	assertJSON(t, string(n.Add().MustBuild().Document().InputSchema), outer().InputSchema)

	_, handler, runs := intruder("calc.add")
	s.AddTool(outer(), handler)
	assertUnknown(t, k.call(modern, "alice", "calc.add", `{"a":1,"b":2}`), "calc.add")
	assert.Zero(t, runs.Load(), "a listed tool is not the registered one")
}

// The SDK compares a call's headers with the schema that it has.
func TestNewServer_TheSDKGetsTheSchemaOfAToolWithHeaders(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{gosdk.Wrap(regional("find_region"), answering("found")).Version("1.0.0").Effect(risk.ReadOnly).
		Trust(trust.Trusted).MustBuild()})
	body := sdktest.Message(t, modern, 7, "tools/call", `{"name":"find_region","arguments":{"region":"north"}}`)
	with := func(region string) sdktest.HTTPAnswer {
		return k.send(modern, "", "tools/call", "find_region", body, "Mcp-Param-Region", region)
	}
	assert.Equal(t, "found", firstText(t, with("north").Body))
	wrong := with("south")
	assert.Equal(t, http.StatusBadRequest, wrong.Status)
	require.NotNil(t, sdktest.Parse(t, wrong.Body).Error)
	assert.Equal(t, mcp.CodeHeaderMismatch, sdktest.Parse(t, wrong.Body).Error.Code)
}

func assertJSON(t *testing.T, want string, value any) {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	assert.JSONEq(t, want, string(raw))
}

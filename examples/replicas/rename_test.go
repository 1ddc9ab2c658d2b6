package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/internal/redistest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/trust"
)

// serveAs serves the tool of this example under a name, on a replica of its
// own, and connects a client to it. Clients send the key of a call.
func serveAs(t *testing.T, s settings, name string, aliases ...string) *client.Client {
	t.Helper()
	tool, err := contract.New(name, orders{server: s.Name, warehouse: s.Warehouse}.place).
		Description("Places an order at the warehouse, once for each key.").
		Version("1.0.0").
		Aliases(aliases...).
		Effect(risk.HighRiskWrite).
		Trust(trust.Trusted).
		Permissions("orders:place").
		ConfirmNever("The order was confirmed in the scenario.").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}).
		Build()
	require.NoError(t, err)
	records, err := redisstore.Open(s.Store)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, records.Close()) })
	g, err := guard.New(
		guard.WithPrincipal(mcpgo.Bearer(exampleserver.Principal([]*contract.Tool{tool}))),
		guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { return nil })),
		guard.WithStore(records), guard.WithSealingKeys(s.SealingKey), guard.WithNamespace(s.Namespace),
	)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	handler, err := mcpgo.NewHandler("replicas", "1.0.0", g, mcpgo.WithTools(tool))
	require.NoError(t, err)
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	c, err := connect(exampletest.Patient(t), web.URL)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// In a rolling upgrade, replicas of both releases answer the same clients. The
// newer one has renamed the tool. A call that a client repeats, because it lost
// the answer, must not place the order again.
func TestRename_DuringARollingUpgradePlacesAnOrderOnce(t *testing.T) {
	t.Parallel()
	w, err := openWarehouse(exampletest.Patient(t))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, w.close()) })
	s := settings{
		Name: "before", Store: redistest.Start(t), Warehouse: w.url, Namespace: t.Name(), SealingKey: bytes.Repeat([]byte{7}, 32),
	}
	before := serveAs(t, s, placeTool)
	s.Name = "after"
	after := serveAs(t, s, "orders.submit", placeTool)
	for i, call := range []struct {
		server *client.Client
		tool   string
		status contract.Status
	}{
		{before, "orders_place", contract.StatusOK},
		{after, "orders_submit", contract.StatusReplayed},
		{after, "orders_place", contract.StatusReplayed},
		{before, "orders_place", contract.StatusReplayed},
	} {
		result, err := call.server.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{
			Name: call.tool, Arguments: placeInput{Order: order(0), Quantity: quantity},
			Meta: &mcp.Meta{AdditionalFields: map[string]any{contract.MetaKeyIdempotencyKey: "order-0"}},
		}})
		require.NoError(t, err)
		o, err := outcomeOf(result)
		require.NoError(t, err)
		assert.Equal(t, call.status, o.Status, "call %d", i)
	}
	assert.Len(t, w.all(), 1)
}

package gateway_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type orderIn struct {
	ID string `json:"id,omitempty"`
}

type orderOut struct {
	Placed string `json:"placed"`
}

// A shop is an upstream server of this library over HTTP. It keeps the ids of
// the operations that its guard has named.
type shop struct {
	*server

	fails atomic.Bool
	named atomic.Value // the last id
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := new(shop)
	jam := contract.Fatal("printer_jam", "The printer jammed.").EffectPossible()
	order := func(name string, i contract.Idempotency) *contract.Tool {
		return contract.New(name, func(ctx context.Context, in orderIn) (orderOut, error) {
			if id, ok := guard.OperationID(ctx); ok {
				s.named.Store(id)
			}
			if s.fails.Load() {
				return orderOut{}, jam
			}
			return orderOut{"o1"}, nil
		}).FlatName().Description("Places an order.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
			NoPermissions("The shop is open to all.").Idempotency(i).Failures(jam).MustBuild()
	}
	looksUp := func(name, event string) *contract.Tool {
		return contract.New(name, func(context.Context, orderIn) (orderOut, error) { return orderOut{}, nil }).FlatName().
			Description("Looks up a call.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).AuditEvent(event).MustBuild()
	}
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (
		contract.Principal, error,
	) {
		return contract.Principal{Issuer: "shop", Subject: "gateway"}, nil
	})))
	require.NoError(t, err)
	h, err := mcpgo.NewHandler("shop", "1.0.0", g, mcpgo.WithTier(contract.TierFull), mcpgo.WithTools(
		order("place", contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"id"}}),
		looksUp("calls_get", "operation.looked_up"), looksUp("operations_get", "shop.read"),
	))
	require.NoError(t, err)
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	s.server = &server{client: client.New(client.HTTP{URL: web.URL + "/mcp"})}
	return s
}

// outcomeOf returns the outcome that a client of the gateway reads.
func outcomeOf(t *testing.T, a *adapter.CallResult) contract.Outcome {
	t.Helper()
	var o contract.Outcome
	raw, err := json.Marshal(a.Meta[contract.MetaKeyOutcome])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &o))
	return o
}

// A gateway names its own operations. The ids of an upstream server, which only
// that server could look up, stay behind it.
func TestOperation_IsTheGatewaysOwn(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	k := newKit(t, map[string]*server{"first": s.server}, gateway.Options{}, "first")
	k.refresh()
	for _, fails := range []bool{false, true} {
		s.fails.Store(fails)
		arguments := adapter.Request{Arguments: json.RawMessage(`{"id":"a"}`)}
		if fails {
			arguments.Arguments = json.RawMessage(`{"id":"b"}`)
		}
		var ids []string
		for range 2 {
			table := k.table.Load()
			answer, err := table.Call(context.WithoutCancel(t.Context()), table.Entry("place"), arguments)
			require.NoError(t, err)
			o := outcomeOf(t, answer)
			assert.True(t, strings.HasPrefix(o.OperationID, "op_"), "%+v", o)
			assert.NotEqual(t, s.named.Load(), o.OperationID, "it is the upstream server's")
			ids = append(ids, o.OperationID)
			raw, err := json.Marshal(answer.Meta)
			require.NoError(t, err)
			assert.NotContains(t, string(raw), s.named.Load())
		}
		assert.Equal(t, ids[0], ids[1])
	}
}

// A gateway does not pass on the lookup of an upstream server, and no server
// takes the name of the gateway's own.
func TestOperation_LookupOfAnUpstreamServerIsNotServed(t *testing.T) {
	t.Parallel()
	k := newKit(t, map[string]*server{"first": newShop(t).server}, gateway.Options{}, "first")
	k.refresh()
	assert.Equal(t, []string{"first_operations_get", "place"}, k.names())
}

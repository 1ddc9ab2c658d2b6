package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

// A pricedOrder is the input of the tool that the benchmarks call. It is that
// of the module benchmarks.
type pricedOrder struct {
	Customer string      `json:"customer" jsonschema:"minLength=3,maxLength=40"`
	Currency string      `json:"currency" jsonschema:"enum=EUR,enum=USD"`
	Priority int         `json:"priority" jsonschema:"minimum=1,maximum=5"`
	Express  bool        `json:"express"`
	Note     string      `json:"note" jsonschema:"maxLength=1048576"`
	Lines    []orderLine `json:"lines" jsonschema:"minItems=1,maxItems=50"`
}

type orderLine struct {
	SKU      string  `json:"sku" jsonschema:"minLength=1,maxLength=20"`
	Quantity int     `json:"quantity" jsonschema:"minimum=1,maximum=1000"`
	Price    float64 `json:"price" jsonschema:"minimum=0"`
}

type orderPrice struct {
	OrderID string  `json:"orderId"`
	Total   float64 `json:"total"`
	Lines   int     `json:"lines"`
	Status  string  `json:"status" jsonschema:"enum=priced,enum=refused"`
}

func priceOrder(_ context.Context, in pricedOrder) (orderPrice, error) {
	out := orderPrice{OrderID: "o-" + in.Customer, Lines: len(in.Lines), Status: "priced"}
	for _, l := range in.Lines {
		out.Total += float64(l.Quantity) * l.Price
	}
	return out, nil
}

const (
	validOrder = `{"customer":"c-1042","currency":"EUR","priority":3,"express":true,` +
		`"note":"Leave the parcel with the neighbour at number 12.",` +
		`"lines":[{"sku":"LAMP-01","quantity":2,"price":19.5},{"sku":"BULB-E27","quantity":6,"price":3.25},{"sku":"CORD-2M",` +
		`"quantity":1,"price":7.25}]}`
	invalidOrder = `{"customer":"c-1042","currency":"GBP","priority":9,"express":true,` +
		`"note":"Leave the parcel with the neighbour at number 12.",` +
		`"lines":[{"sku":"LAMP-01","quantity":0,"price":19.5},{"sku":"BULB-E27","quantity":6,"price":3.25},{"sku":"CORD-2M",` +
		`"quantity":1,"price":7.25}]}`
)

func pricing() *contract.Builder[pricedOrder, orderPrice] {
	return contract.New("orders_price", priceOrder).FlatName().Description("Prices an order of up to fifty lines.").
		Version("1.2.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("orders:write").
		SideEffects(contract.SideEffect{Description: "One price is quoted.", Reach: contract.Internal, Undo: contract.Reversible}).
		RateLimit(1_000_000_000, time.Minute)
}

// unlimitedRetries is the tool whose every answer to the same invalid call
// lists the violations.
func unlimitedRetries() *contract.Builder[pricedOrder, orderPrice] {
	return pricing().RetryBudget(1_000_000_000, time.Minute)
}

// managedPricing is the tool that runs once for each key of a client.
func managedPricing() *contract.Tool {
	return pricing().Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}).MustBuild()
}

// plainPricing serves the tool without a contract, and reads and writes JSON as
// a handler does without the help of an SDK.
func plainPricing(tb testing.TB) *server.MCPServer {
	tb.Helper()
	s := server.NewMCPServer("bench", "1.0.0")
	doc := pricing().MustBuild().Document()
	tool := mcp.NewToolWithRawSchema(doc.Name, doc.Description, doc.InputSchema)
	tool.RawOutputSchema = doc.OutputSchema
	s.AddTool(tool, func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in pricedOrder
		if err := json.Unmarshal(req.Params.RawArguments, &in); err != nil {
			return nil, err
		}
		out, err := priceOrder(ctx, in)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(out)
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(text))}, RawStructuredContent: text}, err
	})
	return s
}

// guardedPricing serves the tool with every control on.
func guardedPricing(tb testing.TB, tool *contract.Tool) *server.MCPServer {
	tb.Helper()
	discard := audit.Func(func(context.Context, audit.Event) error { return nil })
	// with room for every call of a benchmark
	records, err := store.NewMemory(store.WithMaxEntries(1<<30), store.WithMaxBytes(1<<40))
	require.NoError(tb, err)
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:write")), guard.WithAudit(discard), guard.WithStore(records))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, g.Close(context.Background())) })
	s, err := mcpgo.NewServer("bench", "1.0.0", g, mcpgo.WithTools(tool))
	require.NoError(tb, err)
	return s
}

// orderCalls returns a function that sends an order to a server, from the bytes
// of the message to the bytes of the answer.
func orderCalls(tb testing.TB, s *server.MCPServer, arguments string, meta func() string) func() []byte {
	tb.Helper()
	session := server.NewInProcessSession("bench", nil)
	ctx := s.WithContext(tb.Context(), session)
	require.NoError(tb, s.RegisterSession(ctx, session))
	s.HandleMessage(ctx, []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`))
	return func() []byte {
		message := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"orders_price","arguments":%s%s}}`,
			arguments, meta())
		answer, err := json.Marshal(s.HandleMessage(ctx, message))
		require.NoError(tb, err)
		return answer
	}
}

func noMeta() string { return "" }

// newKeys returns a function that returns the _meta of a call with a new key.
func newKeys() func() string {
	keys := 0
	return func() string {
		keys++
		return fmt.Sprintf(`,"_meta":{%q:"k-%d"}`, contract.MetaKeyIdempotencyKey, keys)
	}
}

// The answers to the two orders contain these texts.
const (
	priced   = `"total":65.75`
	violated = `"pointer":"/lines/0/quantity"`
)

// A guarded call costs at most 25 allocations more than one of a handler that
// reads and writes JSON itself, with every control on. A call with three
// violations costs at most 240. A managed call with a key costs at most 50 more
// than one with a key of a handler that ignores it.
func TestCall_Allocations(t *testing.T) {
	if !countsAllocations {
		t.Skip("the race detector allocates too")
	}
	call := func(s *server.MCPServer, arguments, answer string, meta func() string) float64 {
		send := orderCalls(t, s, arguments, meta)
		require.Contains(t, string(send()), answer)
		return testing.AllocsPerRun(200, func() { send() })
	}
	bare, full := call(plainPricing(t), validOrder, priced, noMeta), call(guardedPricing(t, pricing().MustBuild()), validOrder,
		priced, noMeta)
	assert.LessOrEqual(t, full, 180.0)
	assert.LessOrEqual(t, full-bare, 25.0)
	assert.LessOrEqual(t, call(guardedPricing(t, unlimitedRetries().MustBuild()), invalidOrder, violated, noMeta), 240.0)
	keyedBare, managed := call(plainPricing(t), validOrder, priced, newKeys()), call(guardedPricing(t, managedPricing()), validOrder,
		priced, newKeys())
	assert.LessOrEqual(t, managed, 250.0)
	assert.LessOrEqual(t, managed-keyedBare, 50.0)
}

// BenchmarkCall measures one tools/call from bytes to bytes.
func BenchmarkCall(b *testing.B) {
	for _, bc := range []struct {
		name, arguments, answer string
		serve                   func(testing.TB) *server.MCPServer
		meta                    func() string
	}{
		{"server=mcpgo/call=valid", validOrder, priced, plainPricing, noMeta},
		{"server=guarded/call=valid", validOrder, priced, func(tb testing.TB) *server.MCPServer {
			return guardedPricing(tb,
				pricing().MustBuild())
		}, noMeta},
		{"server=guarded/call=timeout", validOrder, priced, func(tb testing.TB) *server.MCPServer {
			return guardedPricing(tb, pricing().Timeout(time.Minute).MustBuild())
		}, noMeta},
		{"server=guarded/call=managed", validOrder, priced, func(tb testing.TB) *server.MCPServer {
			return guardedPricing(tb,
				managedPricing())
		}, newKeys()},
		{"server=guarded/call=invalid", invalidOrder, violated, func(tb testing.TB) *server.MCPServer {
			return guardedPricing(tb, unlimitedRetries().MustBuild())
		}, noMeta},
	} {
		b.Run(bc.name, func(b *testing.B) {
			call := orderCalls(b, bc.serve(b), bc.arguments, bc.meta)
			b.ReportAllocs()
			var answer []byte
			for b.Loop() {
				answer = call()
			}
			require.Contains(b, string(answer), bc.answer)
		})
	}
}

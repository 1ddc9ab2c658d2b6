package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The tool is that of the module benchmarks, which can call a guard only
// through an adapter.

type orderIn struct {
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

type orderOut struct {
	OrderID string  `json:"orderId"`
	Total   float64 `json:"total"`
	Lines   int     `json:"lines"`
	Status  string  `json:"status" jsonschema:"enum=priced,enum=refused"`
}

func priceOrder(_ context.Context, in orderIn) (orderOut, error) {
	out := orderOut{OrderID: "o-" + in.Customer, Lines: len(in.Lines), Status: "priced"}
	for _, l := range in.Lines {
		out.Total += float64(l.Quantity) * l.Price
	}
	return out, nil
}

const (
	validOrder = `{"customer":"c-1042","currency":"EUR","priority":3,"express":true,` +
		`"note":"Leave the parcel with the neighbour at number 12.",` +
		`"lines":[{"sku":"LAMP-01","quantity":2,"price":19.5},{"sku":"BULB-E27","quantity":6,"price":3.25},` +
		`{"sku":"CORD-2M","quantity":1,"price":7.25}]}`
	// invalidOrder breaks three constraints.
	invalidOrder = `{"customer":"c-1042","currency":"GBP","priority":9,"express":true,` +
		`"note":"Leave the parcel with the neighbour at number 12.",` +
		`"lines":[{"sku":"LAMP-01","quantity":0,"price":19.5},{"sku":"BULB-E27","quantity":6,"price":3.25},` +
		`{"sku":"CORD-2M","quantity":1,"price":7.25}]}`
)

// BenchmarkToolset_Call measures a guard without an adapter, beside the work
// that no server can avoid (decode_and_marshal).
func BenchmarkToolset_Call(b *testing.B) {
	local := adapter.LocalUser("orders:write")
	own := guard.PrincipalFunc(local.Principal) // may block, so it has a goroutine of its own
	for name, tt := range map[string]struct {
		principal guard.PrincipalSource
		arguments string
		key       func(call int) string // nil: the tool is not managed
	}{
		"plain":         {local, validOrder, nil},
		"own_principal": {own, validOrder, nil},
		"invalid":       {local, invalidOrder, nil},
		"managed":       {local, validOrder, func(call int) string { return "k-" + strconv.Itoa(1_000_000+call) }},
		"replay":        {local, validOrder, func(int) string { return "k-1000000" }},
	} {
		b.Run(name, func(b *testing.B) {
			tool := contract.New("orders_price", priceOrder).
				FlatName().
				Description("Prices an order of up to fifty lines.").
				Version("1.2.0").
				Effect(risk.LowRiskWrite).
				Trust(trust.Trusted).
				Permissions("orders:write").
				SideEffects(contract.SideEffect{Description: "One price is quoted.", Reach: contract.Internal, Undo: contract.Reversible}).
				RateLimit(1_000_000_000, time.Minute)
			if tt.key != nil {
				tool = tool.Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true})
			}
			discard := audit.Func(func(context.Context, audit.Event) error { return nil })
			g, err := guard.New(guard.WithPrincipal(tt.principal), guard.WithAudit(discard))
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, g.Close(context.Background())) })
			set, err := g.Protect(tool.MustBuild())
			require.NoError(b, err)
			ctx := adapter.WithCaller(b.Context(), adapter.Caller{Local: true})
			b.ReportAllocs()
			for call := range b.N {
				request := guard.Request{Tool: "orders_price", Arguments: json.RawMessage(tt.arguments)}
				if tt.key != nil {
					key := tt.key(call)
					request.IdempotencyKey = &key
				}
				r, err := set.Call(ctx, request)
				if err != nil || r.IsError != (tt.arguments == invalidOrder) {
					b.Fatal(r, err)
				}
			}
		})
	}
	b.Run("decode_and_marshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d := json.NewDecoder(bytes.NewReader([]byte(validOrder)))
			d.DisallowUnknownFields()
			var in orderIn
			if err := d.Decode(&in); err != nil {
				b.Fatal(err)
			}
			out, _ := priceOrder(b.Context(), in)
			if _, err := json.Marshal(out); err != nil {
				b.Fatal(err)
			}
		}
	})
}

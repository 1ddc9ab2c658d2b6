package contract_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type quotedOrder struct {
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

type orderQuote struct {
	OrderID string  `json:"orderId"`
	Total   float64 `json:"total"`
	Status  string  `json:"status" jsonschema:"enum=priced,enum=refused"`
}

// quoting is the contract of a usual tool.
func quoting() *contract.Builder[quotedOrder, orderQuote] {
	quote := func(context.Context, quotedOrder) (orderQuote, error) { return orderQuote{}, nil }
	return contract.New("orders.quote", quote).Description("Quotes the price of an order.").
		Version("1.2.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("orders:write").
		SideEffects(contract.SideEffect{Description: "One price is quoted.", Reach: contract.Internal, Undo: contract.Reversible}).
		RateLimit(10, time.Minute)
}

func BenchmarkBuild(b *testing.B) {
	for name, build := range map[string]func() *contract.Builder[quotedOrder, orderQuote]{
		"schema=derived": quoting,
		"schema=written": func() *contract.Builder[quotedOrder, orderQuote] {
			return quoting().InputSchema([]byte(`{"type":"object","properties":{"currency":{"oneOf":[{"const":"EUR"},{"const":"USD"}]}}}`))
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := build().Build(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A build that compiles the validator, or checks the schema against the
// metaschema, takes several times as many allocations.
func TestBuild_TakesFewAllocations(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts for the whole process
	allocations := testing.AllocsPerRun(20, func() {
		_, err := quoting().Build()
		require.NoError(t, err)
	})
	assert.Less(t, allocations, 2500.0)
}

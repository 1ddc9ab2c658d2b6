package contract_test

import (
	"context"
	"fmt"
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

// A variant is an input like quotedOrder, and another type for each N. All
// share nested types, as the tools of a real server do.
type variant[N any] struct {
	Customer string      `json:"customer" jsonschema:"minLength=3,maxLength=40,description=Who orders"`
	Lines    []orderLine `json:"lines" jsonschema:"minItems=1,maxItems=50"`
	Gifts    []orderLine `json:"gifts,omitempty" jsonschema:"maxItems=5"`
	Deliver  period      `json:"deliver"`
	Limit    int         `json:"limit,omitempty" jsonschema:"default=20,minimum=1"`
}

type period struct {
	From  time.Time  `json:"from"`
	Until *time.Time `json:"until,omitempty"`
}

type variantResult[N any] struct {
	Quote orderQuote `json:"quote"`
	Valid period     `json:"valid"`
}

func buildVariant[N any]() error {
	quote := func(context.Context, variant[N]) (variantResult[N], error) { return variantResult[N]{}, nil }
	_, err := contract.New("orders.quote", quote).Description("Quotes the price of an order.").
		Version("1.2.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	return err
}

// Real servers have one tool of each type. A build that is only fast for a type
// that was built before is not fast here.
func BenchmarkBuildTypes(b *testing.B) {
	builds := []func() error{
		buildVariant[[1]int], buildVariant[[2]int], buildVariant[[3]int], buildVariant[[4]int],
		buildVariant[[5]int], buildVariant[[6]int], buildVariant[[7]int], buildVariant[[8]int],
	}
	b.Run(fmt.Sprintf("types=%d", len(builds)), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, build := range builds {
				if err := build(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// A build that compiles the validator, or checks the schema against the
// metaschema, takes several times as many allocations.
func TestBuild_TakesFewAllocations(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts for the whole process
	allocations := testing.AllocsPerRun(20, func() {
		_, err := quoting().Build()
		require.NoError(t, err)
	})
	assert.Less(t, allocations, 1300.0)
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// All groups call one tool: it prices an order. Its input has six members, one
// of which is a list of objects, and constraints on each.

// An orderIn is the input of the tool.
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

// An orderOut is the output of the tool.
type orderOut struct {
	OrderID string  `json:"orderId"`
	Total   float64 `json:"total"`
	Lines   int     `json:"lines"`
	Status  string  `json:"status" jsonschema:"enum=priced,enum=refused"`
}

const toolName = "orders_price"

// order is what the tool does.
func order(_ context.Context, in orderIn) (orderOut, error) {
	out := orderOut{OrderID: "o-" + in.Customer, Lines: len(in.Lines), Status: "priced"}
	for _, l := range in.Lines {
		out.Total += float64(l.Quantity) * l.Price
	}
	return out, nil
}

// validArguments has arguments of 269 bytes.
const validArguments = `{"customer":"c-1042","currency":"EUR","priority":3,"express":true,` +
	`"note":"Leave the parcel with the neighbour at number 12.",` +
	`"lines":[{"sku":"LAMP-01","quantity":2,"price":19.5},{"sku":"BULB-E27","quantity":6,"price":3.25},` +
	`{"sku":"CORD-2M","quantity":1,"price":7.25}]}`

// invalidArguments breaks three constraints.
const invalidArguments = `{"customer":"c-1042","currency":"GBP","priority":9,"express":true,` +
	`"note":"Leave the parcel with the neighbour at number 12.",` +
	`"lines":[{"sku":"LAMP-01","quantity":0,"price":19.5},{"sku":"BULB-E27","quantity":6,"price":3.25},` +
	`{"sku":"CORD-2M","quantity":1,"price":7.25}]}`

const wantTotal = 65.75

// message returns a tools/call with the arguments.
func message(arguments string) []byte { return messageOf(toolName, arguments, "") }

// messageOf adds members of _meta, which begin with a comma.
func messageOf(tool, arguments, meta string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`,
		tool, arguments, meta)
}

// A response is what the groups check in an answer.
type response struct {
	Result *struct {
		IsError           bool            `json:"isError"`
		StructuredContent json.RawMessage `json:"structuredContent"`
		Tools             []struct{}      `json:"tools"`
	} `json:"result"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// checkOrder reports whether an answer has the order's total.
func checkOrder(answer []byte) error {
	var r response
	var out orderOut
	if err := json.Unmarshal(answer, &r); err != nil {
		return err
	}
	if r.Result == nil || r.Result.IsError || json.Unmarshal(r.Result.StructuredContent, &out) != nil || out.Total != wantTotal {
		return fmt.Errorf("wrong answer: %.300s", answer)
	}
	return nil
}

// checkRefused reports whether an answer refuses a call.
func checkRefused(answer []byte) error {
	var r response
	if err := json.Unmarshal(answer, &r); err != nil {
		return err
	}
	if r.Error == nil && (r.Result == nil || !r.Result.IsError) {
		return fmt.Errorf("not refused: %.300s", answer)
	}
	return nil
}

// permission is what a caller of the tool needs.
const permission = "orders:write"

// orders returns the contract of the tool under a name, without clauses that
// not all groups have.
func orders(name string) *contract.Builder[orderIn, orderOut] { return ordersBy(name, order) }

// ordersBy is orders with another handler.
func ordersBy(name string, handler func(context.Context, orderIn) (orderOut, error)) *contract.Builder[orderIn, orderOut] {
	return contract.New(name, handler).
		FlatName().
		Description("Prices an order of up to fifty lines.").
		Version("1.2.0").
		Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).
		Permissions(permission).
		SideEffects(contract.SideEffect{Description: "One price is quoted.", Reach: contract.Internal, Undo: contract.Reversible}).
		RateLimit(1_000_000_000, time.Minute)
}

// onceForEachKey deduplicates calls by the key of the client.
var onceForEachKey = contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}

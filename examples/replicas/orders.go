package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

const placeTool = "orders.place"

type placeInput struct {
	Order    string `json:"order" jsonschema:"minLength=1,maxLength=64"`
	Quantity int    `json:"quantity" jsonschema:"minimum=1,maximum=1000"`
}

type placeOutput struct {
	Order  string `json:"order"`
	Server string `json:"server"`
}

// An effect is the message to the warehouse that places an order.
type effect struct {
	Order  string `json:"order"`
	Server string `json:"server"`
	// Key is the idempotency key of the call. A real warehouse should
	// deduplicate by it. This one only counts.
	Key string `json:"key"`
}

// orders places orders at a warehouse, which is another process.
type orders struct {
	server    string // the name of this server
	warehouse string // the URL of the warehouse
}

func (o orders) place(ctx context.Context, in placeInput) (placeOutput, error) {
	key, _ := guard.IdempotencyKey(ctx)
	body, err := json.Marshal(effect{Order: in.Order, Server: o.server, Key: key})
	if err != nil {
		return placeOutput{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.warehouse, bytes.NewReader(body))
	if err != nil {
		return placeOutput{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return placeOutput{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return placeOutput{}, err
	}
	if resp.StatusCode != http.StatusNoContent {
		return placeOutput{}, fmt.Errorf("the warehouse answered %d", resp.StatusCode)
	}
	return placeOutput{Order: in.Order, Server: o.server}, nil
}

// tool returns orders.place. Only the order identifies a call, so the same
// order with another quantity is a conflict and not a second order. An
// undeclared onUnknown means refuse.
func (o orders) tool(onUnknown idempotency.OnUnknown) (*contract.Tool, error) {
	return contract.New(placeTool, o.place).
		Description("Places an order at the warehouse, once for each order number.").
		Version("1.0.0").
		Effect(risk.HighRiskWrite).
		Trust(trust.Trusted).
		Permissions("orders:place").
		ConfirmNever("The order was confirmed in the scenario.").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"order"}, OnUnknown: onUnknown}).
		SideEffects(contract.SideEffect{
			Description: "The warehouse ships the order.",
			Reach:       contract.External,
			Undo:        contract.Irreversible,
			OnRepeat:    "The warehouse ships it a second time.",
		}).
		Build()
}

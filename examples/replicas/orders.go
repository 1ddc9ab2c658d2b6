package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

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
	Order   string `json:"order"`
	Server  string `json:"server" jsonschema_description:"The server that placed the order."`
	Receipt string `json:"receipt"`
}

// An effect is an order at the warehouse.
type effect struct {
	Order  string `json:"order"`
	Server string `json:"server"`
	// Key is the idempotency key of the call. A real warehouse should
	// deduplicate by it. This one only refuses the keys that it was told to.
	Key string `json:"key"`
	// Receipt is set by the warehouse when it places the order.
	Receipt string `json:"receipt,omitempty"`
}

func (e effect) output() placeOutput {
	return placeOutput{Order: e.Order, Server: e.Server, Receipt: e.Receipt}
}

// errVoided is the failure of a call that was taken for lost and still runs.
var errVoided = contract.Retryable("order_voided", "Another call has taken over this order. Repeat the call to get its receipt.")

// hesitation is how long to wait for a warehouse that can't tell yet.
const hesitation = 500 * time.Millisecond

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
	status, placed, err := request(ctx, http.MethodPost, o.warehouse, body)
	switch {
	case err != nil:
		return placeOutput{}, err
	case status == http.StatusConflict:
		return placeOutput{}, errVoided
	case status != http.StatusCreated:
		return placeOutput{}, fmt.Errorf("the warehouse answered %d", status)
	}
	return placed.output(), nil
}

// ask finds out what became of an order whose server is gone. One request does
// both: the warehouse returns the order, or refuses its key from now on.
func (o orders) ask(ctx context.Context, _ placeInput, _ time.Time) (contract.Reconciled[placeOutput], error) {
	key, _ := guard.IdempotencyKey(ctx) // the key that place passed on
	status, placed, err := request(ctx, http.MethodDelete, o.warehouse+"/"+key, nil)
	switch {
	case err != nil:
		return contract.Reconciled[placeOutput]{}, err
	case status == http.StatusOK:
		return contract.Happened(placed.output()), nil
	case status == http.StatusNoContent:
		return contract.CannotHappen[placeOutput](), nil
	}
	return contract.NotKnown[placeOutput](hesitation), nil
}

// request makes a request to the warehouse. It returns the status of its answer
// and the order in it, if there is one.
func request(ctx context.Context, method, url string, body []byte) (status int, e effect, err error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, effect{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, effect{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	if resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusCreated {
		err = json.NewDecoder(resp.Body).Decode(&e)
	}
	return resp.StatusCode, e, err
}

// tool returns orders.place. Only the order identifies a call, so the same
// order with another quantity is a conflict and not a second order.
func (o orders) tool(s settings) (*contract.Tool, error) {
	tool := contract.New(placeTool, o.place).
		Description("Places an order at the warehouse, once for each order number.").
		Version("1.0.0").
		Effect(risk.HighRiskWrite).
		Trust(trust.Trusted).
		Permissions("orders:place").
		ConfirmNever("The order was confirmed in the scenario.").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"order"}, OnUnknown: s.OnUnknown}).
		Failures(errVoided).
		SideEffects(contract.SideEffect{
			Description: "The warehouse ships the order.",
			Reach:       contract.External,
			Undo:        contract.Irreversible,
			OnRepeat:    "The warehouse ships it a second time.",
		})
	if s.AsksWarehouse {
		// The warehouse voids keys, so it never says that an order has only not
		// been placed so far, and needs no quiet time.
		tool.Reconcile(o.ask, contract.Reconciling{})
	}
	return tool.Build()
}

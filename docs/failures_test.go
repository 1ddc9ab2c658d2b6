package docs_test

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var errNoOrder = contract.Retryable("no_such_order", "There is no order with this id.")

func findOrder(_ context.Context, in orderInput) (struct{}, error) {
	switch in.ID {
	case "1":
		return struct{}{}, nil
	case "2":
		return struct{}{}, errNoOrder.Errorf("the order was archived").At("/id").Hint("Search for its number.")
	}
	return struct{}{}, errors.New("pq: password authentication failed for 10.0.0.3")
}

func Example_failures() {
	find := contract.New("orders.find", findOrder).
		Description("Finds an order.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).
		Failures(errNoOrder).
		MustBuild()

	c := callerOf(find, contract.Principal{})
	c.call(`{"id":"2"}`)
	c.call(`{"id":"3"}`)
	// Output:
	// no_such_order: the order was archived
	// At /id in the arguments.
	// Search for its number.
	// [FATAL] internal_error: The tool failed in a way that it does not declare.
}

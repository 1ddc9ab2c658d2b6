package docs_test

import (
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type orderInput struct {
	ID string `json:"id"`
}

func cancelOrder(context.Context, orderInput) (struct{}, error) { return struct{}{}, nil }

// orderCanceller returns a tool at high risk.
func orderCanceller() *contract.Tool {
	return contract.New("orders.cancel", cancelOrder).
		Description("Cancels an order that has not been shipped.").Version("1.0.0").
		Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions("orders:write").
		MustBuild()
}

func Example_risk() {
	cancel := contract.New("orders.cancel", cancelOrder).
		Description("Cancels an order that has not been shipped.").Version("1.0.0").
		Effect(risk.HighRiskWrite).
		SideEffects(contract.SideEffect{
			Description: "The order is closed.",
			Reach:       contract.Internal,
			Undo:        contract.Reversible,
			OnRepeat:    "Nothing: it is closed already.",
		}).
		Trust(trust.Trusted).Permissions("orders:write")

	d := cancel.MustBuild().Document()
	fmt.Println("risk:", d.Risk, "confirmation:", d.Confirmation, "reversibility:", d.Reversibility)
	fmt.Printf("%+v\n", d.Hints())

	_, err := cancel.Risk(risk.Low).Build()
	fmt.Println(err)
	// Output:
	// risk: high confirmation: always reversibility: reversible
	// {ReadOnly:false Destructive:false Idempotent:false OpenWorld:false}
	// contract: tool orders.cancel: [risk.floor] risk: risk low is below the floor high of effect high-risk-write; raise the risk, or leave it out
}

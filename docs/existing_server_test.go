package docs_test

import (
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// orderCanceller returns a tool at high risk.
func orderCanceller() *contract.Tool {
	return contract.New("orders.cancel", cancelOrder).
		Description("Cancels an order that has not been shipped.").Version("1.0.0").
		Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions("orders:write").
		MustBuild()
}

func Example_existingServer() {
	g, err := guard.New(
		guard.WithPrincipal(mcpgo.LocalUser("orders:read", "orders:write")),
		guard.WithAuditOnly("orders.cancel", "confirmation", "permissions"))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = g.Protect(orderCanceller())
	fmt.Println(err)
	// Output: <nil>
}

// Command existing is the server of the manual's page for existing servers: it
// was written for mcp-go, and one call puts contracts on all of its tools.
package main

import (
	"log"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func main() {
	if err := serve(); err != nil {
		log.Fatal(err)
	}
}

func serve() error {
	s := newServer()
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:read", "orders:write")))
	if err != nil {
		return err
	}
	report, err := mcpgo.WrapAll(s, g, rules, mcpgo.WithClosedWorld())
	log.Print(report)
	if err != nil {
		return err
	}
	return mcpgo.ServeStdioServer(s)
}

var rules = wrap.Rules{
	Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted},
	Tools: map[string]wrap.Rule{
		"get_order":    {Base: contract.Base{Effect: risk.ReadOnly, Permissions: []string{"orders:read"}}},
		"cancel_order": {Base: contract.Base{Effect: risk.HighRiskWrite, Permissions: []string{"orders:write"}}},
	},
}

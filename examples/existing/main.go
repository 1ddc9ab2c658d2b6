// Command existing is the server of the manual's page for existing servers: it
// was written for mcp-go, and one call puts contracts on all of its tools.
package main

import (
	"flag"
	"log"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo" // official SDK: gosdk
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/trust"
)

func main() {
	state := flag.String("state", "", "keep what the guard must remember in `FILE`, for all sessions of this user")
	flag.Parse()
	if err := serve(*state); err != nil {
		log.Fatal(err)
	}
}

func serve(state string) error {
	s := newServer()
	opts := []guard.Option{guard.WithPrincipal(mcpgo.LocalUser("orders:read", "orders:write"))} // official SDK: gosdk.LocalUser
	if state != "" {
		file, err := sqlitefile.Open(state)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // every change is on the disk
		opts = append(opts, file.Options()...)
	}
	g, err := guard.New(opts...)
	if err != nil {
		return err
	}
	report, err := mcpgo.WrapAll(s, g, rules, mcpgo.WithClosedWorld()) // official SDK: gosdk.WrapAll, gosdk.WithClosedWorld
	log.Print(report)
	if err != nil {
		return err
	}
	return mcpgo.ServeStdioServer(s) // official SDK: gosdk.ServeStdioServer
}

var rules = wrap.Rules{
	Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted},
	Tools: map[string]wrap.Rule{
		"get_order":    {Base: contract.Base{Effect: risk.ReadOnly, Permissions: []string{"orders:read"}}},
		"cancel_order": {Base: contract.Base{Effect: risk.HighRiskWrite, Permissions: []string{"orders:write"}}},
	},
}

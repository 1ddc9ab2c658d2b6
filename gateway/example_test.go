package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway"
	"github.com/toolcontract/toolcontract/gateway/catalog"
)

// A gateway in front of two servers: one that it starts, and one over HTTP. A
// real publish would call mcpgo.Replace with the endpoint's server.
func ExampleNew() {
	publish := func(tools []*contract.Tool) error {
		fmt.Println(len(tools), "tools")
		return nil
	}
	gw, err := gateway.New([]gateway.Upstream{
		{Name: "mail", Client: client.New(client.Command{Path: "/opt/mail-server"})},
		{Name: "crm", Client: client.New(client.HTTP{URL: "http://127.0.0.1:1/mcp"})},
	}, publish, gateway.Options{
		Catalog: catalog.Options{MaxTools: 100}, Base: contract.Base{Permissions: []string{"agents:call"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	cycle, err := gw.Refresh(context.Background())
	if err = errors.Join(err, gw.Close()); err != nil { // a serving gateway is closed when it ends
		log.Fatal(err)
	}
	for _, s := range cycle.Servers {
		fmt.Println(s.Name, s.Tools, len(s.Problems) > 0)
	}
	// Output:
	// 0 tools
	// crm 0 true
	// mail 0 true
}

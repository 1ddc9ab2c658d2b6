// Command smallest is the gateway of the manual: one server behind one
// endpoint.
package main

import (
	"context"
	"errors"
	"log"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo" // official SDK: gosdk, here and below
)

func main() {
	if err := serve(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context) error {
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("gateway:call", "notes:delete")))
	if err != nil {
		return err
	}
	s, err := mcpgo.NewServer("gateway", "1.0.0", g)
	if err != nil {
		return err
	}
	publish := func(tools []*contract.Tool) error { return mcpgo.Replace(s, tools...) }
	gw, err := gateway.New([]gateway.Upstream{
		{Name: "notes", Client: client.New(client.Command{Path: "./notes"})},
	}, publish, gateway.Options{Base: contract.Base{Permissions: []string{"gateway:call"}}})
	if err != nil {
		return err
	}
	if _, err := gw.Refresh(ctx); err != nil { // before the first client connects
		return errors.Join(err, gw.Close())
	}
	running, stop := context.WithCancel(ctx)
	go gw.Run(running)
	err = mcpgo.ServeStdioServer(s)
	stop()
	return errors.Join(err, gw.Close())
}

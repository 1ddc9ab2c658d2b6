package docs_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/serve"
)

// serveHTTP serves tools at an address until ctx ends or a signal arrives.
func serveHTTP(ctx context.Context, address string, verify func(context.Context, string) (guard.Principal, error),
	tools []*contract.Tool, c serve.Config) error {
	web, err := serve.Listen(address, c)
	if err != nil {
		return err
	}
	// Official SDK: gosdk.Bearer, gosdk.NewHandler and gosdk.WithTools.
	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(verify)))
	if err != nil {
		return err
	}
	endpoint, err := mcpgo.NewHandler("orders", "1.0.0", g, mcpgo.WithTools(tools...))
	if err != nil {
		return err
	}
	web.Handle("/mcp", endpoint)
	return web.Serve(ctx, g)
}

func Example_program() {
	verify := func(context.Context, string) (guard.Principal, error) { return anna("orders:write"), nil }
	tools := []*contract.Tool{orderCanceller()}

	err := serveHTTP(context.Background(), "0.0.0.0:0", verify, tools, serve.Config{})
	fmt.Println("reachable by others:", errors.Is(err, serve.ErrNotLoopback))

	ctx, end := context.WithCancel(context.Background())
	err = serveHTTP(ctx, "127.0.0.1:0", verify, tools, serve.Config{Started: func(string) { end() }})
	fmt.Println("ended:", err)
	// Output:
	// reachable by others: true
	// ended: <nil>
}

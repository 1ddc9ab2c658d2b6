package gosdkclient_test

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/gosdk"
	"github.com/toolcontract/toolcontract/contract/gosdk/gosdkclient"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A server of the official SDK runs in the same process.
func ExampleOver() {
	ctx := context.Background()
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close(ctx)
	add := contract.New("calc.add", func(_ context.Context, in addIn) (addOut, error) { return addOut{in.A + 1}, nil }).
		Description("Adds one.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	s, err := gosdk.NewServer("calc", "1.0.0", g, gosdk.WithTools(add))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := agent.Connect(ctx, gosdkclient.Over(func(ctx context.Context) (mcp.Transport, error) {
		client, server := mcp.NewInMemoryTransports()
		_, err := s.Connect(context.WithoutCancel(ctx), server, nil)
		return client, err
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	out, err := agent.Call[addOut](ctx, a, "calc_add", addIn{A: 2})
	fmt.Println(out.Sum, err)
	// Output: 3 <nil>
}

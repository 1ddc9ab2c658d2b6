package mcpgo_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type AddIn struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
}

type AddOut struct {
	Sum int64 `json:"sum"`
}

func add(_ context.Context, in AddIn) (AddOut, error) { return AddOut{in.A + in.B}, nil }

var Add = contract.New("calc.add", add).
	Description("Adds two numbers.").Version("1.0.0").
	Effect(risk.ReadOnly).Trust(trust.Trusted).
	MustBuild()

// A client in the same process lists a tool and calls it with valid and with
// invalid arguments. Its name is written with an underscore.
func ExampleNewServer() {
	ctx := context.Background()
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close(ctx)
	s, err := mcpgo.NewServer("calc", "1.0.0", g, mcpgo.WithTools(Add))
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.NewInProcessClient(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		fmt.Println(err)
		return
	}

	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range list.Tools {
		fmt.Println(t.Name, t.Meta.AdditionalFields[contract.MetaKeyContract].(map[string]any)["risk"])
	}
	for _, arguments := range []string{`{"a":9007199254740993,"b":1}`, `{"a":"two"}`} {
		result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "calc_add",
			RawArguments: []byte(arguments)}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(mcp.GetTextFromContent(result.Content[0]))
	}
	// Output:
	// calc_add low
	// {"sum":9007199254740994}
	// invalid_input: the arguments do not fit the input schema
	// - /a: must be an integer
	// - /b: is required
}

// ServeStdio runs a whole server until its input ends or a signal arrives.
func ExampleServeStdio() {
	err := mcpgo.ServeStdio("calc", "", nil, mcpgo.WithTools(Add))
	fmt.Println(err)
	// Output: contract: [serve.version] version: the server has no version; pass one
}

// Over HTTP, the bearer token identifies the caller.
func ExampleBearer() {
	verify := func(_ context.Context, token string) (guard.Principal, error) {
		// A real verifier checks the token's signature, issuer, audience and
		// expiry.
		return guard.Principal{Issuer: "https://login.example", Subject: token, Permissions: []string{"calc:add"}}, nil
	}
	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(verify))) // official SDK: gosdk.Bearer
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := mcpgo.NewServer("calc", "1.0.0", g, mcpgo.WithTools(Add))
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", adapter.LimitHandler(server.NewStreamableHTTPServer(s), 0))
	fmt.Println(mcpgo.Verify(s))
	// Output: <nil>
}

// A program that makes a server for each request.
func ExampleTable() {
	table, err := mcpgo.NewTable("calc", "1.0.0", nil, mcpgo.WithTools(Add))
	if err != nil {
		fmt.Println(err)
		return
	}
	endpoint := func(w http.ResponseWriter, r *http.Request) {
		s := server.NewMCPServer("calc", "1.0.0", server.WithInstructions("For "+r.Host+"."))
		if err := table.Register(s); err != nil {
			http.Error(w, "the server cannot be made", http.StatusInternalServerError)
			return
		}
		h, err := mcpgo.HandlerOf(s, server.WithStateLess(true))
		if err != nil {
			http.Error(w, "the server has no endpoint", http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, r)
	}
	http.NewServeMux().HandleFunc("/mcp", endpoint)
}

// Hosts that take dots can get the names as the contracts have them.
func ExampleWithNames() {
	ctx := context.Background()
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close(ctx)
	for _, naming := range []contract.Naming{contract.Underscore, contract.Dotted} {
		s, err := mcpgo.NewServer("calc", "1.0.0", g, mcpgo.WithTools(Add), mcpgo.WithNames(naming))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.GetTool("calc_add") != nil, s.GetTool("calc.add") != nil)
	}
	// Output:
	// true false
	// false true
}

// A typed handler of mcp-go, which a person must approve.
func ExampleAddTool() {
	s := server.NewMCPServer("orders", "1.0.0")
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:write")))
	if err != nil {
		fmt.Println(err)
		return
	}
	type order struct {
		ID string `json:"id"`
	}
	cancel := func(context.Context, mcp.CallToolRequest, order) (any, error) {
		return map[string]string{"state": "cancelled"}, nil
	}
	err = mcpgo.AddTool(s, g, mcp.NewTool("cancel_order", mcp.WithDescription("Cancels an order.")), cancel,
		contract.Base{Effect: risk.HighRiskWrite, Permissions: []string{"orders:write"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mcpgo.ToolsOf(s)[0].Document().Confirmation)
	// Output: always
}

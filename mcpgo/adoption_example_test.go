package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var greetTool = mcp.NewTool("greet", mcp.WithDescription("Greets somebody."), mcp.WithString("name", mcp.Required(),
	mcp.MaxLength(20)))

// show prints the answer to a message: the names of a list, or the text of a
// call.
func show(s *server.MCPServer, message string) {
	raw, err := json.Marshal(s.HandleMessage(context.Background(), json.RawMessage(message)))
	if err != nil {
		fmt.Println(err)
		return
	}
	var a struct {
		Result struct {
			Tools   []struct{ Name string }
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range a.Result.Tools {
		fmt.Println(t.Name)
	}
	for _, c := range a.Result.Content {
		fmt.Println(c.Text)
	}
}

// An existing tool gets a contract without a change to its schema or handler.
func ExampleWrap() {
	greet, err := mcpgo.Wrap(greetTool, greet).
		Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).
		Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := mcpgo.NewServer("greeter", "1.0.0", nil, mcpgo.WithTools(greet))
	if err != nil {
		fmt.Println(err)
		return
	}
	show(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ann"}}}`)
	show(s, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"NAME":"Ann","name":"Bob"}}}`)
	// Output:
	// hello Ann
	// invalid_input: the arguments do not fit the input schema
	// - /NAME: must be spelt "name"
}

// All tools of an existing server get contracts. The report has the decisions
// that are left.
func ExampleWrapAll() {
	s := server.NewMCPServer("orders", "1.0.0")
	s.AddTool(mcp.NewTool("find_order", mcp.WithDescription("Finds an order."), mcp.WithReadOnlyHintAnnotation(true)), greet)
	s.AddTool(mcp.NewTool("cancel_order", mcp.WithDescription("Cancels an order.")), greet)

	report, err := mcpgo.WrapAll(s, nil, wrap.Rules{
		Base: contract.Base{Version: "1.0.0"},
	})
	fmt.Print(report)
	fmt.Println(err != nil, "so nothing on the server has changed")
	// Output:
	// tool          effect     risk  trust       asks   contract
	// cancel_order                                      none: mistakes
	// find_order    read-only  low   undeclared  never  with guesses
	//
	// To decide:
	// - [permissions.missing] permissions: a tool at critical risk declares no permissions; declare Permissions, or NoPermissions with the reason
	//   cancel_order
	//
	// Guessed; declare it, or check it:
	// - effect destructive, from destructiveHint
	//   cancel_order
	// - effect read-only, from readOnlyHint
	//   find_order
	//
	// What changes for clients:
	// - arguments must fit the schema, and those that it does not name reach the handler
	//   find_order
	// - structured content is not checked, because there is no output schema
	//   find_order
	// - plain texts are delimited as untrusted data
	//   find_order
	// - error results keep their texts under the code tool_retry
	//   find_order
	// - Go errors that are not declared become internal_error without their texts
	//   find_order
	// true so nothing on the server has changed
}

// The rules of WrapAll decide what the report left open. ServeStdioServer then
// serves the same server, in place of mcp-go's ServeStdio.
func ExampleServeStdioServer() {
	s := server.NewMCPServer("orders", "1.0.0")
	s.AddTool(mcp.NewTool("cancel_order", mcp.WithDescription("Cancels an order.")), greet)

	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:use")))
	if err != nil {
		log.Fatal(err)
	}
	report, err := mcpgo.WrapAll(s, g, wrap.Rules{
		Base: contract.Base{Version: "1.0.0", Permissions: []string{"orders:use"}},
		Tools: map[string]wrap.Rule{
			"cancel_order": {Base: contract.Base{Effect: risk.HighRiskWrite}},
		},
	})
	log.Print(report) // to standard error, because standard output belongs to the protocol
	if err != nil {
		log.Fatal(err)
	}
	if err := mcpgo.ServeStdioServer(s); err != nil {
		log.Fatal(err)
	}
}

// A server gets another tool while it serves. The contract that is already
// there takes its own place.
func ExampleAdd() {
	wrapTool := func(name string) *contract.Tool {
		return mcpgo.Wrap(mcp.NewTool(name, mcp.WithDescription("Greets.")), greet).
			Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	}
	s, err := mcpgo.NewServer("greeter", "1.0.0", nil, mcpgo.WithTools(wrapTool("greet")))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mcpgo.Add(s, wrapTool("greet"), wrapTool("wave")))
	show(s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	// Output:
	// <nil>
	// greet
	// wave
}

// A handler that asks the client for the name declares one round.
func ExampleWithRounds() {
	ask := func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer := server.ElicitationResponse(r.Params.InputResponses, "name")
		if answer == nil {
			return server.NewInputRequestBuilder("").Elicit("name", mcp.ElicitationParams{
				Message: "Whom?",
				RequestedSchema: map[string]any{
					"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}},
				},
			}).ToolResult(), nil
		}
		name, _ := answer.Content.(map[string]any)["name"].(string)
		return mcp.NewToolResultText("hello " + name), nil
	}
	tool, err := mcpgo.Wrap(mcp.NewTool("greet", mcp.WithDescription("Greets somebody.")), ask, wrap.WithRounds(1)).
		Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).
		Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := mcpgo.NewServer("greeter", "1.0.0", nil, mcpgo.WithTools(tool))
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.NewInProcessClientWithOptions(s, client.WithElicitationHandler(bob{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	ctx := context.Background()
	if err := c.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		fmt.Println(err)
		return
	}
	result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "greet"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mcp.GetTextFromContent(result.Content[0]))
	// Output: hello Bob
}

// Bob is a person at a client.
type bob struct{}

func (bob) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Bob"},
	}}, nil
}

// ToolsOf returns the contracts of a server for its tests.
func ExampleToolsOf() {
	s := server.NewMCPServer("greeter", "1.0.0")
	s.AddTool(greetTool, greet)
	if _, err := mcpgo.WrapAll(s, nil, wrap.Rules{Base: contract.Base{Version: "1.0.0", Effect: risk.ReadOnly}}); err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range mcpgo.ToolsOf(s) {
		fmt.Println(tool.Name(), tool.Document().Risk)
	}
	// Output: greet low
}

// One tool of a server gets a contract. The other one is unchanged.
func ExampleRegister() {
	s := server.NewMCPServer("greeter", "1.0.0")
	s.AddTool(greetTool, greet)
	s.AddTool(mcp.NewTool("wave"), greet)

	wrapped := mcpgo.Wrap(greetTool, greet).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	if err := mcpgo.Register(s, nil, mcpgo.WithTools(wrapped)); err != nil {
		fmt.Println(err)
		return
	}
	show(s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	show(s, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{}}}`)
	show(s, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wave","arguments":{}}}`)
	// Output:
	// greet
	// wave
	// invalid_input: the arguments do not fit the input schema
	// - /name: is required
	// required argument "name" not found
}

// The declarations of a tool are published. None of them is enforced yet.
func ExampleAnnotate() {
	tool := mcp.NewTool("greet", mcp.WithDescription("Greets somebody."))
	if err := mcpgo.Annotate(&tool, contract.Base{Effect: risk.ReadOnly}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(*tool.Annotations.ReadOnlyHint)
	fmt.Printf("%s\n", tool.Meta.AdditionalFields[contract.MetaKeyContract])
	fmt.Println(mcpgo.Annotate(&tool, contract.Base{Effect: risk.Destructive}))
	// Output:
	// true
	// {"format":1,"name":"greet","description":"Greets somebody.","risk":"low","effect":"read-only","autonomous":false}
	// contract: tool greet: [annotate.contradiction] effect: effect destructive contradicts the tool's readOnlyHint; correct one of them
}

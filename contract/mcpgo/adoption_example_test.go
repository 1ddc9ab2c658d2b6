package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var greetTool = mcp.NewTool("greet", mcp.WithDescription("Greets somebody."), mcp.WithString("name", mcp.Required(), mcp.MaxLength(20)))

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
	if err := mcpgo.Annotate(&tool, contract.Base().Effect(risk.ReadOnly)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(*tool.Annotations.ReadOnlyHint)
	fmt.Printf("%s\n", tool.Meta.AdditionalFields[contract.MetaKeyContract])
	fmt.Println(mcpgo.Annotate(&tool, contract.Base().Effect(risk.Destructive)))
	// Output:
	// true
	// {"format":1,"name":"greet","description":"Greets somebody.","risk":"low","effect":"read-only","autonomous":false}
	// contract: tool greet: [annotate.contradiction] effect: effect destructive contradicts the tool's readOnlyHint; correct one of them
}

func ExampleReport() {
	report, err := mcpgo.Report(Add)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range report.Tools {
		fmt.Println(t.Name, t.Hints < t.Summary, t.Summary < t.Full)
	}
	// Output: calc.add true true
}

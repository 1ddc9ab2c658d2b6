package mcpgo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A test of the server finds a tool that was added behind its contracts.
func ExampleVerify() {
	greet := contract.New("people.greet", func(context.Context, struct{}) (string, error) { return "Hello!", nil }).
		Description("Greets.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	s, err := mcpgo.NewServer("people", "1.0.0", nil, mcpgo.WithTools(greet))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mcpgo.Verify(s))

	s.AddTool(mcp.NewTool("debug.shell"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("never runs"), nil
	})
	for _, mistake := range contract.DeclarationErrors(mcpgo.Verify(s)) {
		fmt.Println(mistake.Rule, mistake.Tool)
	}
	// Output:
	// <nil>
	// verify.added debug.shell
}

// A session gets a tool of its own when its client has signed in.
func ExampleRegisterSession() {
	s, err := mcpgo.NewServer("people", "1.0.0", nil)
	if err != nil {
		log.Fatal(err)
	}
	rename := contract.New("people.rename", func(context.Context, struct{}) (string, error) { return "Renamed.", nil }).
		Description("Renames.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	session := &session{id: "s1", tools: map[string]server.ServerTool{}}
	if err := s.RegisterSession(context.Background(), session); err != nil {
		log.Fatal(err)
	}
	if err := mcpgo.RegisterSession(s, session.SessionID(), mcpgo.WithTools(rename)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(session.GetSessionTools()), "tool in the session,", len(s.ListTools()), "in the server")
	// Output: 1 tool in the session, 0 in the server
}

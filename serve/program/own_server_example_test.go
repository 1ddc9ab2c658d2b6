package program_test

import (
	"context"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/serve/program"
)

// A program around a server of mcp-go that has a resource and a prompt.
func ExampleServer_ownServer() {
	own := server.NewMCPServer("invoices", "1.0.0")
	own.AddResource(mcp.NewResource("invoices:terms", "terms"), readTerms)
	own.AddPrompt(mcp.NewPrompt("remind", mcp.WithArgument("customer")), remind)
	p := program.Server{Name: "invoices", Version: "1.0.0", Tools: invoiceTools, SDK: mcpgo.SDK{Server: own}}
	os.Exit(p.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func readTerms(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, Text: "Pay within 30 days."}}, nil
}

func remind(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := mcp.NewTextContent("Remind " + r.Params.Arguments["customer"] + " of the open invoices.")
	return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, text)}), nil
}

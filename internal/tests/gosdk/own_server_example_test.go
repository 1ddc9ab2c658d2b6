package gosdk_test

import (
	"context"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/serve/program"
)

// A program around a server of the SDK that has a resource and a prompt. It is
// here because gosdk must not depend on what package program does.
func Example_ownServer() {
	own := mcp.NewServer(&mcp.Implementation{Name: "invoices", Version: "1.0.0"}, nil)
	own.AddResource(&mcp.Resource{URI: "invoices:terms", Name: "terms"}, readTerms)
	own.AddPrompt(&mcp.Prompt{Name: "remind", Arguments: []*mcp.PromptArgument{{Name: "customer"}}}, remind)
	p := program.Server{Name: "invoices", Version: "1.0.0", Tools: invoiceTools, SDK: gosdk.SDK{Server: own}}
	os.Exit(p.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func invoiceTools() ([]*contract.Tool, error) { return nil, nil }

func readTerms(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "Pay within 30 days."}}}, nil
}

func remind(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := &mcp.TextContent{Text: "Remind " + r.Params.Arguments["customer"] + " of the open invoices."}
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: text}}}, nil
}

package github

import (
	"context"
	"encoding/json"
	"fmt"

	rest "github.com/google/go-github/v89/github"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type repository struct {
	Owner string `json:"owner"`
	Repo  string `json:"repo"`
}

// deleteRepository returns a tool that the upstream's repository has and the
// version required here does not. There, the tool asks for the name of the
// repository itself, carries the request in a state that it seals itself, and
// is offered only to clients of protocol version 2026-07-28. Here it only
// deletes: its contract has the question.
func deleteRepository(client *rest.Client) (*mcp.Tool, mcp.ToolHandler) {
	definition := &mcp.Tool{
		Name:        "delete_repository",
		Description: "Delete a GitHub repository",
		InputSchema: json.RawMessage(`{"type":"object","properties":{
			"owner":{"type":"string","description":"Repository owner","minLength":1},
			"repo":{"type":"string","description":"Repository name","minLength":1}
		},"required":["owner","repo"]}`),
	}
	return definition, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var r repository
		if err := json.Unmarshal(req.Params.Arguments, &r); err != nil {
			return nil, err
		}
		if _, err := client.Repositories.Delete(ctx, r.Owner, r.Repo); err != nil {
			return nil, fmt.Errorf("delete repository: %w", err)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "The repository is deleted."}}}, nil
	}
}

package main

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/.ci/conformance/fixture"
)

// notifyingTools returns tools whose handlers send notifications to the client.
func notifyingTools() []plain {
	return []plain{
		{
			"test_tool_with_logging", "Logs while it runs.", noArguments,
			logs("Tool execution started", "Tool processing data", "Tool execution completed"),
		},
		{"test_logging_tool", "Logs where the client wants it.", noArguments, logs("It runs.")},
	}
}

func logs(messages ...string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, message := range messages {
			err := req.Session.Log(ctx, &mcp.LoggingMessageParams{ //nolint:staticcheck // of the older protocol
				Level: "info", Logger: "fixture", Data: message})
			if err != nil {
				return nil, err
			}
			time.Sleep(fixture.Pause)
		}
		return text("It was logged."), nil
	}
}

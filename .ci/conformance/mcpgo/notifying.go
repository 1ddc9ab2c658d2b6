package main

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/.ci/conformance/fixture"
)

// notifyingTools returns tools whose handlers send notifications to the client.
func notifyingTools() []plain {
	return []plain{
		{mcp.NewTool("test_tool_with_logging", mcp.WithDescription("Logs while it runs.")), logs},
		{mcp.NewTool("test_logging_tool", mcp.WithDescription("Logs where the client wants it.")), logsOnDemand},
	}
}

func logs(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/message", map[string]any{
			"level": "info", "logger": "fixture", "data": message,
		}); err != nil {
			return nil, err
		}
		time.Sleep(fixture.Pause)
	}
	return mcp.NewToolResultText("It was logged."), nil
}

func logsOnDemand(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	err := server.ServerFromContext(ctx).
		SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "fixture", "It runs."))
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultText("It was logged where that was wanted."), nil
}

// Package mcpgoclient connects package agent to servers over the client
// transports of mark3labs/mcp-go.
//
//	a, err := agent.Connect(ctx, mcpgoclient.HTTP("https://tools.example.com/mcp"))
//
// The handshake finds out whether the server speaks MCP 2026-07-28 or an older
// version. Requests and results pass as JSON, so numbers are exact and schemas
// are complete.
//
// The package is experimental until v1.
package mcpgoclient

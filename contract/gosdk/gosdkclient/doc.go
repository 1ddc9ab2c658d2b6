// Package gosdkclient connects package agent to servers over the client of the
// official SDK, github.com/modelcontextprotocol/go-sdk.
//
//	a, err := agent.Connect(ctx, gosdkclient.HTTP("https://tools.example.com/mcp"))
//
// The handshake finds out whether the server speaks MCP 2026-07-28 or an older
// version.
//
// The SDK decodes the structured content of a result into float64. If the text
// of the result is the same JSON, as it is for servers of this library, the
// agent gets the text, so that its numbers are exact. Those of other servers
// are rounded beyond 2^53.
//
// The package is experimental until v1.
package gosdkclient

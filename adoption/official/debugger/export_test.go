package debugger

import "github.com/modelcontextprotocol/go-sdk/mcp"

// NewUpstream returns the server without contracts.
func NewUpstream(variables map[string]string) *mcp.Server { return newUpstream(variables) }

package github

import (
	rest "github.com/google/go-github/v89/github"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// NewUpstream returns the server without contracts.
func NewUpstream(client *rest.Client) (*mcp.Server, error) { return newUpstream(client, "all") }

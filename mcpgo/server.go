package mcpgo

import (
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/guard"
)

// NewServer makes an mcp-go server that lists the tools with their contracts
// and runs each of their calls through g. No other tool that is registered with
// the server is listed or run. Prompts and resources are as mcp-go has them.
//
// A nil g means guard.New with no options: every caller is anonymous, so only
// tools that need no principal can be served. Callers that pass a guard close
// it when the server has ended.
//
// [NewTable] is for programs that make a server for each request.
//
// The error joins a [contract.DeclarationError] for everything that is wrong
// with the options, or else with the tools. The server is safe for concurrent
// use.
func NewServer(name, version string, g *guard.Guard, opts ...Option) (*server.MCPServer, error) {
	b, err := newServer(name, version, g, opts)
	if err != nil {
		return nil, err
	}
	return b.server, nil
}

// newServer makes the only server of a table.
func newServer(name, version string, g *guard.Guard, opts []Option) (*binding, error) {
	t, err := NewTable(name, version, g, opts...)
	if err != nil {
		return nil, err
	}
	t.copiesHooks = false
	return t.open()
}

package mcpgo

import (
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
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

func newServer(name, version string, g *guard.Guard, opts []Option) (*binding, error) {
	c, err := newConfig(opts)
	if err = errors.Join(adapter.CheckIdentity(name, version), err); err != nil {
		return nil, err
	}
	c.closed = true
	b, err := newBinding(name, g, c)
	if err != nil {
		return nil, err
	}
	b.bare = len(c.server) == 0
	b.identity = mcp.Implementation{Name: name, Version: version}
	if err := b.open(name, version, c.server); err != nil {
		return nil, err
	}
	return b, nil
}

// open makes the server and registers everything with it. mcp-go panics when it
// refuses a tool or an option, and an option of the server author may panic.
// Both become errors.
func (b *binding) open(name, version string, author []server.ServerOption) (err error) {
	defer recoverRejection(&err, "WithServerOptions", "correct the options")
	options := append([]server.ServerOption{server.WithToolFilter(b.admit)}, author...)
	options = append(options, server.WithToolFilter(b.confine))
	b.server = server.NewMCPServer(name, version, options...)
	b.hook()
	b.server.AddTools(b.table().registrations(b.table().newSince(nil))...)
	return nil
}

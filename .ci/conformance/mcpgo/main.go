// Command mcpgo is the server for the conformance suites on mcp-go. Each tool
// is a handler behind a contract.
//
//	go run ./.ci/conformance/mcpgo
package main

import (
	"net/http"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/.ci/conformance/fixture"
	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func main() { fixture.Main(ownTools, newHandler) }

// ownTools returns the tools whose handlers need mcp-go.
func ownTools() ([]*contract.Tool, error) {
	return wrapAll(append(notifyingTools(), requestingTools()...)...)
}

func newHandler(g *guard.Guard, tools []*contract.Tool) (http.Handler, error) {
	s, err := mcpgo.NewServer("fixture", "1.0.0", g, mcpgo.WithTools(tools...), mcpgo.WithServerOptions(
		server.WithLogging(), server.WithElicitation(),
	))
	if err != nil {
		return nil, err
	}
	s.EnableSampling()
	return adapter.LimitHandler(server.NewStreamableHTTPServer(s), 0), nil
}

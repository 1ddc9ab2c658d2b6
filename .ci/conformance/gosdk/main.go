// Command gosdk is the server for the conformance suites on the official SDK.
// Each tool is a handler behind a contract.
//
//	go run .
package main

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/.ci/conformance/fixture"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
)

func main() { fixture.Main(ownTools, newHandler) }

// ownTools returns the tools whose handlers need the SDK.
func ownTools() ([]*contract.Tool, error) {
	return wrapAll(append(notifyingTools(), requestingTools()...)...)
}

func newHandler(g *guard.Guard, tools []*contract.Tool) (http.Handler, error) {
	return gosdk.NewHandler("fixture", "1.0.0", g, gosdk.WithTools(tools...), gosdk.WithServerOptions(mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}}, //nolint:staticcheck // of the older protocol
	}))
}

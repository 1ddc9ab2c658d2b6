// Package grafanadocs puts contracts on the tools of
// github.com/grafana/mcp-doc-server, which searches and reads documentation.
package grafanadocs

import (
	"github.com/grafana/mcp-doc-server/pkg/grafanadocs"
	docs "github.com/grafana/mcp-doc-server/pkg/grafanadocs/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/trust"
)

// New returns the server for the documentation in index. Every call goes
// through g. The report lists what the contracts change for clients.
func New(g *guard.Guard, index *grafanadocs.Index) (*server.MCPServer, *wrap.Report, error) {
	s := docs.NewMCPServer(index, "1.0.0")
	report, err := mcpgo.WrapAll(s, g, wrap.Rules{
		Base: contract.Base{
			Version:     "1.0.0",
			Trust:       trust.Untrusted,
			Permissions: []string{"docs:read"},
			OtherErrors: contract.ClassFatal,
		},
	}, mcpgo.WithClosedWorld())
	return s, report, err
}

package program

import (
	"io"
	"net/http"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// An SDK serves tools with contracts over an implementation of MCP. The config
// has the tools and says how they are listed. Its Server is empty, because the
// name and version are arguments.
//
// It must put each request's caller into its context with [adapter.WithCaller],
// because a program's principals come from [adapter.Bearer] and
// [adapter.LocalUser].
type SDK interface {
	// NewHandler returns the endpoint over streamable HTTP. Callers close g.
	NewHandler(name, version string, g *guard.Guard, c adapter.Config) (http.Handler, error)
	// ServeStdio serves on in and out, which are standard input and output or
	// wrap them, until the input ends or the process gets SIGINT or SIGTERM,
	// and closes g. An error with [contract.DeclarationErrors] means that
	// nothing was served.
	ServeStdio(name, version string, g *guard.Guard, c adapter.Config, in io.Reader, out io.Writer) error
}

func (s Server) sdk() SDK {
	if s.SDK != nil {
		return s.SDK
	}
	return mcpgo.SDK{}
}

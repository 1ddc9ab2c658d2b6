package gosdk

import (
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// NewServer makes a server of the SDK that lists the tools with their contracts
// and runs each of their calls through g. No other tool that is added to the
// server is listed or run. Prompts and resources are as the SDK has them.
//
// A nil g means guard.New with no options: every caller is anonymous, so only
// tools that need no principal can be served. Callers that pass a guard close
// it after the server has ended. [ServeStdioServer] serves the server over
// standard streams. [NewHandler] makes a server with its endpoint over HTTP,
// and [NewTable] is for programs that make a server for each request.
//
// The error joins a [contract.DeclarationError] for each mistake in the options
// or, if there is none, in the tools. The server is safe for concurrent use.
func NewServer(name, version string, g *guard.Guard, opts ...Option) (*mcp.Server, error) {
	t, err := NewTable(name, version, g, opts...)
	if err != nil {
		return nil, err
	}
	return t.NewServer()
}

// rejected turns a panic of the SDK into an error.
func rejected(err *error, clause, remedy string) {
	if v := recover(); v != nil {
		*err = &contract.DeclarationError{
			Rule: "serve.rejected", Where: clause, Message: fmt.Sprintf("the SDK panicked: %v", v), Remedy: remedy,
		}
	}
}

func errNilServer() error {
	return &contract.DeclarationError{Rule: "serve.server", Message: "the server is nil",
		Remedy: "make one with mcp.NewServer, or use gosdk.NewServer"}
}

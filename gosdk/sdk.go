package gosdk

import (
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// An SDK serves a program with the official SDK. It implements program.SDK, so
// a program of package program changes its SDK with one line:
//
//	program.Server{Name: "mail", SDK: gosdk.SDK{}, ...}.Main(os.Args[1:], os.Stdout, os.Stderr)
//
// The zero value is ready to use. All flags and pages of the program stay. An
// SDK is safe for concurrent use.
type SDK struct {
	// Server is a server of your own, with resources, prompts, completions and
	// handlers. [Register] adds the program's tools to it, so its own tools
	// stay as they are, and it can be served only once. It must have the
	// program's name and version. Nil means a new server, as from [NewServer].
	Server *mcp.Server
}

// NewHandler calls [NewHandler] with the tools and list settings of c, or
// [HandlerOf] for s.Server. c.Server is ignored; name is the server's name.
func (s SDK) NewHandler(name, version string, g *guard.Guard, c adapter.Config) (http.Handler, error) {
	own, err := s.serverWith(name, version, g, listedAs(c))
	if err != nil {
		return nil, err
	}
	return HandlerOf(own)
}

// ServeStdio calls [ServeStdio] over streams, with the tools and list settings
// of c, or [ServeStdioServer] for s.Server. c.Server is ignored; name is the
// server's name.
func (s SDK) ServeStdio(name, version string, g *guard.Guard, c adapter.Config, in io.Reader, out io.Writer) error {
	own, err := s.serverWith(name, version, g, append(listedAs(c), WithStreams(in, out)))
	if err != nil {
		return err
	}
	return ServeStdioServer(own)
}

// serverWith returns the author's server, or a new one, with the tools.
func (s SDK) serverWith(name, version string, g *guard.Guard, opts []Option) (*mcp.Server, error) {
	if s.Server == nil {
		return NewServer(name, version, g, opts...)
	}
	state, err := inspect(s.Server)
	if err != nil {
		return nil, err
	}
	if state.name != name || state.version != version {
		return nil, &contract.DeclarationError{Rule: "serve.name", Where: "SDK",
			Message: "the server has another name or version than the program", Remedy: "give both the same"}
	}
	return s.Server, Register(s.Server, g, opts...)
}

// listedAs returns a config as options.
func listedAs(c adapter.Config) []Option {
	opts := []Option{WithTools(c.Tools...), WithTier(c.Tier), WithNames(c.Naming)}
	if c.ResourceMetadata != nil {
		opts = append(opts, WithResourceMetadata(*c.ResourceMetadata))
	}
	return opts
}

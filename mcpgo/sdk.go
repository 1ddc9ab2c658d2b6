package mcpgo

import (
	"io"
	"net/http"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// An SDK serves a program with mcp-go. It implements program.SDK, and its zero
// value is the default of package program. It is safe for concurrent use.
type SDK struct {
	// Server is a server of your own, with resources, prompts, completions and
	// handlers. [Register] adds the program's tools to it, so its own tools
	// stay as they are, and it can be served only once. It must have the
	// program's name and version. Nil means a new server, as from [NewServer].
	Server *server.MCPServer
}

// NewHandler calls [NewHandler] with the tools and list settings of c, or
// [HandlerOf] for s.Server. c.Server is ignored; name is the server's name.
func (s SDK) NewHandler(name, version string, g *guard.Guard, c adapter.Config) (http.Handler, error) {
	if s.Server == nil {
		return NewHandler(name, version, g, listedAs(c)...)
	}
	if err := s.register(name, version, g, listedAs(c)); err != nil {
		return nil, err
	}
	return HandlerOf(s.Server)
}

// ServeStdio calls [ServeStdio] over streams, with the tools and list settings
// of c, or [ServeStdioServer] for s.Server. c.Server is ignored; name is the
// server's name.
func (s SDK) ServeStdio(name, version string, g *guard.Guard, c adapter.Config, in io.Reader, out io.Writer) error {
	opts := append(listedAs(c), WithStreams(in, out))
	if s.Server == nil {
		return ServeStdio(name, version, g, opts...)
	}
	if err := s.register(name, version, g, opts); err != nil {
		return err
	}
	return ServeStdioServer(s.Server)
}

func (s SDK) register(name, version string, g *guard.Guard, opts []Option) error {
	if unexported.NameOf(s.Server) != name || unexported.VersionOf(s.Server) != version {
		return &contract.DeclarationError{Rule: "serve.name", Where: "SDK",
			Message: "the server has another name or version than the program", Remedy: "give both the same"}
	}
	return Register(s.Server, g, opts...)
}

// listedAs returns a config as options.
func listedAs(c adapter.Config) []Option {
	list := []Option{WithTools(c.Tools...), WithTier(c.Tier), WithNames(c.Naming)}
	if c.ResourceMetadata != nil {
		list = append(list, WithResourceMetadata(*c.ResourceMetadata))
	}
	return list
}

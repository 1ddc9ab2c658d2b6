package gosdk

import (
	"io"
	"net/http"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// An SDK serves a program with the official SDK. It implements program.SDK, so
// a program of package program changes its SDK with one line:
//
//	program.Server{Name: "mail", SDK: gosdk.SDK{}, ...}.Main(os.Args[1:], os.Stdout, os.Stderr)
//
// The zero value is ready to use. All flags and pages of the program stay. An
// SDK is safe for concurrent use.
type SDK struct{}

// NewHandler calls [NewHandler] with the tools and list settings of c. c.Server
// is ignored; name is the server's name.
func (SDK) NewHandler(name, version string, g *guard.Guard, c adapter.Config) (http.Handler, error) {
	return NewHandler(name, version, g, listedAs(c)...)
}

// ServeStdio calls [ServeStdio] over streams, with the tools and list settings
// of c. c.Server is ignored; name is the server's name.
func (SDK) ServeStdio(name, version string, g *guard.Guard, c adapter.Config, in io.Reader, out io.Writer) error {
	return ServeStdio(name, version, g, append(listedAs(c), WithStreams(in, out))...)
}

// listedAs returns a config as options.
func listedAs(c adapter.Config) []Option {
	opts := []Option{WithTools(c.Tools...), WithTier(c.Tier), WithNames(c.Naming)}
	if c.ResourceMetadata != nil {
		opts = append(opts, WithResourceMetadata(*c.ResourceMetadata))
	}
	return opts
}

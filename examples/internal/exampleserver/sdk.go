package exampleserver

import (
	"flag"
	"fmt"
	"io"
	"net/http"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/serve/program"
)

// The SDKs of the examples.
const (
	MCPGo    SDK = "mcp-go"
	Official SDK = "official"
)

// An SDK is the value of the flag -sdk. It implements [program.SDK], and serves
// on the SDK that the command line names. Empty means [MCPGo].
type SDK string

// Flag adds the flag -sdk.
func (s *SDK) Flag(set *flag.FlagSet) {
	set.Var(s, "sdk", "serve on the SDK `NAME`: official or mcp-go (default mcp-go)")
}

// With returns a function that adds the flag -sdk beside an example's own flags,
// which may be nil.
func (s *SDK) With(own func(*flag.FlagSet)) func(*flag.FlagSet) {
	return func(set *flag.FlagSet) {
		s.Flag(set)
		if own != nil {
			own(set)
		}
	}
}

// String implements [flag.Value].
func (s *SDK) String() string { return string(*s) }

// Set implements [flag.Value].
func (s *SDK) Set(name string) error {
	if name != string(MCPGo) && name != string(Official) {
		return fmt.Errorf("it is neither %s nor %s", Official, MCPGo)
	}
	*s = SDK(name)
	return nil
}

// NewHandler implements [program.SDK].
func (s *SDK) NewHandler(name, version string, g *guard.Guard, c adapter.Config) (http.Handler, error) {
	return s.chosen().NewHandler(name, version, g, c)
}

// ServeStdio implements [program.SDK].
func (s *SDK) ServeStdio(name, version string, g *guard.Guard, c adapter.Config, in io.Reader, out io.Writer) error {
	return s.chosen().ServeStdio(name, version, g, c, in, out)
}

func (s *SDK) chosen() program.SDK {
	if *s == Official {
		return gosdk.SDK{}
	}
	return mcpgo.SDK{}
}

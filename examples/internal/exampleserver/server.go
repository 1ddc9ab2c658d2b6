package exampleserver

import (
	"flag"
	"io"
	"net/http"
	"sync"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

// A Backend is the resource behind the guard of an example.
type Backend = program.Backend

// A Server is one server example. Its fields are those of [program.Server]. The
// callers and the people are those of [Principal]. It takes the flag -sdk.
type Server struct {
	Name        string
	Version     string
	Approval    bool
	Contracts   bool
	Flags       func(*flag.FlagSet)
	Tools       func() ([]*contract.Tool, error)
	OpenBackend func() (Backend, error)
	Web         func(origin string, list adapter.Config, opts []guard.Option) (http.Handler, *guard.Guard, error)
	SDK         *SDK // set by the flag -sdk; nil: a new one
}

// OpenState opens the file of the flag -state.
func OpenState(path string) (program.State, error) { return sqlitefile.Open(path) }

// Main runs the example, as [program.Server.Main] does.
func (s Server) Main(args []string, stdout, stderr io.Writer) int {
	return s.program().Main(args, stdout, stderr)
}

// Handler returns a handler that serves the tools at /mcp, and its guard.
func (s Server) Handler(list adapter.Config, opts ...guard.Option) (http.Handler, *guard.Guard, error) {
	endpoint, g, err := s.program().Handler(list, opts...)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", endpoint)
	return mux, g, nil
}

// program returns the program of the example.
func (s Server) program() program.Server {
	tools := sync.OnceValues(s.Tools)
	callers := Callers(tools)
	if s.SDK == nil {
		s.SDK = new(SDK)
	}
	return program.Server{
		Name: s.Name, Version: s.Version, Tools: tools, Callers: callers, SignIn: SignIn(callers), Approval: s.Approval,
		Contracts: s.Contracts, OpenState: OpenState, OperateState: sqlitefile.Operate,
		Flags: s.SDK.With(s.Flags), OpenBackend: s.OpenBackend, Web: s.Web, SDK: s.SDK,
	}
}

package gosdk

import (
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// A Table has the contracts of one server program, to be registered with many
// servers of the SDK, such as one for each request. All of them share the
// contracts, their rate limits and their concurrency slots. They also share the
// cursor key, so that a client can get page 1 of a list from one server and
// page 2 from another. A Table is safe for concurrent use.
type Table struct {
	name, version string
	config        *config
	table         *adapter.Table
	shared        map[*adapter.Entry]*registration // used by every server where it replaces no tool
}

// NewTable protects the tools of opts with g. Servers that [Table.NewServer]
// makes get the name and version.
//
// A nil g means guard.New with no options: every caller is anonymous, so only
// tools that need no principal can be served. Callers that pass a guard close
// it after the last server has ended. The error joins a
// [contract.DeclarationError] for each mistake.
func NewTable(name, version string, g *guard.Guard, opts ...Option) (*Table, error) {
	c, err := newConfig(opts)
	if err = errors.Join(adapter.CheckIdentity(name, version), err); err != nil {
		return nil, err
	}
	c.table.Server = name
	return newTable(name, version, g, c)
}

func newTable(name, version string, g *guard.Guard, c *config) (*Table, error) {
	table, err := adapter.NewTable(g, c.table)
	if err != nil {
		return nil, err
	}
	t := &Table{name: name, version: version, config: c, table: table, shared: map[*adapter.Entry]*registration{}}
	if err := checkTools(table.Entries()); err != nil {
		return nil, err
	}
	for _, e := range table.Entries() {
		if t.shared[e], err = newRegistration(e, nil); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// checkTools reports tools that this SDK cannot serve.
func checkTools(entries []*adapter.Entry) error {
	var errs []error
	for _, e := range entries {
		if !e.IsAlias() {
			errs = append(errs, checkHeaders(e.Tool().Document()))
		}
	}
	return errors.Join(errs...)
}

// NewServer makes a server of the SDK that lists the tools and runs each of
// their calls through the guard. No other tool that is added to the server is
// listed or run. Prompts and resources are as the SDK has them.
func (t *Table) NewServer() (*mcp.Server, error) {
	options := mcp.ServerOptions{}
	if t.config.server != nil {
		options = *t.config.server
	}
	if options.Capabilities == nil {
		options.Capabilities = &mcp.ServerCapabilities{}
	}
	s, err := newSDKServer(&mcp.Implementation{Name: t.name, Version: t.version}, &options)
	if err != nil {
		return nil, err
	}
	b := &binding{server: s, closed: true}
	if err := b.join(t, &serverState{name: t.name}, nil); err != nil {
		return nil, err
	}
	return s, nil
}

// newSDKServer turns a panic of the SDK about its options into an error.
func newSDKServer(i *mcp.Implementation, options *mcp.ServerOptions) (s *mcp.Server, err error) {
	defer rejected(&err, "WithServerOptions", "correct the options")
	return mcp.NewServer(i, options), nil
}

// Register adds the tools to an existing server, as [Register] does. A server
// of another name is an error, because answers to its questions would count on
// the table's other servers.
func (t *Table) Register(s *mcp.Server) error {
	if s == nil {
		return errNilServer()
	}
	if err := t.config.refuseServerOptions(); err != nil {
		return err
	}
	state, err := inspect(s)
	if err != nil {
		return err
	}
	if state.name != t.name {
		return &contract.DeclarationError{
			Rule: "serve.name", Where: "name", Message: "the server has another name than the table", Remedy: "give both one name",
		}
	}
	b := &binding{server: s, closed: t.config.closed}
	return b.join(t, state, nil)
}

// Handler returns the endpoint of the servers that getServer returns, as
// [NewHandler] does. The SDK calls getServer for each request of protocol
// version 2026-07-28, and for each session of older ones. It can return the
// same server every time, or a new one with [Table.Register] or
// [Table.NewServer]. If it returns nil, the request gets status 400. A nil
// getServer makes a new server each time.
func (t *Table) Handler(getServer func(*http.Request) *mcp.Server) http.Handler {
	if getServer == nil {
		getServer = func(*http.Request) *mcp.Server {
			s, err := t.NewServer()
			if err != nil {
				return nil
			}
			return s
		}
	}
	return newHandler(t.table, t.config.http, getServer)
}

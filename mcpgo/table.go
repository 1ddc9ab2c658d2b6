package mcpgo

import (
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// A Table has the contracts of one server program, to be registered with many
// servers of mcp-go, such as one for each request. All of them share the
// contracts, their rate limits and their concurrency slots. They also share the
// cursor key, so that a client can get page 1 of a list from one server and
// page 2 from another. A Table is safe for concurrent use.
//
// mcp-go keeps sessions with a server, so serve a server for each request with
// [HandlerOf] and server.WithStateLess.
type Table struct {
	name, version string
	config        *config
	table         *adapter.Table
	forms         []*form // sorted by name
	names         []string
	copiesHooks   bool // more than one server may have the same hooks
}

// NewTable protects the tools of opts with g. Servers made by [Table.NewServer]
// get the name and version.
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
	t, err := newTableFor(name, version, g, c)
	if err != nil {
		return nil, err
	}
	t.copiesHooks = true
	return t, nil
}

func newTableFor(name, version string, g *guard.Guard, c *config) (*Table, error) {
	if err := unexported.Check(); err != nil {
		return nil, err
	}
	c.table.Server = name
	table, err := adapter.NewTable(g, c.table)
	if err != nil {
		return nil, err
	}
	t := &Table{name: name, version: version, config: c, table: table}
	for _, e := range table.Entries() {
		t.forms = append(t.forms, newForm(e))
		t.names = append(t.names, e.Name())
	}
	return t, nil
}

// bind returns a binding of the table for a server.
func (t *Table) bind(s *server.MCPServer) *binding {
	c := t.config
	b := &binding{server: s, closed: c.closed, wrapper: c.wrapper, streams: c.streams, timeout: c.sessionTimeout}
	served := emptyTable(t.table, len(t.forms))
	entries := make([]entry, len(t.forms))
	for i, f := range t.forms {
		entries[i] = entry{f, b}
		served.put(&entries[i])
	}
	b.current.Store(served)
	return b
}

// NewServer makes an mcp-go server that lists the tools and runs each of their
// calls through the guard, as [NewServer] does. The options of
// [WithServerOptions] are applied to each server. Hooks among them are copied
// first, so add later hooks of a server to those of its GetHooks.
func (t *Table) NewServer() (*server.MCPServer, error) {
	b, err := t.open()
	if err != nil {
		return nil, err
	}
	return b.server, nil
}

// open makes a server and registers everything with it. mcp-go panics when it
// refuses a tool or an option, and an option of the server author may panic.
// Both become errors.
func (t *Table) open() (b *binding, err error) {
	defer recoverRejection(&err, "WithServerOptions", "correct the options")
	b = t.bind(nil)
	b.closed, b.bare = true, len(t.config.server) == 0
	b.identity = mcp.Implementation{Name: t.name, Version: t.version}
	options := append([]server.ServerOption{server.WithToolFilter(b.admit)}, t.config.server...)
	options = append(options, server.WithToolFilter(b.confine))
	b.server = server.NewMCPServer(t.name, t.version, options...)
	b.hook(t.copiesHooks)
	b.server.AddTools(b.table().registrations(t.names)...)
	return b, nil
}

// Register adds the tools to an existing server, as [Register] does. A server
// with another name is an error, because answers to its questions would count
// on the table's other servers. The hooks of s are copied first, so that many
// servers can have the same ones; add later hooks to those of s.GetHooks.
func (t *Table) Register(s *server.MCPServer) error {
	if s == nil {
		return errNilServer()
	}
	if err := t.config.refuseServerOptions(); err != nil {
		return err
	}
	if unexported.NameOf(s) != t.name {
		return &contract.DeclarationError{
			Rule: "serve.name", Where: "name", Message: "the server has another name than the table", Remedy: "give both one name",
		}
	}
	return t.bind(s).join(t)
}

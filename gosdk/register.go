package gosdk

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// Register adds tools with contracts to a server that exists already, so that a
// program can adopt contracts tool by tool. Tools without a contract stay
// exactly as they were, in the list and in calls, unless [WithClosedWorld] is
// given.
//
// A contract reserves its listed name, its own name if [WithNames] lists
// another, and each alias in both forms, with dots and with underscores.
// Nothing else is listed or run under these names: a tool that is added later
// answers as unknown, and [Verify] names it. If a tool of s has one of these
// names, the contract replaces it. If the contract's own name is not the listed
// one, no tool stays under it. The contract takes over the icons and the _meta
// of the tool under its listed name, or else of the one under its own name. A
// tool under the name of a forbidden contract is removed.
//
// Register adds one receiving middleware to s. Middleware that s already has
// sees the calls, and the list before it is trimmed. Middleware that is added
// later sees the list as the client does. Changes made below Register's
// middleware to the definition of a tool with a contract do not reach the
// client. In place of the schemas of such a tool, middleware there sees
// {"type":"object"}, unless the tool has x-mcp-header: the SDK needs the
// schemas for nothing else and takes long to read them.
//
// Call it once a server, before s serves; [Add] adds contracts later. g is as
// for [NewServer]. If it has sealing keys, the server needs a name, or the
// guard a namespace, so that no answer for another server counts on this one.
// [WithServerOptions] is an error, because s exists already. The error joins a
// [contract.DeclarationError] for each mistake, and then s is unchanged.
func Register(s *mcp.Server, g *guard.Guard, opts ...Option) error {
	if s == nil {
		return errNilServer()
	}
	c, err := newConfig(opts)
	if err = errors.Join(err, c.refuseServerOptions()); err != nil {
		return err
	}
	state, err := inspect(s)
	if err != nil {
		return err
	}
	return register(s, g, c, state, nil)
}

// register adds a configuration's contracts to a server. adopted has the
// server's tools that stay registered under a contract, by the contract's name.
func register(s *mcp.Server, g *guard.Guard, c *config, state *serverState, adopted map[string]*mcp.Tool) error {
	c.table.Server = state.name
	t, err := newTable(state.name, "", g, c)
	if err != nil {
		return err
	}
	b := &binding{server: s, closed: c.closed, wrapper: c.wrapper, removed: map[string]*contract.Tool{}}
	return b.join(t, state, adopted)
}

// join registers a table with a server. adopted is as for register.
func (b *binding) join(t *Table, state *serverState, adopted map[string]*mcp.Tool) (err error) {
	b.streams, b.http = t.config.streams, t.config.http
	if !b.bind() {
		return &contract.DeclarationError{Rule: "serve.registered", Message: "the server has contracts already",
			Remedy: "pass all contracts in one call, before gosdk.AddTool"}
	}
	defer func() {
		if err != nil {
			b.unbind()
		}
	}()
	if err := t.checkOwn(state.tools); err != nil {
		return err
	}
	served := tableOf(t.table)
	for _, e := range t.table.Entries() {
		r := t.shared[e]
		if tool := adopted[e.Tool().Name()]; tool != nil {
			r, err = newAdopted(e, tool)
		} else if replaced := replacedBy(e, state.tools); replaced != nil {
			r, err = newRegistration(e, replaced)
		}
		if err != nil {
			return err
		}
		served.put(r)
	}
	b.current.Store(served)
	if err := b.addTools(served, nil, nil, state.tools); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(adopted)) {
		dropHeaders(t.table.EntryOf(name), adopted[name])
	}
	b.server.AddReceivingMiddleware(b.receive)
	b.server.AddSendingMiddleware(b.send)
	return nil
}

// checkOwn reports a registered tool that a tool of the guard would replace. The
// guard's are those that are not in the configuration.
func (t *Table) checkOwn(registered map[string]*mcp.Tool) error {
	var errs []error
	claimed := t.table.Claimed()
	for _, name := range slices.Sorted(maps.Keys(claimed)) {
		isGiven := func(of *contract.Tool) bool { return of.Name() == claimed[name] }
		if registered[name] != nil && !slices.ContainsFunc(t.config.table.Tools, isGiven) {
			errs = append(errs, &contract.DeclarationError{
				Rule: "serve.taken", Tool: claimed[name], Where: "name", Message: "a tool of the server has the name " + name,
				Remedy: "rename the tool, or pass another name to guard.WithOperations",
			})
		}
	}
	return errors.Join(errs...)
}

// replacedBy returns the tool that an entry replaces, or nil.
func replacedBy(e *adapter.Entry, tools map[string]*mcp.Tool) *mcp.Tool {
	return cmp.Or(tools[e.Definition().Name], tools[e.Tool().Name()])
}

// newRegistration returns a registration whose tool this package makes.
// replaced is the tool that it replaces, or nil.
func newRegistration(e *adapter.Entry, replaced *mcp.Tool) (*registration, error) {
	r := &registration{entry: e, of: e.Definition().Name, listed: wireTool(e, replaced), under: e.Name()}
	r.tool = stubOf(e, r.listed)
	return r, r.write()
}

// anyObject is the schema of stubs.
var anyObject = &jsonschema.Schema{Type: "object"}

// stubOf returns what the SDK gets to register for a tool that this package
// lists: the same tool without its schemas. The SDK reads them only to search
// them for x-mcp-header, which takes most of the time of a registration, and
// for the headers that it finds (mcp/server.go:354, mcp/streamable.go:1618).
func stubOf(e *adapter.Entry, listed *mcp.Tool) *mcp.Tool {
	if hasHeaders(e.Definition().InputSchema) {
		return listed
	}
	stub := *listed
	stub.InputSchema = anyObject
	if stub.OutputSchema != nil {
		stub.OutputSchema = anyObject
	}
	return &stub
}

// newAdopted returns a registration whose tool is the server author's and
// stays.
func newAdopted(e *adapter.Entry, tool *mcp.Tool) (*registration, error) {
	r := &registration{entry: e, of: e.Definition().Name, listed: wireTool(e, tool), under: tool.Name, tool: tool, adopted: true}
	r.listed.Name = r.of
	return r, r.write()
}

// write stores the listed tool as JSON.
func (r *registration) write() (err error) {
	if r.wire, err = json.Marshal(r.listed); err != nil {
		return &contract.DeclarationError{
			Rule: "serve.definition", Tool: r.entry.Tool().Name(), Where: "_meta",
			Message: "the definition cannot be written as JSON", Remedy: "correct the _meta of the tool that the contract replaces",
		}
	}
	return nil
}

// addTools registers those tools of a table that are missing, and removes those
// that may not stay. A tool that the program removed before comes back only if
// it is among added; for a new binding, old is nil and all are. registered has
// the server's tools as they were before. The SDK panics if it refuses a tool.
func (b *binding) addTools(t, old *table, added []*contract.Tool, registered map[string]*mcp.Tool) (err error) {
	defer rejected(&err, "WithTools", "correct the schemas")
	isAdded := func(r *registration) bool {
		return slices.ContainsFunc(added, func(of *contract.Tool) bool { return of.Name() == r.entry.Tool().Name() })
	}
	for _, name := range slices.Sorted(maps.Keys(t.called)) {
		r := t.called[name]
		stays := old != nil && old.called[name] == r && !isAdded(r) // registered or removed, as it is
		if !stays && !r.adopted && !r.isRegistered(registered) {
			b.server.AddTool(r.tool, b.handler(name))
		}
	}
	var gone []string
	for name := range t.Claimed() {
		if registered[name] != nil && t.called[name] == nil && t.listed[name] == nil {
			gone = append(gone, name) // a reserved name
		}
	}
	if old != nil {
		for name, r := range old.called {
			if t.called[name] == nil && !r.adopted && r.isRegistered(registered) {
				gone = append(gone, name) // an alias that the new contract does not have
			}
		}
	}
	if len(gone) > 0 {
		b.server.RemoveTools(gone...)
	}
	return nil
}

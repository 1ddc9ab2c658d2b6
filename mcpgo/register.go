package mcpgo

import (
	"errors"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// Register adds tools with contracts to a server that exists already, so that a
// program can adopt contracts tool by tool. Tools without a contract stay
// exactly as they were, in the list and in calls, unless [WithClosedWorld] is
// given.
//
// A contract reserves its listed name, its own name if [WithNames] lists
// another, and each alias in either form, with dots and with underscores.
// Nothing else is listed or run under these names: a tool of a session, or one
// that is added later, answers as unknown, and [Verify] names it. If a tool of
// s has one of them, the contract replaces it. Under its own name, if that is
// not listed, no tool is left. The contract takes over the icons, the
// defer_loading and the _meta of the tool under its listed name, or else of the
// one under its own name. A tool under the name of a forbidden contract is
// deleted.
//
// Register adds hooks and filters to those of s and replaces none. The guard is
// inside all middleware of s. Hooks that s has already see the list before it
// is trimmed. Hooks that are added later see it as the client does. When a tool
// is called by an alias, filters that s has already see the alias, and later
// filters see the tool.
//
// Call it once for a server, before s serves; [Add] adds contracts later. g is
// as for [NewServer]. If it has sealing keys, the server needs a name, or the
// guard a namespace, so that no answer for another server counts on this one.
// [WithServerOptions] is an error, because s exists already. The error joins a
// [contract.DeclarationError] for everything that is wrong, and then s is
// unchanged.
func Register(s *server.MCPServer, g *guard.Guard, opts ...Option) error {
	if s == nil {
		return errNilServer()
	}
	c, err := newConfig(opts)
	if err != nil {
		return errors.Join(err, c.refuseServerOptions())
	}
	return register(s, g, c)
}

// register adds the contracts of a configuration to a server.
func register(s *server.MCPServer, g *guard.Guard, c *config) error {
	if err := c.refuseServerOptions(); err != nil {
		return err
	}
	t, err := newTableFor(unexported.NameOf(s), "", g, c)
	if err != nil {
		return err
	}
	return t.bind(s).join(t)
}

// checkOwn reports a registered tool that a tool of the guard would replace. The
// guard's are those that are not among tools.
func (b *binding) checkOwn(tools []*contract.Tool, registered map[string]*server.ServerTool) error {
	var errs []error
	claimed := b.table().Claimed()
	for _, name := range slices.Sorted(maps.Keys(claimed)) {
		if registered[name] != nil && !contains(tools, claimed[name]) {
			errs = append(errs, errTaken(name, claimed[name], "rename the tool, or pass another name to guard.WithOperations"))
		}
	}
	return errors.Join(errs...)
}

// join registers the tools, filters and hooks with a server that exists. The
// tools come first, because only they can be refused.
func (b *binding) join(of *Table) (err error) {
	registered := b.server.ListTools()
	if b.server.GetHooks() != nil && bindingOf(b.server) != nil { // one without hooks has none
		return &contract.DeclarationError{Rule: "serve.registered", Message: "the server has contracts already",
			Remedy: "pass all contracts in one call, before AddTool"}
	}
	if err := b.checkOwn(of.config.table.Tools, registered); err != nil {
		return err
	}
	t := b.table()
	if err := t.prepare(of.names, registered); err != nil {
		return err
	}
	if err := b.addTools(t, of.names); err != nil {
		return err
	}
	b.server.DeleteTools(t.reserved(registered)...)
	server.WithToolFilter(b.admit)(b.server)
	server.WithToolFilter(b.confine)(b.server)
	b.hook(of.copiesHooks)
	return nil
}

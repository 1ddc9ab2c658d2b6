package mcpgo

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// Register puts tools with contracts onto a server that exists already, to adopt
// contracts tool by tool. Tools without a contract stay exactly as they were, in
// the list and in calls, until [WithClosedWorld] is given. Nothing else is listed or
// run under the name or alias of a contract: a session's tool, or one that is
// added later, answers as unknown, and [Verify] names it.
//
// A tool of s that has the name, or an alias, of a contract is taken to be the
// one that the contract is now written for, and the contract takes its place.
// Its icons, its defer_loading and its _meta stay. That holds for the name as it
// is listed and, where [WithNames] lists another, for the contract's own, under which
// no tool is left. Under a forbidden contract's name it is deleted.
//
// Hooks and filters are added to those of s, never put in their place. Filters
// that s has already see a tool that is called by an alias under that alias;
// later ones see the tool it stands for.
//
// Call it once for a server, with all contracts, before s serves. g is as for
// [NewServer]; [WithServerOptions] cannot be given, for s is made. The error joins a
// [contract.DeclarationError] for everything that is wrong, and then s is as it
// was.
func Register(s *server.MCPServer, g *guard.Guard, opts ...Option) error {
	if s == nil {
		return &contract.DeclarationError{Rule: "serve.server", Message: "the server is nil", Remedy: "make one with server.NewMCPServer, or use mcpgo.NewServer"}
	}
	c, err := newConfig(opts)
	if err = errors.Join(err, refuseServerOptions(c)); err != nil {
		return err
	}
	b, err := newBinding(g, c)
	if err != nil {
		return err
	}
	b.server = s
	return b.join()
}

func refuseServerOptions(c *config) error {
	if len(c.server) == 0 {
		return nil
	}
	return &contract.DeclarationError{Rule: "serve.option", Clause: "WithServerOptions", Message: "the server exists already", Remedy: "give them to server.NewMCPServer"}
}

// join registers with the server that exists. Only AddTools can fail, and it
// comes first.
func (b *binding) join() (err error) {
	registered := b.server.ListTools()
	if b.isJoined() || hasHandlers(registered) {
		return &contract.DeclarationError{Rule: "serve.registered", Message: "Register was called for the server, or NewServer made it", Remedy: "register all contracts at once"}
	}
	var errs []error
	names := slices.Sorted(maps.Keys(b.entries))
	for _, name := range names {
		e := b.entries[name]
		old := cmp.Or(registered[name], registered[e.called])
		if old == nil {
			continue
		}
		if runsAsTask(old.Tool) {
			errs = append(errs, taskTool(old.Tool.Name))
		}
		if e.standIn == nil {
			e.inherit(old.Tool)
		}
	}
	for _, name := range names {
		e := b.entries[name]
		if e.standIn != nil { // an alias looks as the tool it stands for
			e.inherit(b.entries[e.standIn.Name].tool)
			e.standIn.Icons, e.standIn.DeferLoading = e.tool.Icons, e.tool.DeferLoading
		}
		errs = append(errs, e.write())
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := b.addTools(); err != nil {
		return err
	}
	for name := range b.barred {
		if registered[name] != nil {
			b.server.DeleteTools(name)
		}
	}
	server.WithToolFilter(b.admit)(b.server)
	server.WithToolFilter(b.confine)(b.server)
	b.hook()
	return nil
}

// isJoined reports whether the server has a binding already, by the hook that
// each one leaves. It calls no function of the server author.
func (b *binding) isJoined() bool {
	hooks := b.server.GetHooks()
	if hooks == nil {
		return false
	}
	for _, h := range hooks.OnBeforeListTools {
		if other := bindingBehind(h); other != nil && other.server == b.server { // hooks can be shared
			return true
		}
	}
	return false
}

// hasHandlers reports whether a tool has a handler of this package. It finds a
// binding whose hooks were replaced.
func hasHandlers(registered map[string]*server.ServerTool) bool {
	for _, t := range registered {
		if entryBehind(t.Handler) != nil {
			return true
		}
	}
	return false
}

func (b *binding) addTools() (err error) {
	if len(b.entries) == 0 {
		return nil
	}
	defer rejected(&err, "WithTools", "free the names that task tools have")
	b.server.AddTools(b.registrations()...)
	return nil
}

func runsAsTask(t mcp.Tool) bool {
	return t.Execution != nil && t.Execution.TaskSupport != "" && t.Execution.TaskSupport != mcp.TaskSupportForbidden
}

func taskTool(name string) error {
	return &contract.DeclarationError{
		Rule: "serve.task", Tool: name, Clause: "execution", Message: "a tool that runs as a task keeps no contract", Remedy: "remove its task support",
	}
}

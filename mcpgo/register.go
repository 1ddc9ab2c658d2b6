package mcpgo

import (
	"errors"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
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
// Register adds hooks and filters to those of s and replaces none. When a tool
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
		return errors.Join(err, refuseServerOptions(c))
	}
	return register(s, g, c)
}

func errNilServer() error {
	return &contract.DeclarationError{Rule: "serve.server", Message: "the server is nil",
		Remedy: "make one with server.NewMCPServer, or use mcpgo.NewServer"}
}

// register adds the contracts of a configuration to a server.
func register(s *server.MCPServer, g *guard.Guard, c *config) error {
	if err := refuseServerOptions(c); err != nil {
		return err
	}
	b, err := newBinding(nameOf(s), g, c)
	if err != nil {
		return err
	}
	b.server = s
	return b.join()
}

// nameOf returns the name of a server. mcp-go has no function for it, and the
// handshake, which has the name, calls hooks of the server author. It returns
// "" if mcp-go no longer has the field.
func nameOf(s *server.MCPServer) string {
	if name := reflect.ValueOf(s).Elem().FieldByName("name"); name.Kind() == reflect.String {
		return name.String()
	}
	return ""
}

func refuseServerOptions(c *config) error {
	if len(c.server) == 0 {
		return nil
	}
	return &contract.DeclarationError{Rule: "serve.option", Where: "WithServerOptions", Message: "the server exists already",
		Remedy: "give them to server.NewMCPServer"}
}

// join registers with a server that exists. AddTools comes first, because only
// it can fail.
func (b *binding) join() (err error) {
	registered := b.server.ListTools()
	if bindingOf(b.server) != nil {
		return &contract.DeclarationError{Rule: "serve.registered", Message: "the server has contracts already",
			Remedy: "pass all contracts in one call"}
	}
	w := b.now()
	names := w.newSince(nil)
	if err := w.prepare(names, registered); err != nil {
		return err
	}
	if err := b.addTools(w, names); err != nil {
		return err
	}
	for _, name := range w.reserved() {
		if registered[name] != nil {
			b.server.DeleteTools(name)
		}
	}
	server.WithToolFilter(b.admit)(b.server)
	server.WithToolFilter(b.confine)(b.server)
	b.hook()
	return nil
}

// prepare completes the definitions of names with members of the tools that
// they replace.
func (w *world) prepare(names []string, registered map[string]*server.ServerTool) error {
	var errs []error
	for _, name := range names {
		e := w.entries[name]
		old := registered[name]
		if old == nil && e.standIn == nil {
			old = registered[e.Tool().Name()]
		}
		if old == nil {
			continue
		}
		if runsAsTask(old.Tool) {
			errs = append(errs, taskTool(old.Tool.Name))
		}
		if e.standIn == nil {
			e.inherit(old.Tool)
			errs = append(errs, e.write())
		}
	}
	for _, name := range names {
		e := w.entries[name]
		if e.standIn != nil { // an alias has the form of its tool
			e.inherit(w.entries[e.standIn.Name].tool)
			e.standIn.Icons, e.standIn.DeferLoading, e.standIn.Meta = e.tool.Icons, e.tool.DeferLoading, e.tool.Meta
			errs = append(errs, e.write())
		}
	}
	return errors.Join(errs...)
}

func (b *binding) addTools(w *world, names []string) (err error) {
	if len(names) == 0 {
		return nil
	}
	defer rejected(&err, "WithTools", "rename the task tools")
	b.server.AddTools(w.registrations(names)...)
	return nil
}

func runsAsTask(t mcp.Tool) bool {
	return t.Execution != nil && t.Execution.TaskSupport != "" && t.Execution.TaskSupport != mcp.TaskSupportForbidden
}

func taskTool(name string) *contract.DeclarationError {
	return &contract.DeclarationError{
		Rule: "serve.task", Tool: name, Where: "execution", Message: "the contract of a tool that runs as a task cannot be enforced",
		Remedy: "remove its task support",
	}
}

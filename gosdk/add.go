package gosdk

import (
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

// Add adds tools with contracts to a server that has contracts already: one
// made by [NewServer] or by a [Table], or given to [Register] or [WrapAll]. It
// can be called while s serves, also from a handler. The tools get the guard,
// tier and naming of the server, and the SDK notifies clients that the list
// changed. Other servers of a Table do not get them.
//
// A tool with a contract that s has already, by name and digest, takes the
// place of that tool: calls under way end with the old handler. Another
// contract can take a name only after Server.RemoveTools has removed the tool.
// In the open world a tool without a contract is replaced, as by Register. Any
// other name that belongs to a contract is an error.
//
// A server of [WrapAll] also wraps tools that are added with the SDK's own
// functions, by its rules. It wraps them before the next list, and before the
// next call of the tool. A tool that is added again under a wrapped name is
// wrapped again by the rule of its name. If its contract would have a lower
// effect or risk, or fewer permissions, the change is refused (rule
// wrap.weaker). A refused tool, and a tool under the name of a contract that a
// program made, answers as unknown, and [Verify] names it. Guesses are logged.
// A tool whose contract cannot be built is logged too, and is neither listed
// nor run unless AllowUncontracted is set. A tool that takes the place of
// another while a call of it begins can get that call.
//
// The error joins a [contract.DeclarationError] for everything that is wrong,
// and then s is unchanged. Concurrent calls wait for each other.
func Add(s *mcp.Server, tools ...*contract.Tool) error {
	b := bindingOf(s)
	if b == nil {
		return errNoContracts("serve.server")
	}
	b.joining.Lock()
	defer b.joining.Unlock()
	state, err := inspect(s)
	if err != nil {
		return err
	}
	return b.add(tools, state.tools)
}

func errNoContracts(rule string) error {
	return &contract.DeclarationError{Rule: rule, Message: "the server has no contracts",
		Remedy: "make it with gosdk.NewServer, or " +
			"call gosdk.Register or gosdk.WrapAll"}
}

// add needs joining. It serves the new world before it registers the tools, so
// that nothing else can have their names meanwhile.
func (b *binding) add(tools []*contract.Tool, registered map[string]*mcp.Tool) error {
	old := b.now()
	table, err := old.table.With(tools...)
	if err != nil {
		return err
	}
	if err := errors.Join(b.checkReplaced(old, tools, registered), checkTools(table.Since(old.table))); err != nil {
		return err
	}
	next := newWorld(table)
	for _, e := range table.Entries() {
		r := old.called[e.Name()]
		if r == nil || r.entry != e {
			if r, err = newRegistration(e, replacedBy(e, registered)); err != nil {
				return err
			}
		}
		next.put(r)
	}
	b.world.Store(next)
	if err := b.addTools(next, old, registered); err != nil {
		b.world.Store(old)
		return err
	}
	return nil
}

// checkReplaced reports tools that would take the place of another contract
// that is still registered.
func (b *binding) checkReplaced(old *world, tools []*contract.Tool, registered map[string]*mcp.Tool) error {
	var errs []error
	for _, t := range tools {
		e := old.table.EntryOf(t.Name())
		if e == nil || e.Tool().Digest() == t.Digest() {
			continue
		}
		if old.called[e.Name()].isRegistered(registered) {
			errs = append(errs, taken(e.Name(), t.Name()))
		}
	}
	return errors.Join(errs...)
}

func taken(name, tool string) error {
	return &contract.DeclarationError{
		Rule: "serve.taken", Tool: tool, Where: "name",
		Message: "the name " + name + " belongs to another contract of the server",
		Remedy: "remove that tool with Server.RemoveTools " +
			"first, or rename one",
	}
}

// ToolsOf returns the contracts that s enforces, sorted by name, for tests such
// as those of package contracttest. s is a server made by this package, or
// given to [Register] or [WrapAll]; for any other server ToolsOf returns nil.
func ToolsOf(s *mcp.Server) []*contract.Tool {
	b := bindingOf(s)
	if b == nil {
		return nil
	}
	return b.now().table.Toolset().Tools()
}

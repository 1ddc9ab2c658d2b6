package gosdk

import (
	"context"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

// Add adds tools with contracts to a server that already has some: one made by
// [NewServer] or by a [Table], or passed to [Register] or [WrapAll]. It may be
// called while s serves, even from a handler. The tools get the server's guard,
// tier and naming, and the SDK notifies clients that the list changed. Other
// servers of a Table do not get them.
//
// A tool whose name and digest s already has replaces that tool; calls in
// progress finish with the old handler. A different contract can take a name
// only after Server.RemoveTools has removed the tool. On a server that is not
// closed, a tool without a contract is replaced, as by Register. Any other name
// that belongs to a contract is an error.
//
// After [WrapAll], tools that are added with the SDK's own functions are
// wrapped by its rules too, before the next list and before the tool's next
// call. A tool that is added again under a wrapped name is wrapped again by the
// rule for that name. If its contract would have a lower effect or risk, or
// fewer permissions, the change is refused (rule wrap.weaker). A refused tool,
// or one under the name of a contract that the program wrote, answers as
// unknown, and [Verify] names it. Guesses are logged. A tool whose contract
// cannot be built is logged too, and is neither listed nor run unless
// AllowUncontracted is set. A tool that replaces another just as a call begins
// may receive that call.
//
// The error joins a [contract.DeclarationError] for each mistake, and then s is
// unchanged. Concurrent calls wait for each other.
func Add(s *mcp.Server, tools ...*contract.Tool) error { return update(s, tools, false) }

// update adds tools to a server. If only is set, no other contract stays.
func update(s *mcp.Server, tools []*contract.Tool, only bool) error {
	b, err := settled(s, "serve.server")
	if err != nil {
		return err
	}
	b.updates.Lock()
	defer b.updates.Unlock()
	state, err := inspect(s)
	if err != nil {
		return err
	}
	if only {
		b.keep(tools, state.tools)
	}
	return b.add(tools, state.tools)
}

func errNoContracts(rule string) error {
	return &contract.DeclarationError{Rule: rule, Message: "the server has no contracts",
		Remedy: "make it with gosdk.NewServer, or " +
			"call gosdk.Register or gosdk.WrapAll"}
}

// add needs updates locked. It serves the new table before it registers the
// tools, so that nothing else can take their names in between.
func (b *binding) add(tools []*contract.Tool, registered map[string]*mcp.Tool) error {
	old := b.table()
	table, err := old.With(tools...)
	if err != nil {
		return err
	}
	if err := errors.Join(b.checkReplaced(old, tools, registered), checkTools(table.Since(old.Table))); err != nil {
		return err
	}
	next := tableOf(table)
	for _, e := range table.Entries() {
		r := old.called[e.Name()]
		if r == nil || r.entry != e {
			if r, err = newRegistration(e, replacedBy(e, registered)); err != nil {
				return err
			}
			if w := b.waiting[e.Name()]; w.tool != nil && w.tool.Name == e.Name() {
				r.tool = w.tool // the SDK has it already
			}
		}
		next.put(r)
	}
	b.current.Store(next)
	if err := b.addTools(next, old, tools, registered); err != nil {
		b.current.Store(old)
		return err
	}
	return nil
}

// checkReplaced reports tools that would replace another contract that is still
// registered.
func (b *binding) checkReplaced(old *table, tools []*contract.Tool, registered map[string]*mcp.Tool) error {
	var errs []error
	for _, t := range tools {
		e := old.EntryOf(t.Name())
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

// ToolsOf returns the contracts that s enforces at this moment, sorted by name,
// for tests such as those of package contracttest. A contract whose tool was
// removed or replaced is not among them. The server author's middleware does
// not see it read the tools. It returns nil for a server that this package did
// not make and that was not passed to [Register] or [WrapAll].
func ToolsOf(s *mcp.Server) []*contract.Tool {
	b, err := settled(s, "serve.server")
	if err != nil {
		return nil
	}
	state, err := inspect(s)
	if err != nil {
		return nil
	}
	b.adopt(context.Background(), state.tools)
	t := b.table()
	return slices.DeleteFunc(t.Toolset().Tools(), func(of *contract.Tool) bool {
		e := t.EntryOf(of.Name())
		return e != nil && !t.isServed(t.called[e.Name()], state.tools)
	})
}

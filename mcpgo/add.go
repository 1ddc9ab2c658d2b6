package mcpgo

import (
	"errors"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
)

// Add adds tools with contracts to a server that has contracts already: one
// made by [NewServer], or given to [Register] or [WrapAll]. It can be called
// while s serves, also from a hook or from a handler. The tools get the guard,
// tier and naming of the server, and mcp-go notifies clients that the list
// changed. For the tools of one session use [RegisterSession].
//
// A tool with a contract that s has already, by name and digest, takes the
// place of that tool: calls under way end with the old handler. Another
// contract can take a name only after server.DeleteTools has removed the tool.
// In the open world a tool without a contract is replaced, as by Register. Any
// other name that is taken, by a contract of the server or of a session, is an
// error.
//
// A server of [WrapAll] also wraps tools that are added with mcp-go's own
// functions, to the server or to a session, by its rules. It wraps them before
// the next list, and before the next call of the tool. A tool that is added
// again under a wrapped name is wrapped again by the rule of its name. If its
// contract would have a lower effect or risk, or fewer permissions, the change
// is refused (rule wrap.weaker). A refused tool, and a tool under the name of a
// contract that a program made, answers as unknown, and [Verify] names it.
//
// Guesses are logged. A tool whose contract cannot be built is logged too, and
// is neither listed nor run unless AllowUncontracted is set. A tool that a hook
// for lists or calls adds is wrapped before that request only if the hook was
// added before WrapAll. Tools that only a tool filter of mcp-go returns cannot
// be called, so they are not listed. Delete a tool under the name under which
// it is listed. A tool that is deleted while it is being wrapped can stay
// registered.
//
// The error joins a [contract.DeclarationError] for everything that is wrong,
// and then s is unchanged. Concurrent calls wait for each other.
func Add(s *server.MCPServer, tools ...*contract.Tool) error {
	b := bindingOf(s)
	if b == nil {
		return errNoContracts()
	}
	b.lock()
	defer b.updates.Unlock()
	return b.add(tools, b.checkReplaced)
}

// add adds tools. The caller holds updates. The new table is served before the
// tools are registered, so that nothing else can take their names in between.
//
// checkReplaced returns an error for tools that may not take the place of
// contracts. Nil: all may.
func (b *binding) add(tools []*contract.Tool, checkReplaced replacedCheck) error {
	return b.addTo(b.server.ListTools(), tools, checkReplaced)
}

// addTo is add with the tools that the server has.
func (b *binding) addTo(registered map[string]*server.ServerTool, tools []*contract.Tool, checkReplaced replacedCheck) error {
	old := b.current.Load()
	of, err := old.With(tools...)
	if err != nil {
		return err
	}
	next := newTable(b, of, old)
	fresh := next.newSince(old)
	if checkReplaced != nil {
		err = checkReplaced(old, registered, tools)
	}
	if err := errors.Join(err, b.checkSessions(next, tools), next.prepare(fresh, registered)); err != nil {
		return err
	}
	b.current.Store(next)
	if err := b.addTools(next, next.missing(registered, tools)); err != nil {
		b.current.Store(old)
		return err
	}
	claimed := next.Claimed()
	for _, name := range next.reserved(registered) {
		if contains(tools, claimed[name]) {
			b.server.DeleteTools(name)
		}
	}
	for name, e := range old.entries {
		if r := registered[name]; r != nil && !next.Claims(name) && entryBehind(r.Handler) == e {
			b.server.DeleteTools(name) // an alias that the new contract does not have
		}
	}
	return nil
}

type replacedCheck = func(old *table, registered map[string]*server.ServerTool, tools []*contract.Tool) error

// missing returns the names of those tools that are not registered: because
// they are new or were deleted, or because another tool was registered in their
// place.
func (t *table) missing(registered map[string]*server.ServerTool, tools []*contract.Tool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(t.entries)) {
		e := t.entries[name]
		if r := registered[name]; contains(tools, e.Tool().Name()) && (r == nil || !isOurs(e, &r.Tool, r.Handler)) {
			names = append(names, name)
		}
	}
	return names
}

func contains(tools []*contract.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t *contract.Tool) bool { return t.Name() == name })
}

// checkReplaced reports tools that would take the place of another contract
// that is still registered.
func (b *binding) checkReplaced(old *table, registered map[string]*server.ServerTool, tools []*contract.Tool) error {
	var errs []error
	for _, t := range tools {
		e := old.entries[old.Naming().Listed(t.Name())]
		if e == nil || e.Tool().Digest() == t.Digest() {
			continue
		}
		if r := registered[e.tool.Name]; r != nil && entryBehind(r.Handler) == e {
			errs = append(errs, errTaken(e.tool.Name, t.Name(), "delete that tool with server.DeleteTools first, or rename one"))
		}
	}
	return errors.Join(errs...)
}

// checkSessions reports names that a contract of a session has already.
func (b *binding) checkSessions(next *table, tools []*contract.Tool) error {
	var errs []error
	for name, of := range next.Claimed() {
		if contains(tools, of) && b.names.inAny(name) {
			errs = append(errs, errTaken(name, of, "rename one"))
		}
	}
	return errors.Join(errs...)
}

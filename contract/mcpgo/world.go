package mcpgo

import (
	"errors"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// A world is the set of contracts that a binding serves, with their names. It
// does not change once it is served: a binding that gets more contracts gets
// another world.
type world struct {
	set     *guard.Toolset
	names   names
	entries map[string]*entry    // by name and by alias, as listed and called
	byMeta  map[*mcp.Meta]*entry // the same, by the Meta of their definitions
	barred  map[string]string    // from names under which nothing may be registered, to their contracts
	varies  bool                 // the list depends on the caller
}

func newWorld(set *guard.Toolset, names names) *world {
	return &world{set: set, names: names, entries: map[string]*entry{}, byMeta: map[*mcp.Meta]*entry{}, barred: map[string]string{}}
}

// with returns a world that also has tools. It keeps the entries of the others,
// and of contracts that are equal to new ones. Calls whose entries mcp-go has
// already found then go on.
func (w *world) with(b *binding, tools []*contract.Tool) (*world, error) {
	set, err := w.set.With(tools...)
	if err != nil {
		return nil, err
	}
	next := newWorld(set, newNames(w.names.naming, tools, w.names))
	digests := map[string]string{}
	for _, t := range tools {
		digests[t.Name()] = t.Digest()
	}
	kept := map[string]bool{}
	for _, e := range w.entries {
		if digest, again := digests[e.listed]; !again || digest == e.digest {
			next.put(e)
			kept[e.listed] = true
		}
	}
	fresh := slices.DeleteFunc(slices.Clone(tools), func(t *contract.Tool) bool { return kept[t.Name()] })
	if err := next.define(b, fresh); err != nil {
		return nil, err
	}
	return next, nil
}

func (w *world) put(e *entry) { w.entries[e.tool.Name], w.byMeta[e.tool.Meta] = e, e }

// define makes the entries of those tools that an agent may see, and bars the
// names of all others.
func (w *world) define(owner *binding, tools []*contract.Tool) error {
	var errs []error
	for _, t := range tools {
		doc := t.Document()
		if isForbidden(doc) {
			continue
		}
		entries, err := newEntries(doc, owner.tier, w.names)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, e := range entries {
			if other := w.entries[e.tool.Name]; other != nil {
				errs = append(errs, collision(other.called, e))
				continue
			}
			e.owner, e.digest = owner, t.Digest()
			w.put(e)
		}
	}
	for _, t := range w.set.Tools() {
		doc := t.Document()
		w.varies = w.varies || !isForbidden(doc) && doc.NeedsPrincipal()
		errs = append(errs, w.bar(doc))
	}
	return errors.Join(errs...)
}

// bar reserves the names of a contract that are not registered: those of a
// forbidden tool, and the contract's own name if it is listed under another.
func (w *world) bar(doc contract.Document) error {
	listed := w.names.naming.Listed(doc.Name)
	if e := w.entries[listed]; e != nil && isForbidden(doc) {
		return collision(doc.Name, e)
	}
	for _, name := range []string{listed, doc.Name} {
		if w.entries[name] == nil {
			w.barred[name] = doc.Name
		}
	}
	return nil
}

// taken returns every name that belongs to a contract, with the name of that
// contract.
func (w *world) taken() map[string]string {
	all := maps.Clone(w.barred)
	for name, e := range w.entries {
		all[name] = e.listed
	}
	return all
}

// has reports whether a name belongs to a contract.
func (w *world) has(name string) bool { return w.entries[name] != nil || w.barred[name] != "" }

// newSince returns the names of the entries that other does not have, sorted.
// If other is nil, these are all names.
func (w *world) newSince(other *world) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(w.entries)) {
		if other == nil || other.entries[name] != w.entries[name] {
			names = append(names, name)
		}
	}
	return names
}

// registrations returns the tools of names to register with mcp-go.
func (w *world) registrations(names []string) []server.ServerTool {
	tools := make([]server.ServerTool, 0, len(names))
	for _, name := range names {
		tools = append(tools, server.ServerTool{Tool: w.entries[name].tool, Handler: w.entries[name].handle})
	}
	return tools
}

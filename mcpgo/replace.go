package mcpgo

import (
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
)

// Replace replaces the contracts of a server by those of tools. The server must
// already have contracts. Replace can be called while s serves, such as by a
// gateway whose servers change. Contracts that are not among tools are removed.
// A contract with another digest is removed and added. In between, calls of its
// tool are answered as calls of an unknown name. A contract with the same
// digest stays in the list and gets the new handler. Running calls end with the
// handler that they began with. mcp-go notifies clients if the list changed.
//
// The error joins a [contract.DeclarationError] for everything that is wrong.
// Then no tool was added, but the contracts that are not among tools, or have
// another digest there, are gone. Contracts of single sessions and tools
// without a contract stay. Concurrent calls wait for each other.
func Replace(s *server.MCPServer, tools ...*contract.Tool) error {
	b := bindingOf(s)
	if b == nil {
		return errNoContracts()
	}
	b.lock()
	defer b.updates.Unlock()
	if err := b.remove(b.notAmong(tools)); err != nil || len(tools) == 0 {
		return err
	}
	return b.add(tools, b.checkReplaced)
}

// notAmong returns the names of contracts that are not among tools.
func (b *binding) notAmong(tools []*contract.Tool) []string {
	digests := map[string]string{}
	for _, t := range tools {
		if t != nil { // add reports it
			digests[t.Name()] = t.Digest()
		}
	}
	var names []string
	for _, t := range b.table().Toolset().Tools() {
		if digests[t.Name()] != t.Digest() {
			names = append(names, t.Name())
		}
	}
	return names
}

// remove removes contracts. The caller holds updates. The tools go first,
// because mcp-go would otherwise list them without their contracts.
func (b *binding) remove(contracts []string) error {
	if len(contracts) == 0 {
		return nil
	}
	old := b.table()
	next := newTable(b, old.Without(contracts...), old)
	registered := b.server.ListTools()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(old.entries)) {
		if r := registered[name]; r != nil && next.entries[name] == nil && entryBehind(r.Handler) == old.entries[name] {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		b.server.DeleteTools(names...)
	}
	b.current.Store(next)
	return nil
}

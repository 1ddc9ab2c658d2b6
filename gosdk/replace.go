package gosdk

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

// Replace replaces the contracts of a server with those of tools, such as for a
// gateway whose servers change. The server must already have contracts. It may
// be called while s serves. Contracts that are not among tools are removed
// together with their tools, including those of [WrapAll] and [AddTool]. A
// contract with another digest is removed and added; in between, its tool is
// unknown. A contract with the same digest stays in the list and gets the new
// handler. Calls in progress finish with the handler that they began with. The
// SDK notifies clients if the list changed. Other servers of a [Table] keep
// theirs.
//
// A tool added again under the name of a tool of WrapAll that was removed is
// wrapped again, and may not be weaker than it was; see [Add].
//
// The error joins a [contract.DeclarationError] for each mistake. Then no tool
// was added, but the contracts that are not among tools, or have another digest
// there, are gone. Tools without a contract stay. Concurrent calls wait for each
// other.
func Replace(s *mcp.Server, tools ...*contract.Tool) error { return update(s, tools, true) }

// keep removes the contracts that are not among tools, also from registered. It
// needs updates locked. The tools go first, because the SDK would otherwise list
// them without their contracts.
func (b *binding) keep(tools []*contract.Tool, registered map[string]*mcp.Tool) {
	digests := map[string]string{}
	for _, t := range tools {
		if t != nil { // add reports it
			digests[t.Name()] = t.Digest()
		}
	}
	old := b.table()
	var others []string
	for _, t := range old.Toolset().Tools() {
		if digests[t.Name()] != t.Digest() {
			others = append(others, t.Name())
		}
	}
	next := tableOf(old.Without(others...))
	for name, r := range old.called {
		if next.Entry(name) != nil {
			next.put(r)
			continue
		}
		if r.isRegistered(registered) {
			b.server.RemoveTools(r.under)
			delete(registered, r.under)
		}
		if r.adopted {
			b.removed[r.under] = r.entry.Tool()
		}
	}
	b.current.Store(next)
}

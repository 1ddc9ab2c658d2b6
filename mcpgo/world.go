package mcpgo

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// A world is the table of contracts that a binding serves, with the tools that
// are registered with mcp-go for its entries. It does not change once it is
// served: a binding that gets more contracts gets another world.
type world struct {
	*adapter.Table
	entries map[string]*entry // by name, as it is called
	defined map[*bool]*entry  // by the readOnlyHint of the tool
}

// An entry is one name under which a tool is registered.
type entry struct {
	*adapter.Entry
	tool  mcp.Tool
	owner *binding
	// wire is tool as JSON, with which Verify compares the registered tool.
	// Nil: tool has no members of a tool that it replaced, so Verify compares
	// with the definition of the Entry, which cannot change.
	wire []byte
	// standIn is set for an alias: the tool as it is listed, with the hints of
	// the alias, by which it is recognised.
	standIn *mcp.Tool
}

// newWorld returns the world of a table. It keeps the entries of old that the
// table still has, so that calls whose entries mcp-go has already found go on.
// A nil old has none.
func newWorld(owner *binding, t *adapter.Table, old *world) *world {
	w := &world{Table: t, entries: map[string]*entry{}, defined: map[*bool]*entry{}}
	for _, listed := range t.Entries() {
		e := old.entryOf(listed)
		if e == nil {
			e = newEntry(owner, listed)
		}
		w.entries[e.tool.Name], w.defined[e.tool.Annotations.ReadOnlyHint] = e, e
	}
	return w
}

// entryOf returns the entry for one of a table, nil if w has none.
func (w *world) entryOf(listed *adapter.Entry) *entry {
	if w == nil {
		return nil
	}
	if e := w.entries[listed.Name()]; e != nil && e.Entry == listed {
		return e
	}
	return nil
}

// entryWith returns the entry that a tool is the definition of: its
// readOnlyHint is a pointer of the entry's own, which mcp-go copies with the
// tool. It returns nil if the _meta of the tool is not that of the entry,
// because a hook could have written a forged contract into it.
func (w *world) entryWith(found *mcp.Tool) *entry {
	e := w.defined[found.Annotations.ReadOnlyHint]
	if e == nil || found.Meta != e.tool.Meta {
		return nil
	}
	return e
}

// newSince returns the names of the entries that other does not have, sorted.
// If other is nil, these are all names.
func (w *world) newSince(other *world) []string {
	var old *adapter.Table
	if other != nil {
		old = other.Table
	}
	var names []string
	for _, e := range w.Since(old) {
		names = append(names, e.Name())
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

// reserved returns the names that belong to a contract and cannot be called,
// sorted.
func (w *world) reserved() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.Claimed())), func(name string) bool { return w.entries[name] != nil })
}

// newEntry returns an entry as a tool of mcp-go.
func newEntry(owner *binding, listed *adapter.Entry) *entry {
	e := &entry{Entry: listed, tool: nativeTool(listed.Definition()), owner: owner}
	if listed.IsAlias() {
		standIn := e.tool
		e.standIn = &standIn
		e.tool.Name = listed.Name()
	}
	return e
}

// nativeTool returns a definition as a tool of mcp-go. The schemas stay raw,
// because mcp-go's typed form drops keywords.
func nativeTool(d adapter.Definition) mcp.Tool {
	t := mcp.Tool{
		Name: d.Name, Title: d.Title, Description: d.Description, RawInputSchema: d.InputSchema, RawOutputSchema: d.OutputSchema,
		Annotations: mcp.ToolAnnotation(d.Annotations),
	}
	if len(d.Meta) > 0 {
		t.Meta = &mcp.Meta{AdditionalFields: d.Meta}
	}
	return t
}

// write stores the definition as JSON.
func (e *entry) write() (err error) {
	if e.wire, err = json.Marshal(e.tool); err != nil {
		return &contract.DeclarationError{
			Rule: "serve.definition", Tool: e.Tool().Name(), Where: "inputSchema",
			Message: "the definition cannot be written as JSON", Remedy: "correct the schemas",
		}
	}
	return nil
}

// inherit copies members without a clause from the tool that the contract
// replaces: icons, deferred loading, and the _meta of others.
func (e *entry) inherit(old mcp.Tool) {
	e.tool.Icons, e.tool.DeferLoading = old.Icons, old.DeferLoading
	if old.Meta == nil {
		return
	}
	if fields := e.MetaOver(old.Meta.AdditionalFields); len(fields) > 0 {
		e.tool.Meta = &mcp.Meta{AdditionalFields: fields}
	}
}

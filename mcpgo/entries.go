package mcpgo

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo/internal/native"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// A table has the contracts that a binding serves, with the tools that are
// registered with mcp-go for their entries. It does not change once it is
// served: a binding that gets more contracts gets another table.
type table struct {
	*adapter.Table
	entries map[string]*entry // by name, as it is called
	byMark  map[unexported.Mark]*entry
}

// An entry is one name under which a tool is registered with a server.
type entry struct {
	*form

	owner *binding
}

// A form is what mcp-go registers for an entry of package adapter, the same for
// all servers of a [Table]. It does not change, so a server in which the
// contract replaces a tool has a form of its own.
type form struct {
	*adapter.Entry

	tool mcp.Tool
	// wire is tool as JSON, with which Verify compares the registered tool.
	// Nil: tool has no members of a tool that it replaced, so Verify compares
	// with the definition of the Entry, which cannot change.
	wire []byte
	// standIn is set for an alias: the tool as it is listed, with the mark of
	// the alias, by which it is recognised.
	standIn *mcp.Tool
}

// newTable returns a table with the tools for mcp-go. It keeps the entries of
// old that the table still has, so that calls for which mcp-go has already
// found the entry go on. Old may be nil.
func newTable(owner *binding, of *adapter.Table, old *table) *table {
	listed := of.Entries()
	t := emptyTable(of, len(listed))
	for _, l := range listed {
		e := old.entryOf(l)
		if e == nil {
			e = &entry{newForm(l), owner}
		}
		t.put(e)
	}
	return t
}

func emptyTable(of *adapter.Table, entries int) *table {
	return &table{Table: of, entries: make(map[string]*entry, entries), byMark: make(map[unexported.Mark]*entry, entries)}
}

func (t *table) put(e *entry) { t.entries[e.tool.Name], t.byMark[unexported.MarkOf(&e.tool)] = e, e }

// entryOf returns the entry that t has for an entry of package adapter, or nil.
func (t *table) entryOf(listed *adapter.Entry) *entry {
	if t == nil {
		return nil
	}
	if e := t.entries[listed.Name()]; e != nil && e.Entry == listed {
		return e
	}
	return nil
}

// entryWith returns the entry whose definition a tool is, by its mark. It
// returns nil if the tool has another _meta than the entry, because a hook
// could have written a forged contract into it.
func (t *table) entryWith(found *mcp.Tool) *entry {
	e := t.byMark[unexported.MarkOf(found)]
	if e == nil || found.Meta != e.tool.Meta {
		return nil
	}
	return e
}

// newForm returns an entry as a tool of mcp-go.
func newForm(listed *adapter.Entry) *form {
	f := &form{Entry: listed, tool: native.Tool(listed.Definition())}
	if listed.IsAlias() {
		standIn := f.tool
		f.standIn = &standIn
		f.tool.Name = listed.Name()
	}
	return f
}

// inherit gives the entry a form that also has the members without a clause of
// the tool that the contract replaces: icons, deferred loading, and the _meta
// of others.
func (e *entry) inherit(old mcp.Tool) (err error) {
	f := *e.form
	f.tool.Icons, f.tool.DeferLoading = old.Icons, old.DeferLoading
	if old.Meta != nil {
		if fields := e.MetaOver(old.Meta.AdditionalFields); len(fields) > 0 {
			f.tool.Meta = &mcp.Meta{AdditionalFields: fields}
		}
	}
	if f.standIn != nil {
		standIn := f.tool
		standIn.Name = f.standIn.Name
		f.standIn = &standIn
	}
	if f.wire, err = json.Marshal(f.tool); err != nil {
		return &contract.DeclarationError{
			Rule: "serve.definition", Tool: e.Tool().Name(), Where: "inputSchema",
			Message: "the definition cannot be written as JSON", Remedy: "correct the schemas",
		}
	}
	e.form = &f
	return nil
}

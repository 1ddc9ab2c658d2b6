package mcpgo

import (
	"errors"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// newSince returns the names of the entries that other does not have, sorted.
// If other is nil, these are all names.
func (t *table) newSince(other *table) []string {
	var old *adapter.Table
	if other != nil {
		old = other.Table
	}
	var names []string
	for _, e := range t.Since(old) {
		names = append(names, e.Name())
	}
	return names
}

// prepare completes the definitions of names with members of the tools that
// they replace.
func (t *table) prepare(names []string, registered map[string]*server.ServerTool) error {
	var errs []error
	for _, name := range names {
		e := t.entries[name]
		old := registered[name]
		if old == nil && e.standIn == nil {
			old = registered[e.Tool().Name()]
		}
		if old == nil {
			continue
		}
		if runsAsTask(old.Tool) {
			errs = append(errs, errTask(old.Tool.Name))
		}
		if e.standIn == nil {
			errs = append(errs, e.inherit(old.Tool))
		}
	}
	for _, name := range names {
		e := t.entries[name]
		if e.standIn == nil {
			continue
		}
		if of := t.entries[e.standIn.Name]; of.wire != nil { // an alias inherits what its tool did
			errs = append(errs, e.inherit(of.tool))
		}
	}
	return errors.Join(errs...)
}

// registrations returns the tools of names to register with mcp-go.
func (t *table) registrations(names []string) []server.ServerTool {
	tools := make([]server.ServerTool, 0, len(names))
	for _, name := range names {
		e := t.entries[name]
		tools = append(tools, server.ServerTool{Tool: e.tool, Handler: unexported.Handler(e)})
	}
	return tools
}

// addTools registers the tools of names with the server.
func (b *binding) addTools(t *table, names []string) (err error) {
	if len(names) == 0 {
		return nil
	}
	defer recoverRejection(&err, "WithTools", "rename the task tools")
	b.server.AddTools(t.registrations(names)...)
	return nil
}

// reserved returns those registered names that belong to a contract and cannot
// be called, sorted.
func (t *table) reserved(registered map[string]*server.ServerTool) []string {
	names := slices.Sorted(maps.Keys(registered))
	return slices.DeleteFunc(names, func(name string) bool { return t.entries[name] != nil || !t.Claims(name) })
}

package mcpgo

import (
	"context"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// This file wraps tools that are added after WrapAll, by the same rules. mcp-go
// calls no hook when a tool is added, so the hooks before a list and before a
// call look for such tools. The filters hide a raw tool that is added after the
// hook has looked.

// adoptListed runs before tools/list, if rules wrap tools.
func (b *binding) adoptListed(ctx context.Context, _ any, _ *mcp.ListToolsRequest) {
	if !b.owns(ctx) {
		return
	}
	b.adopt(ctx, func() map[string]*server.ServerTool { return b.server.ListTools() })
	b.adoptSession(ctx)
}

// adoptCalled runs before tools/call, and before mcp-go looks for the tool, if
// rules wrap tools.
func (b *binding) adoptCalled(ctx context.Context, _ any, req *mcp.CallToolRequest) {
	if !b.owns(ctx) {
		return
	}
	b.adopt(ctx, func() map[string]*server.ServerTool {
		name := req.Params.Name
		t := b.server.GetTool(name)
		if t == nil { // a tool that is not wrapped yet may get this name
			return b.server.ListTools()
		}
		found := map[string]*server.ServerTool{name: t}
		if e := b.table().entries[name]; e != nil && e.Tool().Name() != name { // whose tool may be registered again
			if again := b.server.GetTool(e.Tool().Name()); again != nil {
				found[e.Tool().Name()] = again
			}
		}
		return found
	})
	b.adoptSession(ctx)
}

// adopt wraps those tools without a contract that find returns.
func (b *binding) adopt(ctx context.Context, find func() map[string]*server.ServerTool) {
	if !b.hasStranger("", find()) {
		return
	}
	b.lock()
	defer b.updates.Unlock()
	found := find() // another call may have wrapped some by now
	var tools []*contract.Tool
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if built := b.wrapLater(ctx, "", *found[name], b.checkAgain); built != nil {
			tools = append(tools, built)
		}
	}
	if len(tools) == 0 {
		return
	}
	err := b.add(tools, nil)
	for _, t := range tools {
		raw := *found[t.Name()]
		if err != nil { // perhaps another tool is at fault
			if err := b.add([]*contract.Tool{t}, nil); err != nil {
				b.refuse(ctx, "", raw, err)
				continue
			}
		}
		if e := b.table().EntryOf(t.Name()); e != nil { // an equal contract keeps its entry
			b.wrapper.contracts.Store(t.Name(), e.Tool())
		}
	}
}

// adoptSession wraps the tools without a contract of the session that calls.
func (b *binding) adoptSession(ctx context.Context) {
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithTools)
	if !ok {
		return
	}
	find := func() map[string]*server.ServerTool {
		found := map[string]*server.ServerTool{}
		for name, t := range session.GetSessionTools() {
			found[name] = &t
		}
		return found
	}
	id := session.SessionID()
	if !b.hasStranger(id, find()) {
		return
	}
	b.lock()
	defer b.updates.Unlock()
	found := find()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		built := b.wrapLater(ctx, id, *found[name], func(next *contract.Tool) error {
			current, ok := b.names.owner(id, name)
			switch {
			case b.has(name):
				return errTaken(name, name, "rename one")
			case !ok:
				return nil
			}
			return owner{tool: next, wrapped: true}.succeeds(current, b.wrapper)
		})
		if built == nil {
			continue
		}
		if err := b.wrapInSession(id, built, found[name]); err != nil {
			b.refuse(ctx, id, *found[name], err)
		}
	}
}

// wrapInSession puts a contract around a tool of a session.
func (b *binding) wrapInSession(id string, built *contract.Tool, raw *server.ServerTool) error {
	own, err := b.sessionBinding(id, []*contract.Tool{built})
	if err != nil {
		return err
	}
	if err := own.joinSession(raw); err != nil {
		return err
	}
	if own.table().entries[raw.Tool.Name] == nil { // the contract is listed under another name
		return b.server.DeleteSessionTools(id, raw.Tool.Name)
	}
	return nil
}

func (b *binding) hasStranger(session string, tools map[string]*server.ServerTool) bool {
	for _, t := range tools {
		if b.isStranger(session, *t) {
			return true
		}
	}
	return false
}

// isStranger reports whether a tool of a session, or of the server if session
// is empty, needs a contract that it does not have, and was not refused before.
func (b *binding) isStranger(session string, t server.ServerTool) bool {
	if entryBehind(t.Handler) != nil || b.wrapper.Excepts(t.Tool.Name) {
		return false
	}
	return !b.refusals.has(session, t)
}

// wrapLater builds the contract of a tool that was added later. It returns nil
// if the tool has one already, or gets none.
func (b *binding) wrapLater(ctx context.Context, session string, t server.ServerTool,
	check func(next *contract.Tool) error) *contract.Tool {
	if !b.isStranger(session, t) {
		return nil
	}
	wrapped := b.wrapper.wrap(t.Tool, t.Handler)
	if wrapped.Err != nil {
		b.refuse(ctx, session, t, wrapped.Err)
		return nil
	}
	if wrapped.Contract == nil { // its rule leaves the tool as it is
		return nil
	}
	if err := check(wrapped.Contract); err != nil {
		b.refuse(ctx, session, t, err)
		return nil
	}
	b.wrapper.LogGuesses(ctx, wrapped)
	return wrapped.Contract
}

// checkAgain returns an error if the name of a contract belongs to one that a
// program declared, or to a wrapped one that the new contract would weaken.
func (b *binding) checkAgain(next *contract.Tool) error {
	w := b.table()
	name := next.Name()
	if e := w.EntryOf(name); w.Claims(name) && (e == nil || !b.wrapper.has(e.Tool())) {
		return errTaken(name, name, "rename one")
	}
	before, ok := b.wrapper.contracts.Load(name) // Replace may have removed it
	if !ok {
		return nil
	}
	return b.wrapper.CheckAgain(before.(*contract.Tool), next) //nolint:forcetypeassert // see wrapper
}

// refuse remembers that a tool gets no contract, and logs it. It remembers
// nothing for a session that has ended.
func (b *binding) refuse(ctx context.Context, session string, t server.ServerTool, err error) {
	b.refusals.add(session, t)
	if session != "" && !isOpen(b.server, session) {
		b.refusals.forget(session)
		return
	}
	if !b.wrapper.leaves(t.Tool.Name) || b.has(t.Tool.Name) {
		adapter.LogRefused(ctx, t.Tool.Name, err)
	}
}

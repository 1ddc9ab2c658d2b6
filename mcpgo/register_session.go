package mcpgo

import (
	"errors"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
)

// RegisterSession adds tools with contracts to one open session of s, a server
// made by [NewServer] or given to [Register]. The tools are listed and can be
// called only in that session, under the guard, tier and naming of the server.
// [WithTools] is the only option that can be given.
//
// A name, or an alias in either form, that the session or a contract of the
// server has already is an error. The name of a forbidden contract, which is
// neither listed nor run in the session, is an error too. The tools end with
// the session. server.DeleteSessionTools removes them before, and their names
// stay reserved until the session ends. Concurrent calls of RegisterSession
// wait for each other; other code that adds tools to the session does not.
// Requests of protocol version 2026-07-28 have no session over HTTP.
//
// The error joins a [contract.DeclarationError] for everything that is wrong,
// or comes from mcp-go: server.ErrSessionNotFound,
// server.ErrSessionDoesNotSupportTools. The session is then unchanged.
//
// mcp-go notifies the client that its list changed. Without a tool to list, in
// a session that began after [Register], the client gets no notification.
func RegisterSession(s *server.MCPServer, sessionID string, opts ...Option) error {
	parent := bindingOf(s)
	if parent == nil {
		return errNoContracts()
	}
	c, err := newConfig(opts)
	if err = errors.Join(err, c.refuseServerOptions()); err != nil {
		return err
	}
	if c.lists || c.closed || c.table.ResourceMetadata != nil {
		return &contract.DeclarationError{Rule: "serve.option", Message: "a session has the tier, naming, world and metadata " +
			"of its server", Remedy: "pass only WithTools"}
	}
	parent.lock()
	defer parent.updates.Unlock()
	own, err := parent.sessionBinding(sessionID, c.table.Tools)
	if err != nil {
		return err
	}
	return own.joinSession(nil)
}

// sessionBinding returns the binding of contracts that only a session has.
func (b *binding) sessionBinding(id string, tools []*contract.Tool) (*binding, error) {
	t, err := b.table().ForSession(tools...)
	if err != nil {
		return nil, err
	}
	own := &binding{server: b.server, parent: b, sessionID: id}
	own.current.Store(newTable(own, t, nil))
	return own, nil
}

// joinSession registers the contracts with the session. It takes their names
// first, so that no other tool can take one of them in between; if the session
// ends meanwhile, the names are free again. The caller holds the parent's
// updates. Raw is the tool of the session that the contract replaces, or nil.
func (b *binding) joinSession(raw *server.ServerTool) error {
	t := b.table()
	names, errs := b.namesInSession(raw)
	entries := t.newSince(nil)
	if raw != nil {
		errs = append(errs, t.prepare(entries, map[string]*server.ServerTool{raw.Tool.Name: raw}))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	release := b.parent.names.add(b.sessionID, names)
	tools := t.registrations(entries)
	if session, _ := b.parent.sessions.Load(b.sessionID); len(tools) == 0 {
		if _, ok := session.(server.SessionWithTools); ok {
			return nil // mcp-go would notify the client of a change of its list
		}
	}
	if err := b.server.AddSessionTools(b.sessionID, tools...); err != nil {
		release()
		return err
	}
	return nil
}

// namesInSession returns the names of the contracts with their owners, and an
// error for each name that is taken. The same tool may take its names again.
func (b *binding) namesInSession(raw *server.ServerTool) (names map[string]owner, errs []error) {
	names = map[string]owner{}
	for _, t := range b.table().Toolset().Tools() {
		o := owner{tool: t, wrapped: raw != nil}
		for name, of := range b.table().Claimed() {
			if of == t.Name() {
				names[name] = o
			}
		}
	}
	contracts := b.table().Claimed()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		current, isOwned := b.parent.names.owner(b.sessionID, name)
		mine := raw != nil && (isOwned && names[name].succeeds(current, b.parent.wrapper) == nil || !isOwned && name == raw.Tool.Name)
		if b.parent.has(name) || !mine && b.parent.sessionHas(b.sessionID, name) {
			errs = append(errs, errTaken(name, contracts[name], "rename one"))
		}
	}
	return names, errs
}

// sessionHas reports whether an open session has a tool of the name.
func (b *binding) sessionHas(id, name string) bool {
	session, ok := b.sessions.Load(id)
	if !ok {
		return false
	}
	with, ok := session.(server.SessionWithTools)
	if !ok {
		return false
	}
	_, taken := with.GetSessionTools()[name]
	return taken
}

package mcpgo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// Verify compares the tools that are registered with s to their contracts, so
// that a test can find a tool that was added or replaced. s is a server made by
// [NewServer] or given to [Register]. Nil means that every tool matches its
// contract. The error joins a [contract.DeclarationError], sorted by tool, for
// every difference:
//
//   - verify.replaced: the tool was registered again, with another handler
//   - verify.changed: its definition is not that of the contract
//   - verify.missing: it was deleted
//   - verify.added: a tool without a contract, in a closed world
//   - verify.task: a task tool, or one that can run as a task; in an open world
//     only under the name of a contract
//   - verify.shadowed: a tool of a session under the name of a contract
//   - verify.server: s is nil or has no contracts, or a hook or a filter kept
//     it from being listed
//
// None of these tools is listed or run, whether Verify is called or not. Verify
// lists the tools of s once, as a client does, and the hooks of the server
// author see that. It checks the sessions that are open at the moment.
func Verify(s *server.MCPServer) error {
	b, found := inspect(s)
	if b == nil {
		return &contract.DeclarationError{
			Rule: "verify.server", Message: "the server has no contracts, or does not list its tools",
			Remedy: "make it with mcpgo.NewServer, or call mcpgo.Register",
		}
	}
	b.lock() // against tools that are just being added
	defer b.updates.Unlock()
	var unserved error
	if slices.ContainsFunc(b.lost, func(w waitingTool) bool { return !b.current.Load().Claims(w.listed) }) {
		unserved = b.unserved
	}
	return errors.Join(unserved, adapter.JoinFindings(append(b.verifyServer(withRegistered(s, found)), b.verifySessions()...)))
}

func finding(rule, tool, message, remedy string) *contract.DeclarationError {
	return &contract.DeclarationError{Rule: rule, Tool: tool, Message: message, Remedy: remedy}
}

// verifyServer compares the tools of the server.
func (b *binding) verifyServer(found []mcp.Tool) []*contract.DeclarationError {
	var findings []*contract.DeclarationError
	current := b.table()
	handlers := b.handlers(context.Background())
	seen := map[string]bool{}
	for _, t := range found {
		seen[t.Name] = true
		if f := b.verifyTool(t, handlers); f != nil {
			findings = append(findings, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(current.entries)) {
		if !seen[name] {
			findings = append(findings, finding("verify.missing", name, "the tool is no longer registered",
				"do not delete it from the server"))
		}
	}
	return findings
}

func (b *binding) verifyTool(t mcp.Tool, handlers handlerFinder) *contract.DeclarationError {
	e := b.table().entries[t.Name]
	handler := handlers.find(t.Name)
	switch {
	case e == nil && b.isPlain(context.Background(), &t, handlers):
		return nil
	case handler == nil || t.Execution != nil:
		return finding("verify.task", t.Name, "the contract of a tool that runs as a task cannot be enforced",
			"register it through mcpgo.WithTools")
	case e == nil:
		return finding("verify.added", t.Name, "the tool has no contract", "declare one, and register it through mcpgo.WithTools")
	case !isOurs(e, &t, handler):
		return finding("verify.replaced", t.Name, "another tool was registered under the name", "rename it")
	}
	return e.verify(t)
}

// verify compares a definition to the registered one.
func (e *entry) verify(t mcp.Tool) *contract.DeclarationError {
	want := e.wire
	var err error
	if want == nil {
		want, err = json.Marshal(newForm(e.Entry).tool)
	}
	wire, wireErr := json.Marshal(t)
	if err != nil || wireErr != nil || !bytes.Equal(wire, want) {
		return finding("verify.changed", t.Name, "the definition differs from the contract", "change the contract instead")
	}
	return nil
}

// verifySessions compares the tools of all sessions.
func (b *binding) verifySessions() []*contract.DeclarationError {
	var findings []*contract.DeclarationError
	b.sessions.Range(func(_, value any) bool {
		session, ok := value.(server.SessionWithTools)
		if !ok {
			return true
		}
		for name, t := range session.GetSessionTools() {
			if f := b.verifySessionTool(session.SessionID(), name, t); f != nil {
				findings = append(findings, f)
			}
		}
		return true
	})
	return findings
}

func (b *binding) verifySessionTool(session, name string, t server.ServerTool) *contract.DeclarationError {
	current := b.table()
	behind := entryBehind(t.Handler)
	if behind != nil && behind.owner.parent == b && behind.owner.sessionID == session {
		if e := behind.owner.table().entries[name]; e != nil && isOurs(e, &t.Tool, t.Handler) {
			return e.verify(t.Tool)
		}
	}
	switch {
	case current.entries[name] != nil || current.Claims(name) && !b.closed || b.names.has(session, name):
		return finding("verify.shadowed", name, "a session has a tool under the name", "rename it, and declare a contract")
	case b.closed || behind != nil || !b.wrapper.leaves(name):
		return finding("verify.added", name, "a session's tool has no contract", "declare one, and register it through mcpgo.WithTools")
	}
	return nil
}

// ToolsOf returns the contracts that s enforces, sorted by name, for tests such
// as those of package contracttest. The contracts of single sessions are not
// among them, nor is one whose tool was deleted or replaced. s is a server made
// by [NewServer], or given to [Register] or [WrapAll]; for any other server
// ToolsOf returns nil. It lists the tools of s once, as [Verify] does.
func ToolsOf(s *server.MCPServer) []*contract.Tool {
	b, found := inspect(s)
	if b == nil {
		return nil
	}
	t := b.table()
	handlers := b.handlers(context.Background())
	registered := map[string]bool{}
	for i := range found {
		e := t.entries[found[i].Name]
		registered[found[i].Name] = e != nil && isOurs(e, &found[i], handlers.find(found[i].Name))
	}
	return slices.DeleteFunc(t.Toolset().Tools(), func(of *contract.Tool) bool {
		e := t.EntryOf(of.Name())
		return e != nil && !registered[e.Name()]
	})
}

// ToolsetOf returns the contracts that s enforces at this moment, under its
// guard, such as for the page of catalog.Handler, also those whose tools were
// deleted. It returns nil for a server without contracts.
func ToolsetOf(s *server.MCPServer) *guard.Toolset {
	b := bindingOf(s)
	if b == nil {
		return nil
	}
	return b.table().Toolset()
}

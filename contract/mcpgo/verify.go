package mcpgo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
)

// Verify compares what is registered with s, a server of [NewServer]'s, to its
// contracts. Nil means that every tool is what its contract says. The error
// joins a [contract.DeclarationError], sorted by tool, for each one that is not:
//
//   - verify.replaced: the tool was registered again, with a handler of its own
//   - verify.changed: its definition is not the contract's
//   - verify.missing: it was deleted
//   - verify.added: a tool without a contract
//   - verify.task: a task tool, or one that can run as a task
//   - verify.shadowed: a session's tool under the name of a contract
//   - verify.server: s is nil or not of NewServer's, or a hook kept it from
//     being listed
//
// None of these is listed or run, whether Verify is called or not; it tells the
// author. It lists the tools of s once, as a client does, and the author's hooks
// notice that. It looks at the sessions that are open at the moment.
func Verify(s *server.MCPServer) error {
	p := &probe{}
	if s != nil {
		s.HandleMessage(context.WithValue(context.Background(), probeKey{}, p), json.RawMessage(probeMessage))
	}
	if p.seam == nil || p.seam.server != s {
		return &contract.DeclarationError{
			Rule: "verify.server", Message: "the server is not one of NewServer's, or does not list its tools", Remedy: "make it with mcpgo.NewServer",
		}
	}
	findings := append(p.seam.verifyServer(p.found), p.seam.verifySessions()...)
	slices.SortFunc(findings, func(a, b *contract.DeclarationError) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Rule, b.Rule))
	})
	findings = slices.CompactFunc(findings, func(a, b *contract.DeclarationError) bool { return *a == *b })
	errs := make([]error, len(findings))
	for i, f := range findings {
		errs[i] = f
	}
	return errors.Join(errs...)
}

// A probe goes with a tools/list into the first filter, which leaves in it what
// mcp-go found, before anything is hidden.
type probe struct {
	seam  *seam
	found []mcp.Tool
}

type probeKey struct{}

const probeMessage = `{"jsonrpc":"2.0","id":"toolcontract/verify","method":"tools/list"}`

func probeFrom(ctx context.Context) *probe {
	p, _ := ctx.Value(probeKey{}).(*probe)
	return p
}

func finding(rule, tool, message, remedy string) *contract.DeclarationError {
	return &contract.DeclarationError{Rule: rule, Tool: tool, Message: message, Remedy: remedy}
}

// verifyServer compares the server's own tools.
func (s *seam) verifyServer(found []mcp.Tool) []*contract.DeclarationError {
	var findings []*contract.DeclarationError
	handlerOf := s.handlers(context.Background())
	seen := map[string]bool{}
	for _, t := range found {
		seen[t.Name] = true
		if f := s.verifyTool(t, handlerOf(t.Name)); f != nil {
			findings = append(findings, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.entries)) {
		if !seen[name] {
			findings = append(findings, finding("verify.missing", name, "the tool is no longer registered", "do not delete it from the server"))
		}
	}
	return findings
}

func (s *seam) verifyTool(t mcp.Tool, handler server.ToolHandlerFunc) *contract.DeclarationError {
	e := s.entries[t.Name]
	switch {
	case handler == nil || t.Execution != nil:
		return finding("verify.task", t.Name, "a tool that runs as a task keeps no contract", "register it through mcpgo.Tools")
	case e == nil:
		return finding("verify.added", t.Name, "the tool has no contract", "declare one, and register it through mcpgo.Tools")
	case !s.isOurs(e, t, handler):
		return finding("verify.replaced", t.Name, "another tool was registered under the name", "rename it")
	}
	if wire, err := json.Marshal(t); err != nil || !bytes.Equal(wire, e.wire) {
		return finding("verify.changed", t.Name, "the definition is not the contract's", "change the contract instead")
	}
	return nil
}

// verifySessions looks for tools of sessions, none of which is ours.
func (s *seam) verifySessions() []*contract.DeclarationError {
	var findings []*contract.DeclarationError
	s.sessions.Range(func(_, value any) bool {
		session, ok := value.(server.SessionWithTools)
		if !ok {
			return true
		}
		for name := range session.GetSessionTools() {
			if s.entries[name] != nil {
				findings = append(findings, finding("verify.shadowed", name, "a session has a tool under the name", "rename it, and declare a contract"))
			} else {
				findings = append(findings, finding("verify.added", name, "a session's tool has no contract", "declare one, and register it through mcpgo.Tools"))
			}
		}
		return true
	})
	return findings
}

package guard

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
)

// A Toolset is the set of tools that one server serves under a guard. Its names
// and aliases are unique. It is immutable and safe for concurrent use.
type Toolset struct {
	guard   *Guard
	tools   []*protectedTool // sorted by name
	byName  map[string]*protectedTool
	byAlias map[string]*protectedTool
}

// A protectedTool is one tool with the stages chosen for it.
type protectedTool struct {
	contract  *contract.Tool
	doc       contract.Document
	bound     bound.Tool
	stages    []stage
	hasExtras bool          // a stage of the tool needs extras
	slots     chan struct{} // nil: no concurrency limit
	audience  *Audience
	auditOnly map[string]bool // the clauses that are only audited
	reads     []contract.DataKind
	ifc       IFCLabel // set if the guard adds labels

	// endsGoroutines means that code outside the handler may end the goroutine
	// of a call: methods of the tool author's types, and what asks people.
	endsGoroutines bool
	lastBucket     atomic.Pointer[bucketName] // nil before the first call
}

// isDeduplicated reports whether the guard deduplicates calls of the tool. If a
// call of a keyed tool has no key, its [understood.key] is zero.
func (t *protectedTool) isDeduplicated() bool {
	return t.doc.Idempotency != nil && t.doc.Idempotency.Mode.Deduplicates()
}

// isRead reports whether the tool has no effect, whatever its arguments are.
func (t *protectedTool) isRead() bool { return t.doc.Effect == risk.ReadOnly }

// takesClientKey reports whether the contract lets the client send the key.
func (t *protectedTool) takesClientKey() bool {
	return t.isDeduplicated() && t.doc.Idempotency.ClientKey
}

// Protect puts tools under the guard. The error joins a
// [contract.DeclarationError] for every tool that cannot be protected: a nil
// tool, a name or alias used twice, or a tool that needs a principal if the
// guard has no [WithPrincipal]. It also has one for every clause that
// [WithAuditOnly] must not name, and for every tool that
// [WithTrifectaConfirmation] refuses.
func (g *Guard) Protect(tools ...*contract.Tool) (*Toolset, error) { return g.protect(nil, tools) }

// With returns a toolset that has the tools of s and more. A tool takes the
// place of the one of its name in s. If their contracts are equal, both share
// the concurrency slots. The error is that of [Guard.Protect]. s does not
// change.
func (s *Toolset) With(tools ...*contract.Tool) (*Toolset, error) { return s.guard.protect(s, tools) }

// Without returns a toolset that lacks the tools of the given names. Names that
// s does not have are ignored. Calls that s runs end as they began. s does not
// change.
func (s *Toolset) Without(names ...string) *Toolset {
	next := &Toolset{guard: s.guard, byName: map[string]*protectedTool{}, byAlias: map[string]*protectedTool{}}
	for _, t := range s.tools {
		if slices.Contains(names, t.doc.Name) {
			continue
		}
		next.tools = append(next.tools, t)
		next.byName[t.doc.Name] = t
		for _, alias := range t.doc.Aliases {
			next.byAlias[alias] = t
		}
	}
	return next
}

// protect protects tools, and keeps those of old with other names. Nil: none.
func (g *Guard) protect(old *Toolset, tools []*contract.Tool) (*Toolset, error) {
	s := &Toolset{guard: g, byName: map[string]*protectedTool{}, byAlias: map[string]*protectedTool{}}
	audiences := old.audiences()
	var errs []error
	bad := func(rule, tool, clause, message, remedy string) {
		errs = append(errs, &contract.DeclarationError{Rule: rule, Tool: tool, Where: clause, Message: message, Remedy: remedy})
	}
	for _, declared := range tools {
		if declared == nil {
			bad("protect.nil", "", "", "the tool is nil", "pass what Build returned")
			continue
		}
		t := &protectedTool{contract: declared, doc: declared.Document(), bound: bound.Of(declared), auditOnly: g.auditOnly[declared.Name()]}
		if s.byName[t.doc.Name] != nil {
			bad("protect.duplicate", t.doc.Name, "name", "another tool has the name", "rename one")
			continue
		}
		g.checkAuditOnly(t, func(clause, message, remedy string) { bad("protect.auditOnly", t.doc.Name, clause, message, remedy) })
		if (t.doc.NeedsPrincipal() || hasPreview(g, t)) && g.principal == nil {
			bad("protect.principal", t.doc.Name, "permissions", "the tool needs a principal, but the guard has no WithPrincipal", "pass guard.WithPrincipal to guard.New; over MCP with LocalUser (stdio) or Bearer (HTTP) of the adapter, such as mcpgo.Bearer")
		}
		audience := g.audienceOf(&t.doc)
		t.audience = audiences.share(&audience)
		if g.ifcLabels {
			t.ifc = ifcLabel(t.doc)
		}
		if len(t.doc.Reads) > 0 {
			t.reads = t.doc.Effective().Reads
		}
		if t.doc.MaxConcurrent > 0 {
			t.slots = make(chan struct{}, t.doc.MaxConcurrent)
		}
		t.stages = g.choose(t)
		t.hasExtras = slices.ContainsFunc(t.stages, func(s stage) bool { return s.extras })
		t.endsGoroutines = t.bound.Facts().CallsMethods || takesState(g, t)
		s.byName[t.doc.Name] = t
		s.tools = append(s.tools, t)
	}
	s.keep(old)
	for _, t := range s.tools {
		for _, alias := range t.doc.Aliases {
			if s.byName[alias] == t { // see [contract.Builder.Aliases]
				continue
			}
			if s.byName[alias] != nil || s.byAlias[alias] != nil {
				bad("protect.duplicate", t.doc.Name, "aliases", "another tool has the name or the alias "+alias, "rename one")
				continue
			}
			s.byAlias[alias] = t
		}
	}
	g.checkTrifecta(s, bad)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	g.warnOfAuditOnly(s)
	slices.SortFunc(s.tools, func(a, b *protectedTool) int { return cmp.Compare(a.doc.Name, b.doc.Name) })
	return s, nil
}

// keep adds the tools of old whose names s does not have yet.
func (s *Toolset) keep(old *Toolset) {
	if old == nil {
		return
	}
	for _, t := range old.tools {
		switch same := s.byName[t.doc.Name]; {
		case same == nil:
			s.byName[t.doc.Name] = t
			s.tools = append(s.tools, t)
		case same.contract.Digest() == t.contract.Digest():
			same.slots = t.slots
		}
	}
}

// Tools returns the tools, sorted by name.
func (s *Toolset) Tools() []*contract.Tool {
	tools := make([]*contract.Tool, len(s.tools))
	for i, t := range s.tools {
		tools[i] = t.contract
	}
	return tools
}

// Visible returns the names of the tools that the caller of ctx may see. The
// caller sees a tool if it holds the tool's permissions or those of
// [contract.Document.DiscoverWith], or if the permissions are only audited. If
// the principal cannot be found, the caller counts as anonymous. An agent never
// sees a forbidden tool.
func (s *Toolset) Visible(ctx context.Context) map[string]bool {
	return s.VisibleTo(s.guard.viewer(ctx))
}

// VisibleTo is [Toolset.Visible] for a principal that the caller has
// authenticated, such as the visitor of a page.
func (s *Toolset) VisibleTo(p Principal) map[string]bool {
	visible := make(map[string]bool, len(s.tools))
	for _, t := range s.tools {
		if t.audience.includes(&p) {
			visible[t.doc.Name] = true
		}
	}
	return visible
}

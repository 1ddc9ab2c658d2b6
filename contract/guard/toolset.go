package guard

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
)

// A Toolset is a set of tools under one guard, whose names and aliases are
// unique: what one server serves. It does not change and is safe for
// concurrent use.
type Toolset struct {
	guard   *Guard
	entries []*entry // sorted by name
	byName  map[string]*entry
	byAlias map[string]*entry
}

// An entry is one protected tool with the stages chosen for it.
type entry struct {
	tool   *contract.Tool
	doc    contract.Document
	bound  *bound.Tool
	stages []stage
	slots  chan struct{} // nil: no concurrency cap

	auditOnly map[string]bool // the clauses that are only watched
}

// Protect puts tools under the guard. The error joins a
// [contract.DeclarationError] for every tool that cannot be kept: a nil one, a
// name or alias used twice, a tool that needs a principal where the guard has
// no [WithPrincipal], a clause that [WithAuditOnly] must not name.
func (g *Guard) Protect(tools ...*contract.Tool) (*Toolset, error) {
	s := &Toolset{guard: g, byName: map[string]*entry{}, byAlias: map[string]*entry{}}
	var errs []error
	bad := func(rule, tool, clause, message, remedy string) {
		errs = append(errs, &contract.DeclarationError{Rule: rule, Tool: tool, Clause: clause, Message: message, Remedy: remedy})
	}
	for _, t := range tools {
		if t == nil {
			bad("protect.nil", "", "", "the tool is nil", "pass what Build returned")
			continue
		}
		e := &entry{tool: t, doc: t.Document(), bound: t.Bound(bound.NewKey()), auditOnly: g.auditOnly[t.Name()]}
		if s.byName[e.doc.Name] != nil {
			bad("protect.duplicate", e.doc.Name, "name", "another tool has the name", "rename one")
			continue
		}
		g.checkAuditOnly(e, func(clause, message, remedy string) { bad("protect.auditOnly", e.doc.Name, clause, message, remedy) })
		if (e.doc.NeedsPrincipal() || hasPreview(e)) && g.principal == nil {
			bad("protect.principal", e.doc.Name, "permissions", "the tool needs a principal and the guard has no source of one", "give guard.New a WithPrincipal; over MCP with mcpgo.LocalUser (stdio) or mcpgo.Bearer (HTTP)")
		}
		if e.doc.MaxConcurrent > 0 {
			e.slots = make(chan struct{}, e.doc.MaxConcurrent)
		}
		e.stages = g.choose(e)
		s.byName[e.doc.Name] = e
		s.entries = append(s.entries, e)
	}
	for _, e := range s.entries {
		for _, alias := range e.doc.Aliases {
			if s.byName[alias] == e {
				continue
			}
			if s.byName[alias] != nil || s.byAlias[alias] != nil {
				bad("protect.duplicate", e.doc.Name, "aliases", "another tool has the name or the alias "+alias, "rename one")
				continue
			}
			s.byAlias[alias] = e
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	slices.SortFunc(s.entries, func(a, b *entry) int { return cmp.Compare(a.doc.Name, b.doc.Name) })
	return s, nil
}

// Tools returns the tools, sorted by name.
func (s *Toolset) Tools() []*contract.Tool {
	tools := make([]*contract.Tool, len(s.entries))
	for i, e := range s.entries {
		tools[i] = e.tool
	}
	return tools
}

// Canonical returns the name that an alias stands for.
func (s *Toolset) Canonical(alias string) (string, bool) {
	e, ok := s.byAlias[alias]
	if !ok {
		return "", false
	}
	return e.doc.Name, true
}

// Visible returns the names of the tools that the caller of ctx may know of:
// those whose permissions it holds, or [contract.Document.DiscoverWith], or whose
// permissions are only watched. Where the principal cannot be found the caller
// counts as anonymous. An agent never sees a forbidden tool.
func (s *Toolset) Visible(ctx context.Context) map[string]bool {
	p, err := s.guard.findPrincipal(ctx)
	if err != nil {
		p = Principal{}
	}
	visible := make(map[string]bool, len(s.entries))
	for _, e := range s.entries {
		if e.doc.Risk == risk.Forbidden && !p.isPerson() {
			continue
		}
		if s.guard.isShown(&e.doc, p) {
			visible[e.doc.Name] = true
		}
	}
	return visible
}

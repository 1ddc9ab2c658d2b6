package guard

import (
	"context"
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// An Audience decides which principals see a tool in a list. Tools that the
// same principals see share one, so a long list reads a few audiences instead
// of the contract of each tool. It is immutable and safe for concurrent use.
// [Adapter.Audience] returns one. The zero Audience includes neither anonymous
// callers nor agents.
type Audience struct {
	needed    []string // the permissions that a principal must hold
	anonymous bool     // anonymous callers are included, unless needed has permissions
	agents    bool     // agents are included
}

// audienceOf returns the audience of a contract. If permissions are only
// audited, every known principal sees the tool. Only people see a forbidden
// tool.
func (g *Guard) audienceOf(d *contract.Document) Audience {
	a := Audience{agents: d.Risk != risk.Forbidden}
	if g.auditOnly[d.Name][clausePermissions] {
		return a
	}
	a.anonymous, a.needed = !d.NeedsPrincipal(), d.DiscoverWith
	if len(a.needed) == 0 {
		a.needed = d.Permissions
	}
	return a
}

// includes reports whether a principal sees the tools of the audience.
func (a *Audience) includes(p *Principal) bool {
	if p.IsAnonymous() && (!a.anonymous || len(a.needed) > 0) || !a.agents && !isPerson(*p) {
		return false
	}
	return !slices.ContainsFunc(a.needed, func(permission string) bool { return !slices.Contains(p.Permissions, permission) })
}

// isShown reports whether a principal sees a tool in the list.
func (g *Guard) isShown(d *contract.Document, p Principal) bool {
	a := g.audienceOf(d)
	return a.includes(&p)
}

// audiences holds each audience once, by its content.
type audiences map[string]*Audience

// share returns the audience that equals a. If there is none, it adds a.
func (all audiences) share(a *Audience) *Audience {
	key := fmt.Sprintf("%t %t %q", a.anonymous, a.agents, a.needed)
	if all[key] == nil {
		all[key] = a
	}
	return all[key]
}

// audiences returns the audiences of the tools of s, which may be nil.
func (s *Toolset) audiences() audiences {
	all := audiences{}
	if s != nil {
		for _, t := range s.tools {
			all.share(t.audience)
		}
	}
	return all
}

// Audience returns the audience of the tool with a name. It is nil if the
// toolset has no such tool.
func (a Adapter) Audience(tool string) *Audience {
	if t := a.set.byName[tool]; t != nil {
		return t.audience
	}
	return nil
}

// Sees returns a function that reports whether the caller of ctx sees the tools
// of an audience, as [Toolset.Visible] decides it. The function reports false
// for a nil audience. Sees finds the principal once, so use the function for
// one list only. The function is safe for concurrent use.
func (a Adapter) Sees(ctx context.Context) func(*Audience) bool {
	p := a.set.guard.viewer(ctx)
	return func(of *Audience) bool { return of != nil && of.includes(&p) }
}

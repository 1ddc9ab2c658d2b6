package guard

import (
	"context"
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// An Audience decides which principals see a tool in a list. Most tools of a
// toolset share one of a few, so a long list reads the permissions of the few
// instead of one contract after the other. It does not change.
// [Adapter.Audience] returns one.
type Audience struct {
	needed []string // the permissions, all of which a principal must hold
	known  bool     // anonymous callers are not among them
	person bool     // agents are not among them
}

// audienceOf returns who sees a tool. If permissions are only audited, every
// known principal sees it. Only people see a forbidden tool.
func (g *Guard) audienceOf(d *contract.Document) Audience {
	a := Audience{person: d.Risk == risk.Forbidden}
	if g.auditOnly[d.Name][clausePermissions] {
		a.known = true
		return a
	}
	a.known, a.needed = d.NeedsPrincipal(), d.DiscoverWith
	if len(a.needed) == 0 {
		a.needed = d.Permissions
	}
	return a
}

// includes reports whether a principal sees the tools of the audience.
func (a *Audience) includes(p *Principal) bool {
	if p.IsAnonymous() && (a.known || len(a.needed) > 0) || a.person && !isPerson(*p) {
		return false
	}
	return !slices.ContainsFunc(a.needed, func(permission string) bool { return !slices.Contains(p.Permissions, permission) })
}

// isShown reports whether a principal sees a tool in the list.
func (g *Guard) isShown(d *contract.Document, p Principal) bool {
	a := g.audienceOf(d)
	return a.includes(&p)
}

// audiences has one audience for all tools with an equal one.
type audiences map[string]*Audience

// share returns the audience that equals a, which may be a itself.
func (all audiences) share(a *Audience) *Audience {
	key := fmt.Sprintf("%t %t %q", a.known, a.person, a.needed)
	if all[key] == nil {
		all[key] = a
	}
	return all[key]
}

// audiences returns those of the tools of s, which may be nil.
func (s *Toolset) audiences() audiences {
	all := audiences{}
	if s != nil {
		for _, t := range s.tools {
			all.share(t.audience)
		}
	}
	return all
}

// Audience returns the audience of the tool of a name. It is nil for a name
// that the toolset does not have.
func (a Adapter) Audience(tool string) *Audience {
	if t := a.set.byName[tool]; t != nil {
		return t.audience
	}
	return nil
}

// Sees returns a function that reports whether the caller of ctx sees the tools
// of an audience, as [Toolset.Visible] decides it. A nil audience has no tools
// to see. Sees finds the principal once, so the function is for one list only.
// It is safe for concurrent use.
func (a Adapter) Sees(ctx context.Context) func(*Audience) bool {
	p := a.set.guard.viewer(ctx)
	return func(of *Audience) bool { return of != nil && of.includes(&p) }
}

package guard

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/engine"
	"github.com/toolcontract/toolcontract/internal/exchange"
)

// A Toolset is the set of tools that one server serves under a guard. Its names
// and aliases are unique. It is immutable and safe for concurrent use.
type Toolset struct {
	exchange.Half

	guard *Guard
	set   *engine.Set
}

func (g *Guard) toolset(s *engine.Set) *Toolset {
	part := func(tools []*contract.Tool) (any, error) { return g.part(nil, tools) }
	return &Toolset{Half: exchange.Bind(s, part), guard: g, set: s}
}

// Without returns a toolset that lacks the tools of the given names. Names that
// s does not have are ignored. Running calls of s are not affected, and s does
// not change.
func (s *Toolset) Without(names ...string) *Toolset {
	return s.guard.toolset(s.set.Without(names...))
}

// Tools returns the tools, sorted by name.
func (s *Toolset) Tools() []*contract.Tool {
	all := s.set.Tools()
	tools := make([]*contract.Tool, len(all))
	for i, t := range all {
		tools[i] = t.Contract
	}
	return tools
}

// Visible returns the names of the tools that the caller of ctx may see. A
// caller sees a tool if it holds the tool's permissions or those of
// [contract.Document.DiscoverWith], or if the permissions are only audited. If
// the principal cannot be determined, the caller counts as anonymous. An agent
// never sees a forbidden tool.
func (s *Toolset) Visible(ctx context.Context) map[string]bool { return s.set.Visible(ctx) }

// VisibleTo is [Toolset.Visible] for a principal that the caller has
// authenticated, such as the visitor of a page.
func (s *Toolset) VisibleTo(p Principal) map[string]bool { return s.set.VisibleTo(p) }

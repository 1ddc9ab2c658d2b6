package facts

import (
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

// An Audience decides which principals see a tool, both in a list and when they
// call it. Tools that the same principals see share one, so listing many tools
// reads a few audiences instead of every contract. It is immutable and safe for
// concurrent use. The zero Audience includes neither anonymous callers nor
// agents.
type Audience struct {
	needed    []string // the permissions that a principal must hold
	anonymous bool     // anonymous callers are included, unless needed has permissions
	agents    bool     // agents are included
	recorded  bool     // see [OfRecorded]
}

// OfRecorded returns the audience of a tool about recorded calls. It includes
// principals that see a tool which writes and records its calls. Only a set of
// tools knows them.
func OfRecorded() *Audience { return &Audience{agents: true, recorded: true} }

// IsOfRecorded reports whether a is that of [OfRecorded].
func (a *Audience) IsOfRecorded() bool { return a.recorded }

// Knows reports whether the audience's tools exist for a principal.
func (a *Audience) Knows(p *contract.Principal) bool { return a.agents || IsPerson(*p) }

// Takes reports whether a principal that holds the permissions of the
// audience's tools can call them.
func (a *Audience) Takes(p *contract.Principal) bool { return a.anonymous || !p.IsAnonymous() }

// Includes reports whether a principal sees the audience's tools. It begins
// with the checks that refuse calls, because a tool that the caller cannot call
// is not listed. It is false for the audience of [OfRecorded].
func (a *Audience) Includes(p *contract.Principal) bool {
	if a.recorded || !a.Knows(p) || !a.Takes(p) || p.IsAnonymous() && len(a.needed) > 0 {
		return false
	}
	return !slices.ContainsFunc(a.needed, func(permission string) bool { return !slices.Contains(p.Permissions, permission) })
}

// Audiences holds every audience once, keyed by its content.
type Audiences map[string]*Audience

// Share returns the audience that equals a. If there is none, it adds a.
func (all Audiences) Share(a *Audience) *Audience {
	key := fmt.Sprintf("%#v", *a) // every field, and strings with their quotes
	if all[key] == nil {
		all[key] = a
	}
	return all[key]
}

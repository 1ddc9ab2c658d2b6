package verify

import (
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// A link is a value from an earlier result that a later call can use.
type link struct {
	source Source
	tool   string // the tool that returned it
	value  any
}

// A thing is one resource that a call created.
type thing struct {
	resource *Resource
	id       any
	owner    contract.Principal
	deleted  bool
}

// maxLinks caps the values that later calls can use from one result.
const maxLinks = 40

// learn records what later calls can use from a result.
func (s *session) learn(step Step, tree any) {
	index := len(s.results) - 1
	for i, at := range leaves(tree) {
		if i == maxLinks {
			break
		}
		value, err := lookup(tree, at)
		if err == nil && value != "" {
			s.links = append(s.links, link{Source{index, at}, step.Tool, value})
		}
	}
	for i := range s.resources {
		r := &s.resources[i]
		at, ok := r.Created[step.Tool]
		if !ok {
			continue
		}
		if id, err := lookup(tree, at); err == nil {
			s.things = slices.DeleteFunc(s.things, func(t thing) bool { return t.resource == r && t.id == id })
			s.things = append(s.things, thing{resource: r, id: id, owner: s.caller(step)})
		}
	}
}

// candidates returns the values for a member of a tool's arguments, newest
// first: those of the resources that the tool uses there, then those with the
// same name.
func (s *session) candidates(tool, at string) []link {
	var found []link
	for _, r := range s.resources {
		if r.Used[tool] != at && r.Deleted[tool] != at {
			continue
		}
		for _, l := range slices.Backward(s.links) {
			if r.Created[l.tool] == l.source.Pointer {
				found = append(found, l)
			}
		}
	}
	wanted := lastName(at)
	for _, l := range slices.Backward(s.links) {
		if wanted != "" && slices.Contains(l.names(), wanted) {
			found = append(found, l)
		}
	}
	return found[:min(len(found), maxLinks)] // the newest
}

// names returns the names a value goes by: its own and, for an ID, one with the
// tool's domain, such as "invoice" and "invoiceid" for the ID from
// invoices.create.
func (l link) names() []string {
	name := lastName(l.source.Pointer)
	names := []string{name}
	if domain, _, ok := strings.Cut(l.tool, "."); ok && (name == "id" || name == "number" || name == "key") {
		domain = plainName(strings.TrimSuffix(domain, "s"))
		names = append(names, domain, domain+name)
	}
	return names
}

// lastName returns the last member name in a pointer, in plain letters. Indexes
// do not count.
func lastName(at string) string {
	tokens, _ := tokensOf(at)
	for _, token := range slices.Backward(tokens) {
		if name := plainName(token); name != "" {
			return strings.TrimSuffix(name, "s")
		}
	}
	return ""
}

// plainName returns the letters of a name, in lower case.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// isForeign reports whether a caller belongs to a different tenant than a
// thing. A principal without a tenant is its own tenant.
func (t thing) isForeign(caller contract.Principal) bool {
	if t.resource.Shared {
		return false
	}
	if t.owner.Issuer != caller.Issuer || t.owner.Tenant != caller.Tenant {
		return true
	}
	return caller.Tenant == "" && t.owner.Subject != caller.Subject
}

package oldschema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxCombined bounds how many schemas the levels of a document may hold in all.
const maxCombined = 1_000_000

// A place is a level that a value may come to. A known one is that of a member or an item that there is; an unknown one
// may hold more than ever applies together, since nobody knows which patterns one name matches.
type place struct {
	applied []*node
	all     level
	known   bool
}

// places returns every level that Fill comes to and has something to look for in, from the root on.
func (g *graph) places() ([]place, []Problem) {
	s := survey{seen: map[string]bool{}}
	s.add([]*node{g.root}, true)
	for done := 0; done < len(s.found); done++ { //nolint:intrange // it grows
		if s.combined > maxCombined {
			return nil, []Problem{{
				Rule:    RuleRecursion,
				Message: fmt.Sprintf("applies its schemas together in too many ways, of more than %d schemas in all", maxCombined),
				Remedy:  "refer less often to schemas that recur, or remove their defaults",
			}}
		}
		s.below(s.found[done])
	}
	return s.found, nil
}

type survey struct {
	found    []place
	seen     map[string]bool
	combined int
}

func (s *survey) add(applied []*node, known bool) {
	p := place{applied, whole(applied...), known}
	if !slices.ContainsFunc(p.all, func(n *node) bool { return n.fills }) {
		return
	}
	if key := p.key(); !s.seen[key] {
		s.seen[key] = true
		s.found = append(s.found, p)
		s.combined += len(p.all)
	}
}

// key is the same for two places where the same schemas apply.
func (p place) key() string {
	numbers := make([]int, len(p.all))
	for i, n := range p.all {
		numbers[i] = n.number
	}
	slices.Sort(numbers)
	var b strings.Builder
	b.WriteString(strconv.FormatBool(p.known))
	for _, number := range slices.Compact(numbers) {
		b.WriteByte(' ')
		b.WriteString(strconv.Itoa(number))
	}
	return b.String()
}

// below adds the levels of the parts of a value.
func (s *survey) below(p place) {
	declared := p.all.declared()
	for _, name := range declared {
		s.add(p.all.member(name), p.known)
	}
	var patterns []string
	var either []*node
	for _, n := range p.all {
		for _, e := range n.unnamed {
			either = append(either, e.to)
			if e.keyword == "patternProperties" && !slices.Contains(patterns, e.name) {
				patterns = append(patterns, e.name)
			}
		}
	}
	for _, name := range otherNames(declared, patterns) {
		s.add(p.all.member(name), p.known)
	}
	if len(patterns) > 0 {
		s.add(either, false)
	}
	for i := range p.all.prefix() + 1 {
		s.add(p.all.item(i), p.known)
	}
}

// declared returns the names of all properties, sorted.
func (l level) declared() []string {
	names := map[string]bool{}
	for _, n := range l {
		for name := range n.members {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

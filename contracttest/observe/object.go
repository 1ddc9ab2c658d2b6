package observe

import (
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// object draws an object.
func (d *drawer) object(at string, s *spec, depth int) any {
	members := map[string]any{}
	add := func(name string) {
		if _, ok := members[name]; !ok {
			members[name] = d.value(strictjson.Pointer(at, name), s.member(name), depth+1)
		}
	}
	chosen := slices.Clone(s.required)
	slices.Sort(chosen)
	chosen = slices.Compact(chosen)
	chosen = append(chosen, d.optional(at, s, depth, len(chosen))...)
	for i := 0; i < len(chosen); i++ { // chosen grows by what its members demand
		for _, other := range s.dependent[chosen[i]] {
			if !slices.Contains(chosen, other) {
				chosen = append(chosen, other)
			}
		}
		add(chosen[i])
	}
	for range d.extras(s, depth, len(members)) {
		name := d.name(s)
		if !s.refusesName(name) && !(at == "" && slices.Contains(d.args.without, name)) {
			add(name)
		}
	}
	return members
}

// optional draws which of its optional members an object has.
func (d *drawer) optional(at string, s *spec, depth, required int) []string {
	var names []string
	for _, name := range s.declaredNames() {
		without := at == "" && slices.Contains(d.args.without, name)
		if !without && !slices.Contains(s.required, name) && !s.refusesName(name) {
			names = append(names, name)
		}
	}
	least := 0
	if !s.isOpen() {
		least = min(max(0, s.minProperties-required), len(names))
	}
	most := min(len(names), max(0, s.maxProperties-required))
	if least == 0 && most == len(names) {
		return slices.DeleteFunc(names, func(string) bool { return depth >= maxOptionalDepth || !d.coin() })
	}
	if depth < maxOptionalDepth {
		least = d.size(least, most)
	}
	chosen := []string{}
	for range least {
		i := d.index(len(names))
		chosen = append(chosen, names[i])
		names = slices.Delete(names, i, i+1)
	}
	return chosen
}

// extras draws how many undeclared members an object gets.
func (d *drawer) extras(s *spec, depth, members int) int {
	if !s.isOpen() {
		return 0
	}
	least := max(0, s.minProperties-members)
	most := max(least, min(least+3, s.maxProperties-members))
	switch {
	case depth >= maxOptionalDepth || least == most:
		return least
	case len(s.declaredNames()) > 0 && !d.coin(): // most callers send what is declared
		return least
	default:
		return d.size(least, most)
	}
}

// declaredNames returns the names under properties, sorted.
func (s *spec) declaredNames() []string {
	all := map[string]bool{}
	for _, o := range s.objects {
		for _, p := range o.Below("properties") {
			all[p.Step().Name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// isOpen reports whether an object may have undeclared members.
func (s *spec) isOpen() bool {
	for _, o := range s.objects {
		closed := o.Child("additionalProperties", "").IsFalse() && len(o.Below("patternProperties")) == 0
		if closed || o.Child("unevaluatedProperties", "").IsFalse() {
			return false
		}
	}
	return true
}

// refusesName reports whether a member may never be present.
func (s *spec) refusesName(name string) bool {
	return slices.Contains(s.forbidden, name) || slices.ContainsFunc(s.member(name), (*tree.Node).IsFalse)
}

// member returns the schemas that apply to a member.
func (s *spec) member(name string) []*tree.Node {
	var schemas []*tree.Node
	known := false
	for _, o := range s.objects {
		before := len(schemas)
		if p := o.Child("properties", name); p != nil {
			schemas = append(schemas, p)
		}
		for _, p := range o.Below("patternProperties") {
			if re, err := tree.Regexp(p.Step().Name); err == nil && re.MatchString(name) {
				schemas = append(schemas, p)
			}
		}
		if rest := o.Child("additionalProperties", ""); rest != nil && len(schemas) == before {
			schemas = append(schemas, rest)
		}
		known = known || len(schemas) > before
	}
	for _, o := range s.objects {
		if last := o.Child("unevaluatedProperties", ""); last != nil && !known {
			schemas = append(schemas, last)
		}
	}
	return schemas
}

// name draws the name of an undeclared member.
func (d *drawer) name(s *spec) string {
	var patterns []string
	for _, o := range s.objects {
		for _, p := range o.Below("patternProperties") {
			if !p.IsFalse() {
				patterns = append(patterns, p.Step().Name)
			}
		}
	}
	names := d.merge(s.names)
	switch {
	case names.limited && len(names.values) > 0:
		if name, ok := names.values[d.index(len(names.values))].(string); ok {
			return name
		}
	case len(s.names) > 0:
		return d.text(names)
	case len(patterns) > 0:
		names.patterns = []string{patterns[d.index(len(patterns))]}
		return d.text(names)
	}
	name, _ := d.ofPattern(`[a-z]{1,6}`, 0)
	return name
}

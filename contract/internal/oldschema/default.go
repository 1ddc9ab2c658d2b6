package oldschema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// A default is tried where it stands and where it is filled in, since a schema that refuses it refuses every call that
// leaves its member out:
//
//   - on the schema that it stands in;
//   - on all schemas that apply to the member that gets it, filled in by all of them: beside a $ref, in the parts of an
//     allOf, under a pattern of the name, and on the propertyNames of its object;
//   - on the object that gets it, if a value can be found that the object's schemas accept as it is given: one with no
//     more than what is required. That value has to be accepted when it is filled in, too.
//
// What is not known at this point is what other members, and what stands around the object, have to do with it.

// A fault is a default that cannot be filled in, and the schemas whose default is withheld for it.
type fault struct {
	problem  Problem
	withheld []*node
}

func fillFault(source *node, message string) fault {
	return fault{problem: Problem{
		Rule: RuleDefault, Field: jsonptr.Append(source.pointer, "default"), Message: message,
		Remedy: "correct the default or the keyword that refuses it",
	}}
}

// faultsOnce returns the problems of faults, one for each default.
func faultsOnce(faults []fault) []Problem {
	var problems []Problem
	seen := map[string]bool{}
	for _, f := range faults {
		if !seen[f.problem.Field] {
			seen[f.problem.Field] = true
			problems = append(problems, f.problem)
		}
	}
	return problems
}

// withhold withholds the defaults that are at fault, until none is. Those that only disagree need nothing: Fill does
// not fill them in.
func (t *trial) withhold(places []place) {
	for again := true; again; {
		again = false
		for _, f := range t.faults(places) {
			for _, n := range f.withheld {
				n.withheld, again = true, true
			}
		}
	}
}

func (t *trial) faults(places []place) []fault {
	t.samples = maxSamples
	var faults []fault
	for _, n := range t.schema.graph.order {
		value, ok := n.doc["default"]
		if !ok || n.withheld {
			continue
		}
		f := filler{budget: maxDefaults}
		filled, _ := f.fill(filling(n), clone(value))
		if why := t.refused(n, filled); why != "" {
			own := fillFault(n, "is refused by its own schema: "+why)
			own.withheld = []*node{n}
			faults = append(faults, own)
		}
	}
	for _, p := range places {
		if p.known {
			faults = append(faults, t.faultsAt(p)...)
		}
	}
	return faults
}

// faultsAt tries what is filled into an object.
func (t *trial) faultsAt(p place) []fault {
	filled, faults := map[string]any{}, []fault(nil)
	for _, name := range p.all.declared() {
		sources := p.all.sources(name)
		if len(sources) == 0 {
			continue
		}
		f := filler{budget: maxDefaults}
		value, agreed := f.absent(p.all, name)
		if !agreed {
			faults = append(faults, disagreement(sources))
			continue
		}
		filled[name] = value
		if why := t.refusedMember(p.all, name, value); why != "" {
			refused := fillFault(sources[0], why)
			refused.withheld = p.all.defaulted(name)
			faults = append(faults, refused)
		}
	}
	if len(faults) == 0 && len(filled) > 0 {
		faults = t.faultsOfLeast(p, filled)
	}
	return faults
}

func disagreement(sources []*node) fault {
	slices.SortFunc(sources, func(a, b *node) int { return a.number - b.number })
	f := fillFault(sources[len(sources)-1], "is not the default that the same member has at "+jsonptr.Append(sources[0].pointer, "default"))
	f.problem.Remedy = "give the member one default: keep one of them, or put one beside the $ref or allOf that leads to them"
	return f
}

// refusedMember says which schema refuses a default that a member gets, and why.
func (t *trial) refusedMember(object level, name string, value any) string {
	for _, n := range object.member(name) {
		if why := t.refused(n, value); why != "" {
			return fmt.Sprintf("is refused by %s, which applies to the member that gets it: %s", shownPointer(n), why)
		}
	}
	for _, n := range object {
		for _, e := range n.edges {
			if e.keyword == "propertyNames" && t.refused(e.to, name) != "" {
				return fmt.Sprintf("is that of a member whose name %s refuses", shownPointer(e.to))
			}
		}
	}
	return ""
}

func shownPointer(n *node) string {
	if n.pointer == "" {
		return "the root"
	}
	return n.pointer
}

// defaulted returns the schemas by which a member has a default.
func (l level) defaulted(name string) []*node {
	var found []*node
	for _, n := range l {
		if property, ok := n.members[name]; ok && len(property.sources(nil)) > 0 {
			found = append(found, property)
		}
	}
	return found
}

// faultsOfLeast tries an object that has no more than what is required, and is accepted. It finds the first default
// without which the object would still be.
func (t *trial) faultsOfLeast(p place, filled map[string]any) []fault {
	least, ok := t.least(p.all, maxLeast)
	if !ok || !t.accepted(p.applied, least) {
		return nil
	}
	full := maps.Clone(filled)
	maps.Copy(full, least)
	why := t.refusedByAny(p.applied, full)
	if why == "" {
		return nil
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(filled)), func(name string) bool {
		_, given := least[name]
		return given
	})
	culprit := slices.IndexFunc(names, func(name string) bool {
		without := maps.Clone(full)
		delete(without, name)
		return t.accepted(p.applied, without)
	})
	name := names[max(culprit, 0)]
	f := fillFault(p.all.sources(name)[0], "makes an object that leaves the member out break its schema: "+why)
	f.withheld = p.all.defaulted(name)
	return []fault{f}
}

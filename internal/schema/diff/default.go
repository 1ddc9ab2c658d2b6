package diff

import (
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// withDefaults returns the findings plus those about defaults: the two
// documents fill different values into a member, or fill a value into different
// objects. It removes annotation findings about the same defaults.
func (c *comparer) withDefaults(from, to *document) []Difference {
	isDefault := func(name string) bool { return name == "default" }
	if !hasName(from.Root.Written(), isDefault) && !hasName(to.Root.Written(), isDefault) {
		return c.findings
	}
	d := &defaults{comparer: &comparer{steps: maxSteps}, seen: map[string]bool{}}
	d.compare(d.whole(from), d.whole(to))
	if d.steps <= 0 {
		d.findings = append(d.findings, Difference{Kind: Default, Effect: Unknown,
			Reason: "the schemas are too large for their defaults to be compared"})
	}
	taken, refused := map[string]bool{}, map[string]bool{}
	for _, f := range d.findings {
		taken[f.Pointer] = true
	}
	for _, f := range c.findings {
		refused[strictjson.Pointer(f.Pointer, "default")] = f.Effect == Narrowed
	}
	findings := slices.DeleteFunc(c.findings, func(f Difference) bool {
		return f.Kind == Text && strings.HasSuffix(f.Pointer, "/default") && taken[f.Pointer]
	})
	for i, f := range d.findings {
		again := slices.ContainsFunc(d.findings[:i], func(g Difference) bool { return g.Pointer == f.Pointer })
		// A finding that the member is refused now also covers its default.
		if !again && (f.To != nil || !refused[f.Pointer]) {
			findings = append(findings, f)
		}
	}
	return findings
}

// A defaults compares the values that two documents fill in, level by level.
type defaults struct {
	*comparer
	seen map[string]bool // pairs of layers that are equal or already being compared
}

func (d *defaults) whole(doc *document) layers {
	return d.spread([]layer{{doc.root(), "", true}})
}

// part returns the schemas for a part of the value. A path leads to the part in
// the first layer only.
func (d *defaults) part(list layers, parts func(layer) []layer) layers {
	var found []layer
	taken := false
	for _, one := range list {
		for _, part := range parts(one) {
			part.onPath = part.onPath && !taken
			taken = taken || part.onPath
			found = append(found, part)
		}
	}
	return d.spread(found)
}

// spread inserts after each layer the target of its $ref and the schemas of its
// allOf, each once. Schemas on a path come first.
func (d *defaults) spread(list []layer) layers {
	var out layers
	seen := map[*tree.Node]bool{}
	var add func(l layer)
	add = func(l layer) {
		id := l.identity()
		if d.steps--; d.steps <= 0 || seen[id] || l.Form() == tree.True {
			return
		}
		seen[id] = true
		out = append(out, l)
		if target, ok := l.target(); ok {
			add(target)
		}
		for _, branch := range l.Below("allOf") {
			add(l.to(branch))
		}
	}
	for _, onPath := range []bool{true, false} {
		for _, l := range list {
			if l.onPath == onPath {
				add(l)
			}
		}
	}
	return out
}

func (d *defaults) compare(old, now layers) {
	key := old.key() + "|" + now.key()
	if d.steps--; d.steps <= 0 || d.seen[key] || len(old)+len(now) == 0 || old.refuse() {
		return
	}
	d.seen[key] = true
	found := len(d.findings)
	defer func() { d.seen[key] = len(d.findings) == found }()
	if old.allow(tree.ObjectType) {
		d.members(old, now)
	}
	if old.allow(tree.ArrayType) {
		count := max(old.prefixed(), now.prefixed())
		for i := range count + 1 { // the last one stands for all other items
			items := func(l layer) []layer { return l.item(i) }
			d.compare(d.part(old, items), d.part(now, items))
		}
	}
}

func (d *defaults) members(old, now layers) {
	for _, name := range old.declared(now) {
		member := func(l layer) []layer { return l.member(name) }
		before := d.part(old, member)
		after := d.part(now, member)
		was := old.defaultOf(name)
		is := now.defaultOf(name)
		d.member(was, is, !before.refuse())
		d.compare(before, after)
	}
	d.compare(d.part(old, layer.other), d.part(now, layer.other))
}

// member compares the defaults of one member.
func (d *defaults) member(was, is memberDefault, allowed bool) {
	pointer := is.pointer
	if !is.found {
		pointer = was.pointer
	}
	switch {
	case was.same(is):
	case !was.found && !allowed: // a new member, whose default Build proved to refuse no call
	default:
		d.add(place{pointer, Default}, Reworded, was.value, is.value)
	}
}

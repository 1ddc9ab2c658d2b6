package schemadiff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// withDefaults returns the findings with those about defaults: where the two documents, filling in one value, give a
// member another value, or give it to other objects. A default that is never filled in is the annotation that it was
// found to be.
func (c *comparer) withDefaults(from, to *document) []Finding {
	if !hasDefault(from.root) && !hasDefault(to.root) {
		return c.findings
	}
	d := &defaults{comparer: &comparer{steps: maxSteps}, seen: map[string]bool{}}
	d.compare(d.whole(from), d.whole(to))
	if d.steps <= 0 {
		d.findings = append(d.findings, Finding{Kind: Default, Effect: Unknown, Reason: "the schemas are too large for their defaults to be compared"})
	}
	taken, refused := map[string]bool{}, map[string]bool{}
	for _, f := range d.findings {
		taken[f.Pointer] = true
	}
	for _, f := range c.findings {
		refused[jsonptr.Append(f.Pointer, "default")] = f.Effect == Narrowed
	}
	findings := slices.DeleteFunc(c.findings, func(f Finding) bool {
		return f.Kind == Text && strings.HasSuffix(f.Pointer, "/default") && taken[f.Pointer]
	})
	for i, f := range d.findings {
		again := slices.ContainsFunc(d.findings[:i], func(g Finding) bool { return g.Pointer == f.Pointer })
		// That a member is refused says all of the default that went with it.
		if !again && (f.To != nil || !refused[f.Pointer]) {
			findings = append(findings, f)
		}
	}
	return findings
}

func hasDefault(tree any) bool {
	switch tree := tree.(type) {
	case map[string]any:
		for name, member := range tree {
			if name == "default" || hasDefault(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(tree, hasDefault)
	}
	return false
}

// A defaults compares what two documents fill in, level by level.
type defaults struct {
	*comparer
	seen map[string]bool // pairs of levels that are the same, or are being compared
}

// A level is what a document says of one value: all schemas that apply to it, and fill it in, together. reacts says that
// something around it may refuse the value for a member that is filled in.
type level struct {
	layers
	reacts bool
}

func (d *defaults) whole(doc *document) level {
	return level{layers: d.spread([]layer{{doc, doc.root, ""}})}
}

// part is the level of a part of the value, which each layer tells.
func (d *defaults) part(l level, parts func(layer) []layer) level {
	var found []layer
	for _, one := range l.layers {
		found = append(found, parts(one)...)
	}
	return level{d.spread(found), l.reacts || l.react()}
}

// spread puts after each layer what its allOf holds and what its $ref leads to, each once.
func (d *defaults) spread(list []layer) layers {
	var out layers
	seen := map[uintptr]bool{}
	var add func(l layer)
	add = func(l layer) {
		id := subschema{value: l.schema}.identity()
		if d.steps--; d.steps <= 0 || seen[id] || l.schema == true {
			return
		}
		seen[id] = true
		out = append(out, l)
		branches, _ := l.keywords()["allOf"].([]any)
		for i, branch := range branches {
			add(l.to(branch, "allOf", strconv.Itoa(i)))
		}
		if target, ok := l.target(); ok {
			add(layer{l.doc, target, l.pointer})
		}
	}
	for _, l := range list {
		add(l)
	}
	return out
}

func (d *defaults) compare(old, now level) {
	key := old.key() + "|" + now.key()
	if d.steps--; d.steps <= 0 || d.seen[key] || len(old.layers)+len(now.layers) == 0 || old.refuse() {
		return
	}
	d.seen[key] = true
	found := len(d.findings)
	defer func() { d.seen[key] = len(d.findings) == found }()
	if old.allow("object") {
		d.members(old, now)
	}
	if old.allow("array") {
		count := max(old.prefixed(), now.prefixed())
		for i := range count + 1 { // the last is all others
			items := func(l layer) []layer { return l.item(i) }
			d.compare(d.part(old, items), d.part(now, items))
		}
	}
}

func (d *defaults) members(old, now level) {
	for _, name := range bothNames(old.declared(), now.declared()) {
		member := func(l layer) []layer { return l.member(name) }
		before, after := d.part(old, member), d.part(now, member)
		was, is := old.given(name), now.given(name)
		d.given(was, is, !before.refuse(), func() bool { return now.mayRefuse(name, is) })
		d.compare(before, after)
	}
	d.others(old, now)
}

// given compares the defaults of one member.
func (d *defaults) given(was, is *given, allowed bool, mayRefuse func() bool) {
	pointer := is.pointer
	if !is.found() {
		pointer = was.pointer
	}
	p := place{pointer, Default}
	switch {
	case was.same(is):
	case !was.found() && !allowed && mayRefuse():
		d.findings = append(d.findings, Finding{
			Pointer: pointer, Kind: Default, Effect: Unknown, To: is.shown(),
			Reason: "another keyword may refuse the member that the default brings with it",
		})
	case !was.found() && !allowed: // the member is new, and so is all that is said of it
	default:
		d.add(p, Reworded, was.shown(), is.shown())
	}
}

// maxPatterns bounds how many patterns of names are tried in all combinations.
const maxPatterns = 4

// others compares the members that have no name in the schemas, by the patterns that apply to them.
func (d *defaults) others(old, now level) {
	patterns := bothNames(old.patterns(), now.patterns())
	if len(patterns) > maxPatterns {
		anything := func(l layer) []layer {
			return append(l.other(func(string) bool { return true }), l.other(func(string) bool { return false })...)
		}
		if !d.gives(d.part(old, anything).layers, map[uintptr]bool{}) && !d.gives(d.part(now, anything).layers, map[uintptr]bool{}) {
			return
		}
		d.findings = append(d.findings, Finding{
			Pointer: now.pointer(), Kind: Default, Effect: Unknown, Reason: "there are too many patterns for defaults under them to be compared",
		})
		return
	}
	for combination := range 1 << len(patterns) {
		applies := func(pattern string) bool {
			return combination&(1<<slices.Index(patterns, pattern)) != 0
		}
		member := func(l layer) []layer { return l.other(applies) }
		d.compare(d.part(old, member), d.part(now, member))
	}
}

// gives reports whether one of the layers, or one of a part of the value, has a default.
func (d *defaults) gives(list layers, seen map[uintptr]bool) bool {
	return slices.ContainsFunc(list, func(l layer) bool {
		id := subschema{value: l.schema}.identity()
		if seen[id] {
			return false
		}
		seen[id] = true
		for name := range (layers{l}).declared() {
			if (layers{l}).given(name).found() {
				return true
			}
		}
		return d.gives(d.spread(l.parts()), seen)
	})
}

// mayRefuse reports whether an object, or something around it, may refuse a member that is filled in. The schemas that
// give the default accept it: Build tries every default on the members that get it.
func (l level) mayRefuse(name string, is *given) bool {
	if l.reacts || l.react() {
		return true
	}
	return slices.ContainsFunc(l.layers, func(one layer) bool {
		return slices.ContainsFunc(one.member(name), func(m layer) bool {
			return m.schema != true && !is.by[subschema{value: m.schema}.identity()]
		})
	})
}

func (l level) key() string { return l.layers.key() + "," + strconv.FormatBool(l.reacts) }

func (l level) pointer() string {
	if len(l.layers) == 0 {
		return ""
	}
	return l.layers[0].pointer
}

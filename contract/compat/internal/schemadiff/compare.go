package schemadiff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// maxSteps bounds how many pairs of subschemas are compared.
const maxSteps = 20_000

// Compare returns the differences between two schemas, sorted by pointer, kind and effect; nil where there are none. It
// never panics, whatever the documents are: of one that is no JSON Schema of draft 2020-12, what changed is [Unknown].
func Compare(old, now json.RawMessage) []Finding {
	if bytes.Equal(old, now) {
		return nil
	}
	from, okFrom := parse(old)
	to, okTo := parse(now)
	if !okFrom || !okTo {
		return []Finding{{Kind: Other, Effect: Unknown, Reason: "one of the schemas is not JSON of draft 2020-12"}}
	}
	c := comparer{steps: maxSteps, assumed: map[assumption]int{}}
	c.compare(from.at(from.root), to.at(to.root), place{kind: Other})
	if c.findings = c.withDefaults(from, to); c.steps <= 0 {
		c.findings = append(c.findings, Finding{Kind: Other, Effect: Unknown, Reason: "the schemas are too large to be compared"})
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(string(a.Kind), string(b.Kind)), cmp.Compare(a.Effect, b.Effect))
	})
	return c.findings
}

// A comparer compares subschemas: for the record, or, where it is proving, only to find out whether everything that the
// first accepts is accepted by the second.
type comparer struct {
	findings []Finding
	proving  bool
	failed   bool // while proving: it is not so, or cannot be shown
	steps    int  // that are left
	depth    int  // how far into the value
	assumed  map[assumption]int
}

// An assumption is that everything the subschema a accepts is accepted by b, or, for the record, that all differences
// between the two will be found. It is made while that is being shown, at some depth, and may be used further down in
// the value: values end, so it holds by induction.
type assumption struct{ a, b uintptr }

// A place is where a comparison stands.
type place struct {
	pointer string
	kind    Kind // what it is that appears or goes, where one of the two accepts nothing
}

func (p place) to(kind Kind, tokens ...string) place {
	return place{jsonptr.Append(p.pointer, tokens...), kind}
}

// add records a finding. While proving, what is no obstacle is dropped.
func (c *comparer) add(p place, effect Effect, from, to any) {
	if c.proving {
		c.failed = c.failed || effect == Narrowed || effect == Unknown
		return
	}
	c.findings = append(c.findings, Finding{Pointer: p.pointer, Kind: p.kind, Effect: effect, From: from, To: to})
}

// unknown records that a comparison cannot be made.
func (c *comparer) unknown(p place, from, to any, reason string) {
	if c.proving {
		c.failed = true
		return
	}
	c.findings = append(c.findings, Finding{Pointer: p.pointer, Kind: Other, Effect: Unknown, From: from, To: to, Reason: reason})
}

// within reports whether it can be shown that everything a accepts is accepted by b. What is being compared for the
// record is no assumption of such a proof: there, one of the two directions may turn out not to hold.
func (c *comparer) within(a, b subschema) bool {
	outer := *c
	if !c.proving {
		c.assumed = map[assumption]int{}
	}
	c.proving, c.failed = true, false
	c.compare(a, b, place{})
	ok := !c.failed
	c.proving, c.failed, c.assumed = outer.proving, outer.failed, outer.assumed
	return ok
}

// down runs a comparison of parts of the value.
func (c *comparer) down(compare func()) {
	c.depth++
	compare()
	c.depth--
}

func (c *comparer) compare(a, b subschema, at place) {
	if c.steps--; c.steps <= 0 {
		c.failed = true
		return
	}
	if c.proving && c.failed {
		return
	}
	if a.doc == b.doc && a.identity() == b.identity() && a.identity() != 0 {
		return
	}
	done, known := c.assume(a, b, at)
	if known {
		return
	}
	defer done()
	from, to := a.doc.normalize(a), b.doc.normalize(b)
	switch {
	case from.problem != "" || to.problem != "":
		c.unknown(at, a.value, b.value, cmp.Or(from.problem, to.problem))
	case from.never && to.never:
	case to.never:
		c.add(at, Narrowed, a.value, b.value)
	case from.never:
		c.add(at, Widened, a.value, b.value)
	case from.opaque || to.opaque:
		if !c.sameButForWords(a, b) {
			c.unknown(at, a.value, b.value, "a keyword depends on more than what stands beside it")
			return
		}
		c.keywords(from, to, at)
	default:
		c.keywords(from, to, at)
	}
}

// sameButForWords reports whether two schemas are written the same, and all that they may refer to, but for annotations.
func (c *comparer) sameButForWords(a, b subschema) bool {
	first, second := withoutAnnotations(a.value), withoutAnnotations(b.value)
	return same(first, second) && (!hasReference(first) || same(withoutAnnotations(a.doc.root), withoutAnnotations(b.doc.root)))
}

// assume notes what is being shown. known says that it is being shown already: further up in the value it may be used;
// at the same value it leads nowhere.
func (c *comparer) assume(a, b subschema, at place) (done func(), known bool) {
	key := assumption{a.identity(), b.identity()}
	if key.a == 0 || key.b == 0 {
		return func() {}, false
	}
	above, found := c.assumed[key]
	if found {
		if above == c.depth {
			c.unknown(at, a.value, b.value, "it refers to itself")
		}
		return nil, true
	}
	c.assumed[key] = c.depth
	return func() { delete(c.assumed, key) }, false
}

// keywords compares two sets of keywords, group by group.
func (c *comparer) keywords(from, to *normal, at place) {
	if c.lifted(from, to, at) {
		return
	}
	c.types(from, to, at)
	c.values(from, to, at)
	c.ranges(from, to, at)
	c.lengths(from, to, at)
	c.patterns(from, to, at)
	c.formats(from, to, at)
	c.required(from, to, at)
	c.object(from, to, at)
	c.array(from, to, at)
	c.contains(from, to, at)
	c.branches("anyOf", from, to, at)
	c.branches("oneOf", from, to, at)
	c.negation(from, to, at)
	c.condition(from, to, at)
	c.dependentSchemas(from, to, at)
	c.rest(from, to, at)
	if !c.proving {
		c.annotations(from, to, at)
	}
}

// canonical is the text of a tree by which equal values are equal.
func canonical(tree any) string {
	text, err := strictjson.Marshal(tree)
	if err != nil {
		return ""
	}
	return string(text)
}

func same(a, b any) bool { return canonical(a) == canonical(b) }

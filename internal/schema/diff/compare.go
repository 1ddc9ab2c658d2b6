package diff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// maxSteps caps the pairs of subschemas that are compared.
const maxSteps = 20_000

// Compare returns the differences between two schemas, sorted by pointer, kind
// and effect, or nil if there are none. It accepts any documents. If one of
// them isn't a JSON Schema of draft 2020-12, the only finding is [Unknown].
func Compare(old, now json.RawMessage) []Difference {
	if bytes.Equal(old, now) {
		return nil
	}
	from, okFrom := parse(old)
	to, okTo := parse(now)
	if !okFrom || !okTo {
		return []Difference{{Kind: Other, Effect: Unknown, Reason: "one of the schemas is not JSON of draft 2020-12"}}
	}
	c := comparer{steps: maxSteps, assumed: map[assumption]int{}}
	c.compare(from.root(), to.root(), place{kind: Other})
	if c.findings = c.withDefaults(from, to); c.steps <= 0 {
		c.findings = append(c.findings, Difference{Kind: Other, Effect: Unknown, Reason: "the schemas are too large to be compared"})
	}
	slices.SortStableFunc(c.findings, func(a, b Difference) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(string(a.Kind), string(b.Kind)), cmp.Compare(a.Effect,
			b.Effect))
	})
	return c.findings
}

// A comparer compares subschemas and records the findings. While proving, it
// records nothing and only determines whether the second schema accepts
// everything the first one accepts.
type comparer struct {
	findings []Difference
	proving  bool
	failed   bool // while proving: the claim is false or can't be shown
	steps    int  // steps left
	depth    int  // levels of the value above this one
	assumed  map[assumption]int
}

// An assumption is that b accepts everything the subschema a accepts or, while
// recording, that every difference between the two will be found. It is made at
// some depth while it is being proved, and may be used deeper in the value.
// Since values are finite, it holds by induction.
type assumption struct{ a, b *tree.Node }

// A place is where a comparison is in the documents.
type place struct {
	pointer string
	kind    Kind // the finding's kind if one of the schemas accepts nothing
}

func (p place) to(kind Kind, tokens ...string) place {
	return place{strictjson.Pointer(p.pointer, tokens...), kind}
}

// add records a finding. While proving, it instead fails the proof if the
// finding contradicts it.
func (c *comparer) add(p place, effect Effect, from, to any) {
	if c.proving {
		c.failed = c.failed || effect == Narrowed || effect == Unknown
		return
	}
	c.findings = append(c.findings, Difference{Pointer: p.pointer, Kind: p.kind, Effect: effect, From: from, To: to})
}

// addBoth records that a schema became narrower, wider, or both.
func (c *comparer) addBoth(p place, narrowed, widened bool, from, to any) {
	if narrowed {
		c.add(p, Narrowed, from, to)
	}
	if widened {
		c.add(p, Widened, from, to)
	}
}

// present compares the presence of a keyword, which makes a schema narrower. It
// reports whether both schemas have it.
func (c *comparer) present(from, to *normal, keyword string, p place) bool {
	old, had := from.keys.Get(keyword)
	now, has := to.keys.Get(keyword)
	switch {
	case has && !had:
		c.add(p, Narrowed, nil, now)
	case had && !has:
		c.add(p, Widened, old, nil)
	}
	return had && has
}

// unknown records that a comparison isn't possible.
func (c *comparer) unknown(p place, from, to any, reason string) {
	if c.proving {
		c.failed = true
		return
	}
	c.findings = append(c.findings, Difference{Pointer: p.pointer, Kind: Other, Effect: Unknown, From: from, To: to, Reason: reason})
}

// within reports whether it can be shown that b accepts everything a accepts.
// It doesn't use the assumptions of recording comparisons, because those don't
// imply that one schema is contained in the other.
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

// down runs a comparison one level deeper in the value.
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
	if a.doc == b.doc && a.identity() == b.identity() && a.identity() != nil {
		return
	}
	done, known := c.assume(a, b, at)
	if known {
		return
	}
	defer done()
	from := a.doc.normalize(a)
	to := b.doc.normalize(b)
	switch {
	case from.problem != "" || to.problem != "":
		c.unknown(at, a.Written(), b.Written(), cmp.Or(from.problem, to.problem))
	case from.never && to.never:
	case to.never:
		c.add(at, Narrowed, a.Written(), b.Written())
	case from.never:
		c.add(at, Widened, a.Written(), b.Written())
	case from.opaque || to.opaque:
		if !c.sameWithoutAnnotations(a, b) {
			c.unknown(at, a.Written(), b.Written(), "a keyword depends on more than its own schema")
			return
		}
		c.keywords(from, to, at)
	default:
		c.keywords(from, to, at)
	}
}

// sameWithoutAnnotations reports whether two schemas, and the documents they
// refer to, are written identically except for annotations.
func (c *comparer) sameWithoutAnnotations(a, b subschema) bool {
	if !same(withoutAnnotations(a), withoutAnnotations(b)) {
		return false
	}
	isReference := func(name string) bool { return strings.HasSuffix(strings.ToLower(name), "ref") }
	return !hasName(withoutAnnotations(a), isReference) || same(withoutAnnotations(a.doc.root()), withoutAnnotations(b.doc.root()))
}

// assume records the assumption of a comparison until done is called. known
// reports that the assumption was already made. If it was made for the same
// value, the schema refers to itself.
func (c *comparer) assume(a, b subschema, at place) (done func(), known bool) {
	key := assumption{a.identity(), b.identity()}
	if key.a == nil || key.b == nil {
		return func() {}, false
	}
	above, found := c.assumed[key]
	if found {
		if above == c.depth {
			c.unknown(at, a.Written(), b.Written(), "it refers to itself")
		}
		return nil, true
	}
	c.assumed[key] = c.depth
	return func() { delete(c.assumed, key) }, false
}

// keywords compares two sets of keywords group by group.
func (c *comparer) keywords(from, to *normal, at place) {
	if c.asAlternatives(from, to, at) {
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

// canonical returns the text of a value. Equal values have equal texts.
func canonical(value any) string {
	text, err := strictjson.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

func same(a, b any) bool { return canonical(a) == canonical(b) }

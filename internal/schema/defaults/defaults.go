package defaults

import (
	"math"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// Defaults fills the defaults of one schema into values. It is safe for
// concurrent use.
type Defaults struct {
	root *plan // nil if there is nothing to fill in
}

// Options adjust [New]. The zero value is strict.
type Options struct {
	// Lenient withholds a refused default instead of reporting it. A misplaced
	// default is not reported either, and not filled in.
	Lenient bool
	// Anywhere accepts misplaced defaults. It is meant for schemas of results,
	// into which nothing is filled.
	Anywhere bool
}

// New finds the defaults of a document and reports the faults of those that
// cannot be filled in. refusal returns why a schema of the document refuses a
// value, or "".
func New(document *tree.Document, refusal func(n *tree.Node, value any) string, opts Options) (*Defaults, []Fault) {
	return newDefaults(document, refusal, opts, isMemberwise)
}

// newDefaults finds the defaults and their faults. It makes no sample objects
// if isMemberwise reports true.
func newDefaults(document *tree.Document, refusal func(n *tree.Node, value any) string, opts Options,
	isMemberwise func(*tree.Document) bool) (*Defaults, []Fault) {
	if !slices.ContainsFunc(document.All, hasDefault) {
		return &Defaults{}, nil
	}
	c := newChecker(document, refusal)
	unchecked := func() []Fault {
		first := slices.IndexFunc(document.All, hasDefault)
		return []Fault{{Kind: Unchecked, Schema: document.All[first]}}
	}
	if !c.spendPlans() {
		return nil, unchecked()
	}
	c.follow(document.Root)
	c.memberwise = isMemberwise(document)
	var ok bool
	if c.pairs, ok = c.findPairs(); !ok {
		return nil, unchecked()
	}
	var faults []Fault
	if !opts.Lenient && !opts.Anywhere {
		faults = c.misplaced()
	}
	for c.spendPlans() {
		c.plans = planner{withheld: c.withheld, plans: map[*tree.Node]*plan{}}
		if endless := c.endless(); len(endless) > 0 {
			return nil, append(faults, endless...)
		}
		refused := c.refused()
		if !opts.Lenient {
			faults = append(faults, refused...)
			break
		}
		if len(refused) == 0 {
			break
		}
		for _, f := range refused {
			c.withheld[f.member] = true
		}
	}
	if c.isSpent() {
		if len(faults) == 0 {
			faults = unchecked()
		}
		return nil, faults
	}
	return &Defaults{c.plans.plan(document.Root)}, faults
}

// Fill returns tree with the defaults of absent properties: of the object
// itself, and of the objects and arrays within it. An absent object without a
// default of its own stays absent. Fill does not change tree, and the caller
// may change the result. changed reports whether it is another tree.
func (d *Defaults) Fill(tree any) (filled any, changed bool) {
	unlimited := math.MaxInt
	return d.root.fill(tree, &unlimited)
}

// Omit reverses [Defaults.Fill]: it returns tree without the properties that
// equal their default. A tree that lacks them and one that has them are equal
// then, also if another version of the schema lacks such a property. Omit does
// not change tree.
func (d *Defaults) Omit(tree any) (rest any, changed bool) { return d.root.omit(tree) }

// IsEmpty reports whether there is nothing to fill in.
func (d *Defaults) IsEmpty() bool { return d.root == nil }

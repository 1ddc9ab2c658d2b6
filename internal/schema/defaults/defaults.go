package defaults

import (
	"math"
	"slices"
	"sync"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Options adjusts [New]. The zero value is strict.
type Options struct {
	// Lenient withholds a default that is refused or unproved instead of
	// reporting it. A misplaced default is neither reported nor filled in.
	Lenient bool
	// Anywhere reports only defaults that their own schema refuses. It is for
	// result schemas, into which nothing is filled.
	Anywhere bool
}

// New finds the defaults of a document and reports those that can't be filled
// in as faults. refusal returns why a schema of the document refuses a value,
// or "". The Plan is nil if there is nothing to fill in.
func New(document *tree.Document, refusal func(n *tree.Node, value any) string, opts Options) (*Plan, []Fault) {
	first := slices.IndexFunc(document.All, hasDefault)
	if first < 0 {
		return nil, nil
	}
	c := &checker{
		document: document, refusal: refusal, work: maxWork, withheld: map[*tree.Node]bool{},
		onPath: map[*tree.Node]*condition{}, offPath: map[*tree.Node]bool{}, faultOf: map[*tree.Node]Fault{},
	}
	c.follow(document.Root, nil)
	for n, f := range c.faultOf {
		c.withheld[n] = opts.Lenient && f.Kind == Unproved
	}
	if opts.Lenient || opts.Anywhere {
		c.faultOf = nil
	}
	for {
		c.plans = map[*tree.Node]*Plan{}
		faults := c.faults()
		switch {
		case c.work < 0:
			return nil, []Fault{{Kind: Unchecked, Schema: document.All[first]}}
		case slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind == Endless }):
			return nil, faults
		case !opts.Lenient || len(faults) == 0:
			return c.plan(document.Root), faults
		}
		for _, f := range faults { // a default that contains them may be refused without them
			c.withheld[f.Schema] = true
		}
	}
}

// plan returns the plan for a schema.
func (c *checker) plan(n *tree.Node) *Plan {
	if known, ok := c.plans[n]; ok {
		return known
	}
	p := &Plan{properties: map[string]property{}}
	c.plans[n] = p
	c.next(n, func(link *tree.Node, e tree.Edge) {
		below := c.plan(e.To)
		switch e.Keyword {
		case "items":
			p.items = below
			p.prefix = len(link.Below("prefixItems"))
		case "additionalProperties":
			p.others = below
		default:
			declared := property{plan: below}
			if source, _ := c.source(e.To); source != nil && !c.withheld[source] {
				declared.value = source.Value("default")
				declared.text = sync.OnceValue(func() []byte {
					filled, _ := below.fill(declared.value, math.MaxInt)
					text, _ := strictjson.Marshal(filled) // it was read from JSON
					return text
				})
			}
			p.properties[e.Name] = declared
		}
	}, func(tree.Edge) {})
	return p
}

package defaults

import (
	"cmp"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// MaxDefaults caps how many other defaults one default may bring with it.
const MaxDefaults = 10_000

// maxWork bounds the work of checking one document's defaults, counted in
// schemas, keywords and values visited. Most documents need a few visits per
// schema. A hostile one, such as from a server behind a gateway, could need the
// cube of that.
const maxWork = 2_000_000

// A Kind is the reason a default can't be filled in.
type Kind int

// The kinds of faults.
const (
	Misplaced Kind = iota + 1 // no path of properties, items and $ref leads to it
	Endless                   // filling it in requires filling it in again, or too many others
	Refused                   // its own schema refuses it
	Unproved                  // another keyword may refuse the value it is filled into
	Unchecked                 // checking needs more work than maxWork
)

// A Fault is a default that can't be filled in.
type Fault struct {
	Kind   Kind
	Schema *tree.Node // the schema with the default
	By     *tree.Node // the schema with the keyword that leaves it Unproved
	Detail string     // that keyword, the keyword that misplaces it, or why it is refused
}

// A checker finds faults in a document's defaults.
type checker struct {
	document *tree.Document
	refusal  func(n *tree.Node, value any) string
	work     int // what is left of maxWork
	plans    map[*tree.Node]*Plan
	withheld map[*tree.Node]bool // schemas whose default is not filled in

	onPath  map[*tree.Node]*condition // the condition that notices what is filled into the schema, or nil
	offPath map[*tree.Node]bool
	faultOf map[*tree.Node]Fault // by the schema with the default
}

// spend subtracts n from the remaining work and reports whether enough was
// left. If not, the document counts as [Unchecked].
func (c *checker) spend(n int) bool {
	c.work -= n
	return c.work >= 0
}

// follow visits the schemas that paths through n lead to. by is a condition
// that notices what is filled into the values of n, or nil.
func (c *checker) follow(n *tree.Node, by *condition) {
	if known, seen := c.onPath[n]; seen && (by == nil || known != nil) {
		return
	}
	c.onPath[n] = by
	conditions := c.conditions(n)
	c.next(n, func(link *tree.Node, e tree.Edge) {
		source, beside := c.source(e.To)
		isNew := source != nil && e.Keyword == "properties" // items and map values are never absent
		found := by
		for i := 0; found == nil && i < len(conditions) && c.spend(1); i++ {
			if c.notices(conditions[i], link, e.Step, isNew) {
				found = &conditions[i]
			}
		}
		if unproved := cmp.Or(found, beside); isNew && unproved != nil {
			c.faultOf[source] = Fault{Kind: Unproved, Schema: source, By: unproved.schema, Detail: unproved.keyword}
		}
		c.follow(e.To, found)
	}, func(e tree.Edge) { c.leave(e.Keyword, e.To) })
}

// leave notes that a keyword that is not on any path leads to the defaults of n
// and of the schemas below it.
func (c *checker) leave(keyword string, n *tree.Node) {
	if c.offPath[n] {
		return
	}
	c.offPath[n] = true
	if c.faultOf[n].Kind == 0 && hasDefault(n) {
		c.faultOf[n] = Fault{Kind: Misplaced, Schema: n, Detail: keyword}
	}
	for e := range n.Edges() {
		c.leave(keyword, e.To)
	}
}

// faults returns the faults of defaults that aren't withheld. A definition that
// nothing refers to applies to no value, so its defaults aren't misplaced.
func (c *checker) faults() []Fault {
	var faults []Fault
	for _, n := range c.document.All {
		if !hasDefault(n) || c.withheld[n] {
			continue
		}
		f := c.faultOf[n]
		if f.Kind == 0 {
			f = c.try(n)
		}
		if f.Kind != 0 {
			faults = append(faults, f)
		}
	}
	return faults
}

// try fills in the default of a schema and tests the result against the schema.
func (c *checker) try(n *tree.Node) Fault {
	filled, left := c.plan(n).fill(n.Value("default"), MaxDefaults)
	if left == 0 {
		return Fault{Kind: Endless, Schema: n}
	}
	if c.spend(strictjson.Count(filled) * len(tree.InPlace([]*tree.Node{n}, tree.Everything))) {
		if why := c.refusal(n, filled); why != "" {
			return Fault{Kind: Refused, Schema: n, Detail: why}
		}
	}
	return Fault{}
}

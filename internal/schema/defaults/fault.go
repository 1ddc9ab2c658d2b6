package defaults

import (
	"fmt"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// MaxDefaults bounds how many defaults one default may bring with it.
const MaxDefaults = 10_000

// A Kind is the reason why a default cannot be filled in.
type Kind int

// The kinds of faults.
const (
	Misplaced   Kind = iota + 1 // no path of properties, items and $ref leads to it
	Endless                     // filling it in needs it again, or too many others
	Refused                     // its own schema refuses it
	RefusedBy                   // another schema that applies to its member refuses it
	NameRefused                 // a schema refuses the name of its member
	Breaks                      // the object that gets it is accepted without it and refused with it
	Unchecked                   // checking needs more work than maxWork or has more pairs than maxPairs
)

// A Fault is a default that cannot be filled in.
type Fault struct {
	Kind   Kind
	Schema *tree.Node // the schema with the default
	By     *tree.Node // the schema that refuses it, if it is not Schema
	Detail string     // the keyword that misplaces it, or why it is refused

	member *tree.Node // the property that gets a refused default
}

// A checker finds the faults of the defaults of a document.
type checker struct {
	document *tree.Document
	refusal  func(n *tree.Node, value any) string
	pairs    []pair
	work     int // left of maxWork
	planning int // what spendPlans spends; 0 before its first call
	applied  map[*tree.Node]*applied
	links    map[*tree.Node]*link
	plans    planner
	withheld map[*tree.Node]bool
	// memberwise is the result of [isMemberwise].
	memberwise bool

	onPath  map[*tree.Node]bool
	offPath map[*tree.Node]string // the keyword that leaves the path
	samples map[*tree.Node]any    // made up values, see sample
}

func newChecker(document *tree.Document, refusal func(*tree.Node, any) string) *checker {
	return &checker{
		document: document, refusal: refusal, withheld: map[*tree.Node]bool{},
		work: maxWork, applied: map[*tree.Node]*applied{}, links: map[*tree.Node]*link{},
		onPath: map[*tree.Node]bool{}, offPath: map[*tree.Node]string{}, samples: map[*tree.Node]any{},
	}
}

// follow notes the schemas that paths through n lead to.
func (c *checker) follow(n *tree.Node) {
	if c.onPath[n] {
		return
	}
	c.onPath[n] = true
	next(n, func(e tree.Edge) { c.follow(e.To) }, func(e tree.Edge) { c.leave(e.Keyword, e.To) })
}

// leave notes n and the schemas below it as reached by a keyword that no path
// takes.
func (c *checker) leave(keyword string, n *tree.Node) {
	if _, seen := c.offPath[n]; seen {
		return
	}
	c.offPath[n] = keyword
	for e := range n.Edges() {
		c.leave(keyword, e.To)
	}
}

// misplaced reports the defaults of schemas that do not apply by paths alone. A
// definition that nothing refers to applies to no value, so its defaults are
// not reported.
func (c *checker) misplaced() []Fault {
	var faults []Fault
	for _, n := range c.document.All {
		if keyword, off := c.offPath[n]; off && hasDefault(n) {
			faults = append(faults, Fault{Kind: Misplaced, Schema: n, Detail: keyword})
		}
	}
	return faults
}

// endless reports the first default whose own defaults have no end.
func (c *checker) endless() []Fault {
	for _, n := range c.document.All {
		members := c.defaulted(n)
		for _, name := range sortedNames(members) {
			m, budget := members[name], MaxDefaults
			if !c.spendValue(m.value) {
				return nil
			}
			if m.plan.fill(clone(m.value), &budget); budget <= 0 {
				return []Fault{{Kind: Endless, Schema: m.source}}
			}
			c.spend(MaxDefaults - budget)
		}
	}
	return nil
}

// defaulted returns the properties of a schema that have a default.
func (c *checker) defaulted(n *tree.Node) map[string]*property {
	var members map[string]*property
	for name, m := range c.plans.plan(n).properties {
		if m.source == nil {
			continue
		}
		if members == nil {
			members = map[string]*property{}
		}
		members[name] = m
	}
	return members
}

// sortedNames returns the names of properties. It allocates nothing if there
// are none, as in most schemas.
func sortedNames(members map[string]*property) []string {
	if len(members) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(members))
}

// refused reports each default that a schema refuses once it is filled in.
func (c *checker) refused() []Fault {
	var faults []Fault
	seen := map[*tree.Node]bool{}
	report := func(f Fault) {
		if f.Kind != 0 && !seen[f.Schema] {
			seen[f.Schema] = true
			faults = append(faults, f)
		}
	}
	for _, n := range c.document.All {
		if value, ok := n.Get("default"); ok && !c.withheld[n] {
			if why := c.refuses(n, c.filled(n, value)); why != "" {
				report(Fault{Kind: Refused, Schema: n, Detail: why, member: n})
			}
		}
	}
	for _, p := range c.pairs {
		members := c.defaulted(p.filled)
		if !c.spend(1 + len(c.plans.plan(p.filled).properties)) {
			return nil
		}
		for _, name := range sortedNames(members) {
			report(c.refusedMember(p.by, name, members[name]))
		}
	}
	if c.memberwise && len(faults) == 0 {
		return nil
	}
	for _, n := range c.document.All {
		if !c.onPath[n] {
			continue
		}
		if m, why := c.breaking(n, c.defaulted(n)); m != nil {
			report(Fault{Kind: Breaks, Schema: m.source, Detail: why, member: m.schema})
		}
	}
	return faults
}

// refusedMember returns the fault of a default that n refuses in every object,
// or the zero Fault.
func (c *checker) refusedMember(n *tree.Node, name string, m *property) Fault {
	value := c.filled(m.schema, m.value)
	values, names := c.toMember(n, name)
	for _, by := range values {
		if why := c.refuses(by, value); why != "" {
			return Fault{Kind: RefusedBy, Schema: m.source, By: by, Detail: why, member: m.schema}
		}
	}
	for _, by := range names {
		if c.refuses(by, name) != "" {
			return Fault{Kind: NameRefused, Schema: m.source, By: by, member: m.schema}
		}
	}
	return Fault{}
}

// filled returns a value of a schema with its defaults.
func (c *checker) filled(n *tree.Node, value any) any {
	budget := MaxDefaults
	if !c.spendValue(value) {
		return value
	}
	filled, _ := c.plans.plan(n).fill(clone(value), &budget)
	c.spend(MaxDefaults - budget)
	return filled
}

// breaking tries the object of a schema that has no more than the required
// members. If the schema accepts it and refuses it with its defaults, breaking
// returns a default without which it is accepted, and why it is refused.
func (c *checker) breaking(n *tree.Node, defaults map[string]*property) (culprit *property, why string) {
	if len(defaults) == 0 {
		return nil, ""
	}
	given := c.object(n)
	full, _ := c.filled(n, given).(map[string]any)
	if why = c.refuses(n, full); why == "" || c.refuses(n, given) != "" {
		return nil, ""
	}
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		if _, required := given[name]; required {
			continue
		}
		without := maps.Clone(full)
		delete(without, name)
		still := c.refuses(n, without)
		switch {
		case c.isSpent():
			return nil, ""
		case still == "":
			return defaults[name], why
		}
		if culprit == nil {
			culprit = defaults[name]
		}
	}
	return culprit, why
}

// object makes up an object of the required members of a schema.
func (c *checker) object(n *tree.Node) map[string]any {
	object := map[string]any{}
	for _, link := range chain(n) {
		required := link.List("required")
		if !c.spend(1 + len(required)) {
			return object
		}
		for _, name := range required {
			if m := c.plans.plan(n).properties[fmt.Sprint(name)]; m != nil {
				object[fmt.Sprint(name)] = c.sample(m.schema)
			}
		}
	}
	return object
}

// sample makes up a value that a schema accepts, or nil if no simple value
// will do. A schema that requires itself has no sample.
func (c *checker) sample(n *tree.Node) any {
	if known, ok := c.samples[n]; ok {
		return known
	}
	c.samples[n] = nil
	var candidates []any
	for _, link := range chain(n) {
		if value, ok := link.Get("const"); ok {
			candidates = append(candidates, value)
		}
		for _, keyword := range []string{"enum", "examples"} {
			candidates = append(candidates, link.List(keyword)...)
		}
	}
	candidates = append(candidates, "", "a", int64(0), int64(1), false, nil, []any{}, c.object(n))
	accepted := slices.IndexFunc(candidates, func(value any) bool { return c.refuses(n, value) == "" })
	if accepted >= 0 {
		c.samples[n] = candidates[accepted]
	}
	return c.samples[n]
}

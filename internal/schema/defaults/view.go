package defaults

import "math"

// A Plan has the defaults that are filled into the values of one schema. The
// zero Plan has none. Plans can be compared.
type Plan struct{ plan *plan }

// Plan returns the plan of the root.
func (d *Defaults) Plan() Plan { return Plan{d.root} }

// Property returns the default of a property, filled in itself, if it has one.
// Inside is the plan of the property's values.
func (p Plan) Property(name string) (value any, ok bool, inside Plan) {
	if p.plan == nil || p.plan.properties[name] == nil {
		return nil, false, Plan{}
	}
	declared := p.plan.properties[name]
	if declared.source != nil {
		unlimited := math.MaxInt
		value, _ = declared.plan.fill(clone(declared.value), &unlimited)
	}
	return value, declared.source != nil, Plan{declared.plan}
}

// Items returns the plan of the items of an array.
func (p Plan) Items() Plan {
	if p.plan == nil {
		return Plan{}
	}
	return Plan{p.plan.items}
}

// Others returns the plan of the values of a map.
func (p Plan) Others() Plan {
	if p.plan == nil {
		return Plan{}
	}
	return Plan{p.plan.others}
}

// IsEmpty reports whether nothing is filled in, at any depth.
func (p Plan) IsEmpty() bool { return p.plan.isEmpty(map[*plan]bool{}) }

func (p *plan) isEmpty(seen map[*plan]bool) bool {
	if p == nil || seen[p] {
		return true
	}
	seen[p] = true
	for _, declared := range p.properties {
		if declared.source != nil || !declared.plan.isEmpty(seen) {
			return false
		}
	}
	return p.others.isEmpty(seen) && p.items.isEmpty(seen)
}

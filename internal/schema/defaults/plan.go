package defaults

import (
	"bytes"
	"math"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Plan holds the defaults that are filled into the values of one schema. A
// nil Plan has none. Recursive schemas have recursive plans. A Plan is safe for
// concurrent use.
type Plan struct {
	properties map[string]property
	others     *Plan // for the values of a map
	items      *Plan
	prefix     int // number of items before those covered by items
}

// A property of a Plan has a default if text isn't nil.
type property struct {
	plan  *Plan
	value any           // the default
	text  func() []byte // the default with its own defaults filled in
}

// Fill returns value with the defaults of absent properties: of the object
// itself, and of the objects and arrays in it. An absent object without a
// default of its own stays absent. Fill doesn't change value, and the caller
// may change the result. changed reports whether the result has more members
// than value.
func (p *Plan) Fill(value any) (filled any, changed bool) {
	if p == nil {
		return value, false
	}
	filled, left := p.fill(value, math.MaxInt)
	return filled, left < math.MaxInt
}

// fill returns a copy of value with its defaults. Each default takes one from
// left; at zero, none is filled in.
func (p *Plan) fill(value any, left int) (filled any, stillLeft int) {
	switch value := value.(type) {
	case map[string]any:
		members := make(map[string]any, len(value))
		for name, member := range value {
			members[name], left = p.Member(name).fill(member, left)
		}
		if p == nil {
			return members, left
		}
		for name, declared := range p.properties {
			if _, present := value[name]; !present && declared.text != nil && left > 0 {
				members[name], left = declared.plan.fill(declared.value, left-1)
			}
		}
		return members, left
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			items[i], left = p.Item(i).fill(item, left)
		}
		return items, left
	default:
		return value, left
	}
}

// Omit reverses [Plan.Fill]: it returns value without the properties that equal
// their default. A value that lacks them and one that has them then come out
// equal, even if another version of the schema lacks such a property. Omit
// doesn't change value.
func (p *Plan) Omit(value any) (rest any, changed bool) {
	if p == nil {
		return value, false
	}
	switch value := value.(type) {
	case map[string]any:
		members := make(map[string]any, len(value))
		for name, member := range value {
			if text := p.Default(name); text != nil {
				if own, err := strictjson.Marshal(member); err == nil && bytes.Equal(own, text) {
					changed = true
					continue
				}
			}
			kept, shorter := p.Member(name).Omit(member)
			members[name], changed = kept, changed || shorter
		}
		return members, changed
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			kept, shorter := p.Item(i).Omit(item)
			items[i], changed = kept, changed || shorter
		}
		return items, changed
	default:
		return value, false
	}
}

// Default returns the JSON text of a property's default, with its own defaults
// filled in. It is nil if the property has no default.
func (p *Plan) Default(name string) []byte {
	if p == nil || p.properties[name].text == nil {
		return nil
	}
	return p.properties[name].text()
}

// Member returns the plan for a member's values.
func (p *Plan) Member(name string) *Plan {
	if p == nil {
		return nil
	}
	if declared, ok := p.properties[name]; ok {
		return declared.plan
	}
	return p.others
}

// Others returns the plan for the values of a map.
func (p *Plan) Others() *Plan {
	if p == nil {
		return nil
	}
	return p.others
}

// Item returns the plan for an item of an array.
func (p *Plan) Item(index int) *Plan {
	if p == nil || index < p.prefix {
		return nil
	}
	return p.items
}

// IsEmpty reports whether nothing is filled in at any depth.
func (p *Plan) IsEmpty() bool { return p.isEmpty(map[*Plan]bool{}) }

func (p *Plan) isEmpty(seen map[*Plan]bool) bool {
	if p == nil || seen[p] {
		return true
	}
	seen[p] = true
	for _, declared := range p.properties {
		if declared.text != nil || !declared.plan.isEmpty(seen) {
			return false
		}
	}
	return p.others.isEmpty(seen) && p.items.isEmpty(seen)
}

package defaults

import (
	"bytes"
	"math"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Plan has the defaults that are filled into the values of one schema. The
// nil Plan has none. Recursive schemas have recursive plans. A Plan is safe for
// concurrent use.
type Plan struct {
	properties map[string]property
	others     *Plan // of the values of a map
	items      *Plan
	prefix     int // items before those that items is for
}

// A property of a Plan has a default if text is not nil.
type property struct {
	plan  *Plan
	value any           // the default
	text  func() []byte // of the default, filled in itself
}

// Fill returns tree with the defaults of absent properties: of the object
// itself, and of the objects and arrays within it. An absent object without a
// default of its own stays absent. Fill does not change tree, and the caller
// may change the result. changed reports whether it has more members than tree.
func (p *Plan) Fill(tree any) (filled any, changed bool) {
	if p == nil {
		return tree, false
	}
	filled, left := p.fill(tree, math.MaxInt)
	return filled, left < math.MaxInt
}

// fill returns a copy of tree with its defaults. Each takes one from what is
// left, and none is filled in when nothing is left.
func (p *Plan) fill(tree any, left int) (filled any, stillLeft int) {
	switch given := tree.(type) {
	case map[string]any:
		members := make(map[string]any, len(given))
		for name, value := range given {
			members[name], left = p.Member(name).fill(value, left)
		}
		if p == nil {
			return members, left
		}
		for name, declared := range p.properties {
			if _, present := given[name]; !present && declared.text != nil && left > 0 {
				members[name], left = declared.plan.fill(declared.value, left-1)
			}
		}
		return members, left
	case []any:
		items := make([]any, len(given))
		for i, value := range given {
			items[i], left = p.Item(i).fill(value, left)
		}
		return items, left
	default:
		return tree, left
	}
}

// Omit reverses [Plan.Fill]: it returns tree without the properties that equal
// their default. A tree that lacks them and one that has them are equal then,
// also if another version of the schema lacks such a property. Omit does not
// change tree.
func (p *Plan) Omit(tree any) (rest any, changed bool) {
	if p == nil {
		return tree, false
	}
	switch given := tree.(type) {
	case map[string]any:
		members := make(map[string]any, len(given))
		for name, value := range given {
			if text := p.Default(name); text != nil {
				if given, err := strictjson.Marshal(value); err == nil && bytes.Equal(given, text) {
					changed = true
					continue
				}
			}
			kept, shorter := p.Member(name).Omit(value)
			members[name], changed = kept, changed || shorter
		}
		return members, changed
	case []any:
		items := make([]any, len(given))
		for i, value := range given {
			kept, shorter := p.Item(i).Omit(value)
			items[i], changed = kept, changed || shorter
		}
		return items, changed
	default:
		return tree, false
	}
}

// Default returns the JSON text of a property's default, filled in itself. It
// is nil if the property has none.
func (p *Plan) Default(name string) []byte {
	if p == nil || p.properties[name].text == nil {
		return nil
	}
	return p.properties[name].text()
}

// Member returns the plan of a member's values.
func (p *Plan) Member(name string) *Plan {
	if p == nil {
		return nil
	}
	if declared, ok := p.properties[name]; ok {
		return declared.plan
	}
	return p.others
}

// Others returns the plan of the values of a map.
func (p *Plan) Others() *Plan {
	if p == nil {
		return nil
	}
	return p.others
}

// Item returns the plan of an item of an array.
func (p *Plan) Item(index int) *Plan {
	if p == nil || index < p.prefix {
		return nil
	}
	return p.items
}

// IsEmpty reports whether nothing is filled in, at any depth.
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

package oldschema

// maxLeast bounds how deep a least object is made up, and maxSamples how many values are made up for one document.
const (
	maxLeast   = 8
	maxSamples = 20_000
)

// least makes up an object that has the members that are required, and nothing else.
func (t *trial) least(all level, depth int) (map[string]any, bool) {
	object := map[string]any{}
	for _, n := range all {
		required, _ := n.doc["required"].([]any)
		for _, entry := range required {
			name, ok := entry.(string)
			if _, known := object[name]; !ok || known {
				continue
			}
			f := filler{budget: maxDefaults}
			value, ok := f.absent(all, name)
			if !ok {
				value, ok = t.sample(all.member(name), depth-1)
			}
			if !ok {
				return nil, false
			}
			object[name] = value
		}
	}
	return object, true
}

// sample makes up a value that schemas accept, filled in.
func (t *trial) sample(applied []*node, depth int) (any, bool) {
	if t.samples--; t.samples <= 0 {
		return nil, false
	}
	all := whole(applied...)
	for _, candidate := range all.candidates() {
		if value, ok := t.try(applied, candidate); ok {
			return value, true
		}
	}
	if depth <= 0 {
		return nil, false
	}
	object, ok := t.least(all, depth)
	if !ok {
		return nil, false
	}
	return t.try(applied, object)
}

func (t *trial) try(applied []*node, value any) (any, bool) {
	f := filler{budget: maxDefaults}
	filled, _ := f.fill(filling(applied...), clone(value))
	return filled, t.accepted(applied, filled)
}

// candidates are the values that schemas name, and one or two of each type.
func (l level) candidates() []any {
	var named []any
	for _, n := range l {
		if value, ok := n.doc["const"]; ok {
			named = append(named, value)
		}
		for _, keyword := range []string{"enum", "examples"} {
			list, _ := n.doc[keyword].([]any)
			named = append(named, list...)
		}
	}
	return append(named, "", "a", int64(0), int64(1), false, nil, []any{})
}

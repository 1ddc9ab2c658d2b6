package tree

import (
	"bytes"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Missing reports whether the schema refuses every object that has the given
// members and none of the other names. It returns the name of a member that the
// schema demands as well, or "" if the given ones are wrong. It reads which
// members the schema demands and which values it fixes; everything else is left
// to the validator.
func (n *Node) Missing(names []string, given map[string]any) (name string, missing bool) {
	m := membership{names: names, given: given, known: map[*Node]verdict{}}
	return m.missing(n)
}

// A membership is what is known about the members of an object: those of names
// that are not given are absent.
type membership struct {
	names []string
	given map[string]any
	known map[*Node]verdict // of the schemas that were read, because many references may lead to one, and back
}

// A verdict is what Missing returns about one schema.
type verdict struct {
	name    string
	missing bool
}

func (m *membership) missing(n *Node) (name string, missing bool) {
	v, known := m.known[n]
	if !known {
		m.known[n] = verdict{} // a schema that leads back to itself demands nothing more by that
		v.name, v.missing = m.read(n)
		m.known[n] = v
	}
	return v.name, v.missing
}

func (m *membership) read(n *Node) (name string, missing bool) {
	types, isTyped := n.Types()
	switch {
	case n.IsFalse(), isTyped && types&ObjectType == 0:
		return "", true
	case n.Form() != Object:
		return "", false
	}
	if name, missing = m.absent(n.Texts("required")); missing {
		return name, true
	}
	for name, value := range m.given {
		if slices.ContainsFunc(n.Members(name, matching(name)), func(p *Node) bool { return p.excludes(value) }) {
			return "", true
		}
	}
	dependent := n.DependentRequired()
	for _, trigger := range slices.Sorted(maps.Keys(dependent)) {
		if name, missing = m.absent(dependent[trigger]); missing && m.has(trigger) {
			return name, true
		}
	}
	return m.missingInPlace(n)
}

// missingInPlace is missing for the schemas that n applies to the object
// itself.
func (m *membership) missingInPlace(n *Node) (name string, missing bool) {
	for e := range n.Edges() {
		isPart := e.Keyword == "$ref" || e.Keyword == "allOf" || e.Keyword == "dependentSchemas" && m.has(e.Name)
		if !isPart {
			continue
		}
		if name, missing = m.missing(e.To); missing {
			return name, true
		}
	}
	alternatives := [][]*Node{n.Below("anyOf"), n.Below("oneOf")}
	if then := n.Below("then"); n.Has("if") && len(then) > 0 && n.Has("else") {
		alternatives = append(alternatives, append(then, n.Below("else")...))
	}
	for _, branches := range alternatives {
		if name, missing = m.missingInEach(branches); missing {
			return name, true
		}
	}
	return "", false
}

// missingInEach reports whether every branch misses a member.
func (m *membership) missingInEach(branches []*Node) (name string, missing bool) {
	for _, branch := range branches {
		absent, missing := m.missing(branch)
		if !missing {
			return "", false
		}
		if name == "" {
			name = absent
		}
	}
	return name, len(branches) > 0
}

// absent returns the first required member that is known to be absent.
func (m *membership) absent(required []string) (name string, is bool) {
	for _, name := range required {
		if slices.Contains(m.names, name) && !m.has(name) {
			return name, true
		}
	}
	return "", false
}

func (m *membership) has(name string) bool {
	_, given := m.given[name]
	return given
}

func matching(name string) func(pattern string) bool {
	return func(pattern string) bool {
		re, err := Regexp(pattern)
		return err == nil && re.MatchString(name)
	}
}

// excludes reports whether the schema is false, or whether its const or enum
// excludes a value.
func (n *Node) excludes(value any) bool {
	if n.IsFalse() {
		return true
	}
	for _, n := range InPlace([]*Node{n}, func(_ *Node, e Edge) bool { return e.Keyword == "$ref" || e.Keyword == "allOf" }) {
		if fixed, isFixed := n.Get("const"); isFixed && !equal(fixed, value) {
			return true
		}
		choices, isChoice := n.Value("enum").([]any)
		if isChoice && !slices.ContainsFunc(choices, func(choice any) bool { return equal(choice, value) }) {
			return true
		}
	}
	return false
}

// equal compares values as [strictjson.Parse] returns them.
func equal(a, b any) bool {
	left, err := strictjson.Marshal(a)
	right, otherErr := strictjson.Marshal(b)
	return err == nil && otherErr == nil && bytes.Equal(left, right)
}

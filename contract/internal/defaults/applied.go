package defaults

import (
	"regexp"

	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
)

// together returns n and the schemas that apply to each object and array that n
// accepts: those that its $ref and allOf lead to, and the branch of an anyOf or
// oneOf whose other branches are all null.
func together(n *schemadoc.Node) []*schemadoc.Node {
	if n.Ref == nil && !hasBranches(n) {
		return []*schemadoc.Node{n}
	}
	var all []*schemadoc.Node
	seen := map[*schemadoc.Node]bool{}
	var add func(n *schemadoc.Node)
	add = func(n *schemadoc.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		all = append(all, n)
		for _, e := range n.Edges {
			switch e.Keyword {
			case "$ref", "allOf":
				add(e.To)
			case "anyOf", "oneOf":
				if e.To == onlyBranch(n, e.Keyword) {
					add(e.To)
				}
			}
		}
	}
	add(n)
	return all
}

// hasBranches reports whether a schema has an allOf, anyOf or oneOf.
func hasBranches(n *schemadoc.Node) bool {
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if _, ok := n.Keywords[keyword]; ok {
			return true
		}
	}
	return false
}

// onlyBranch returns the branch of an anyOf or oneOf whose other branches are
// all null. Nil: several branches are not null, or none is.
func onlyBranch(n *schemadoc.Node, keyword string) *schemadoc.Node {
	var only *schemadoc.Node
	for _, e := range n.Edges {
		if e.Keyword != keyword || isNull(e.To) {
			continue
		}
		if only != nil {
			return nil
		}
		only = e.To
	}
	return only
}

// isNull reports whether a schema accepts no object and no array, because its
// type is null.
func isNull(n *schemadoc.Node) bool { return n.Keywords["type"] == "null" }

// applied returns the schemas that apply to a member of every object of n that
// has it, whatever other members the object has. names are those that apply to
// the name of the member.
func applied(n *schemadoc.Node, name string) (values, names []*schemadoc.Node) {
	for _, link := range together(n) {
		var additional *schemadoc.Node
		declared := false
		for _, e := range link.Edges {
			switch {
			case e.Keyword == "properties" && e.Name == name, e.Keyword == "patternProperties" && matches(e.Name, name):
				values, declared = append(values, e.To), true
			case e.Keyword == "additionalProperties":
				additional = e.To
			case e.Keyword == "propertyNames":
				names = append(names, e.To)
			}
		}
		if additional != nil && !declared {
			values = append(values, additional)
		}
	}
	return values, names
}

func matches(pattern, name string) bool {
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(name)
}

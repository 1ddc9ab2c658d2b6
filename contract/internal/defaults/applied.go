package defaults

import (
	"regexp"

	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
)

// together returns n and the schemas that apply to every value of n: those that
// its $ref and allOf lead to.
func together(n *schemadoc.Node) []*schemadoc.Node {
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
			if e.Keyword == "$ref" || e.Keyword == "allOf" {
				add(e.To)
			}
		}
	}
	add(n)
	return all
}

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

package tree

import "slices"

// A Follow reports whether [InPlace] continues to a schema that another one
// applies to the same value.
type Follow func(from *Node, e Edge) bool

// Everything follows every keyword that applies in place.
func Everything(_ *Node, e Edge) bool { return AppliesInPlace(e.Keyword) }

// Demanding follows what a value must or may satisfy. A negation or a condition
// demands nothing.
func Demanding(_ *Node, e Edge) bool {
	return AppliesInPlace(e.Keyword) && e.Keyword != "not" && e.Keyword != "if"
}

// Always follows what applies to every value, or to every value except null:
// $ref, allOf, and the branch of an anyOf whose other branches are all null.
func Always(from *Node, e Edge) bool {
	switch e.Keyword {
	case "$ref", "allOf":
		return true
	case "anyOf", "oneOf":
		return from.OnlyBranch(e.Keyword) == e.To
	default:
		return false
	}
}

// fewSchemas is the length up to which a list is searched without a map.
const fewSchemas = 16

// InPlace returns the given schemas and those they apply to the same value
// through edges that follow accepts. Each appears once, in the order it is
// reached. Only a schema that is an [Object] counts.
func InPlace(schemas []*Node, follow Follow) []*Node {
	var applied []*Node
	var seen map[*Node]bool // nil while the list is short
	var add func(n *Node)
	add = func(n *Node) {
		if n.Form() != Object || seen[n] || seen == nil && slices.Contains(applied, n) {
			return
		}
		applied = append(applied, n)
		if len(applied) == fewSchemas {
			seen = make(map[*Node]bool, 2*fewSchemas)
			for _, known := range applied {
				seen[known] = true
			}
		}
		if seen != nil {
			seen[n] = true
		}
		for _, to := range n.below { // not Edges, which would allocate on every tool call
			if !defines(to.step.Keyword) && follow(n, Edge{to.step, to}) {
				add(to)
			}
		}
		if n.Ref != nil && follow(n, Edge{Step{Keyword: "$ref"}, n.Ref}) {
			add(n.Ref)
		}
	}
	for _, n := range schemas {
		add(n)
	}
	return applied
}

// Members returns the schemas that properties, patternProperties and
// additionalProperties apply to the named member. matches reports whether a
// pattern matches its name.
func (n *Node) Members(name string, matches func(pattern string) bool) []*Node {
	var schemas []*Node
	for _, p := range n.Below("patternProperties") {
		if matches(p.step.Name) {
			schemas = append(schemas, p)
		}
	}
	if p := n.Child("properties", name); p != nil {
		schemas = append(schemas, p)
	}
	if rest := n.Child("additionalProperties", ""); rest != nil && len(schemas) == 0 {
		schemas = append(schemas, rest)
	}
	return schemas
}

// Item returns the schema that prefixItems or items applies to the item at an
// index, or nil.
func (n *Node) Item(index int) *Node {
	prefix := n.Below("prefixItems")
	if index < len(prefix) {
		return prefix[index]
	}
	return n.Child("items", "")
}

// OrNull returns what the schema is when it is not null: the first branch of a
// two-branch anyOf whose second branch is {"type": "null"}, as for a Go
// pointer. It returns nil for any other schema.
func (n *Node) OrNull() *Node {
	branches := n.Below("anyOf")
	if len(branches) != 2 || !branches[1].isOnlyNull() {
		return nil
	}
	return branches[0]
}

// isOnlyNull reports whether a schema is {"type": "null"}.
func (n *Node) isOnlyNull() bool {
	written, _ := n.value.(map[string]any)
	return len(written) == 1 && written["type"] == "null"
}

// OnlyBranch returns the one branch of an anyOf or oneOf that isn't of type
// null. It returns nil if several branches have another type, or if none does.
func (n *Node) OnlyBranch(keyword string) *Node {
	var only *Node
	for _, branch := range n.Below(keyword) {
		if branch.Value("type") == "null" {
			continue
		}
		if only != nil {
			return nil
		}
		only = branch
	}
	return only
}

// OnlyAnnotates reports whether the schema demands nothing apart from one
// keyword.
func (n *Node) OnlyAnnotates(but string) bool {
	for name := range n.Keywords() {
		if name != but && !Annotates(name) {
			return false
		}
	}
	return true
}

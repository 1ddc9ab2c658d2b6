package schema

import (
	"fmt"
	"maps"
	"slices"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A branch is one schema of an anyOf or oneOf that the value doesn't match.
type branch struct {
	broken *santhosh.ValidationError
	number int        // counted from 1
	schema *tree.Node // nil if unknown
}

// branchesOf returns the branches of an anyOf or oneOf when all of them failed.
func (c *collector) branchesOf(e *santhosh.ValidationError, keyword string) []branch {
	all := make([]branch, len(e.Causes))
	parent := c.schemaOf(e)
	for i, cause := range e.Causes {
		all[i] = branch{broken: cause, number: i + 1}
		if parent != nil {
			all[i].schema = c.document.At(strictjson.PointerIndex(strictjson.Pointer(parent.Pointer(), keyword), i))
		}
	}
	return all
}

// tags returns the object members that identify the branch: those with a
// constant.
func (b branch) tags() map[string]any {
	tags := map[string]any{}
	seen := map[*tree.Node]bool{}
	for n := b.schema; n != nil && !seen[n]; n = n.Ref {
		seen[n] = true
		for edge := range n.Edges() {
			if edge.Keyword != "properties" {
				continue
			}
			values, _ := edge.To.Value("enum").([]any)
			if value, ok := edge.To.Get("const"); ok {
				values = []any{value}
			}
			if len(values) == 1 {
				tags[edge.Name] = values[0]
			}
		}
	}
	return tags
}

// name describes the branch by its constant, or else by its title. It returns
// "" if it has neither.
func (b branch) name() string {
	tags := b.tags()
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		return fmt.Sprintf("the form with %s %s", display(name), display(tags[name]))
	}
	seen := map[*tree.Node]bool{}
	for n := b.schema; n != nil && !seen[n]; n = n.Ref {
		seen[n] = true
		if title, _ := n.Value("title").(string); title != "" {
			return "the form " + quoteName(title)
		}
	}
	return ""
}

// branches reports a value that matches no branch of an anyOf or oneOf: by the
// branches' types, by the constant that identifies a branch, by the violations
// of the intended branch, or as a whole.
func (c *collector) branches(e *santhosh.ValidationError, keyword string) []finding {
	depth := len(e.InstanceLocation)
	all := c.branchesOf(e, keyword)
	var ofType []branch
	var types []string
	for _, b := range all {
		wanted := wrongType(b.broken, depth)
		if len(wanted) == 0 {
			ofType = append(ofType, b)
		}
		for _, name := range wanted {
			if !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
	}
	if len(ofType) == 0 && len(types) > 0 {
		return []finding{findingAt(e, "type", func() string { return mustBeType(types) })}
	}
	if len(ofType) == 1 {
		return c.collect(ofType[0].broken)
	}
	if untagged, ok := unidentified(e, ofType); ok {
		return []finding{untagged}
	}
	intended := slices.DeleteFunc(slices.Clone(ofType), func(b branch) bool { return wrongConstant(b.broken, depth+1) })
	if len(intended) == 1 {
		return c.branchFindings(intended[0])
	}
	message := fmt.Sprintf("must match one of the %d allowed forms", len(all))
	closest, violations := c.closest(ofType)
	if violations == nil {
		return []finding{findingAt(e, keyword, fixed(message))}
	}
	name := closest.name()
	if name == "" {
		name = fmt.Sprintf("form %d", closest.number)
	}
	return append([]finding{findingAt(e, keyword, fixed(message+"; "+name+" is the closest"))}, violations...)
}

// branchFindings returns the violations of a branch, each naming the branch.
func (c *collector) branchFindings(b branch) []finding {
	findings := c.collect(b.broken)
	for i := range findings {
		if findings[i].form == "" {
			findings[i].form = b.name()
		}
	}
	return findings
}

// unidentified reports a value whose identifying member is absent or has none
// of the branches' constants. ok is false if no single member identifies every
// branch.
func unidentified(e *santhosh.ValidationError, branches []branch) (found finding, ok bool) {
	if len(branches) == 0 {
		return finding{}, false
	}
	for _, name := range slices.Sorted(maps.Keys(branches[0].tags())) {
		var values []any
		absent := false
		for _, b := range branches {
			value, tagged := b.tags()[name]
			missing, wrong := tagFault(b.broken, len(e.InstanceLocation), name)
			if !tagged || !missing && !wrong {
				values = nil
				break
			}
			absent = absent || missing
			values = append(values, value)
		}
		switch {
		case values == nil:
		case absent:
			return findingAtMember(e, name, "required", func() string { return "is required: it " + mustBeOneOf(values) }), true
		default:
			return findingAtMember(e, name, "const", func() string { return mustBeOneOf(values) }), true
		}
	}
	return finding{}, false
}

// tagFault reports whether a branch fails because a member is missing or
// because the member has a different constant.
func tagFault(broken *santhosh.ValidationError, depth int, name string) (missing, wrong bool) {
	switch k := broken.ErrorKind.(type) {
	case *kind.Required:
		return len(broken.InstanceLocation) == depth && slices.Contains(k.Missing, name), false
	case *kind.Const, *kind.Enum:
		return false, len(broken.InstanceLocation) == depth+1 && broken.InstanceLocation[depth] == name
	}
	if !isTransparent(broken) {
		return false, false
	}
	for _, cause := range broken.Causes {
		m, w := tagFault(cause, depth, name)
		missing, wrong = missing || m, wrong || w
	}
	return missing, wrong
}

// closest returns the branch with the fewest violations, and those violations.
// Both are zero if there is no such branch or several are tied.
func (c *collector) closest(among []branch) (closest branch, violations []finding) {
	tied := true
	for _, b := range among {
		findings := c.branchFindings(b)
		switch {
		case violations == nil || len(findings) < len(violations):
			closest, violations, tied = b, findings, false
		case len(findings) == len(violations):
			tied = true
		}
	}
	if tied {
		return branch{}, nil
	}
	return closest, violations
}

// wrongType returns the types a branch requires of the value itself, if the
// value's own type isn't one of them.
func wrongType(broken *santhosh.ValidationError, depth int) []string {
	if k, ok := broken.ErrorKind.(*kind.Type); ok && len(broken.InstanceLocation) == depth {
		return k.Want
	}
	if !isTransparent(broken) {
		return nil
	}
	for _, cause := range broken.Causes {
		if wanted := wrongType(cause, depth); wanted != nil {
			return wanted
		}
	}
	return nil
}

// wrongConstant reports whether a branch requires a constant, down to depth,
// that the value doesn't have.
func wrongConstant(broken *santhosh.ValidationError, depth int) bool {
	switch broken.ErrorKind.(type) {
	case *kind.Const, *kind.Enum:
		return len(broken.InstanceLocation) <= depth
	}
	return isTransparent(broken) && slices.ContainsFunc(broken.Causes, func(cause *santhosh.ValidationError) bool {
		return wrongConstant(cause, depth)
	})
}

// isTransparent reports whether an error means that all of its causes apply.
func isTransparent(e *santhosh.ValidationError) bool {
	switch e.ErrorKind.(type) {
	case *kind.Group, *kind.AllOf, *kind.Reference:
		return true
	default:
		return false
	}
}

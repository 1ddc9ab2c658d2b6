package schema

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
)

// A collector flattens the validator's tree of errors. document may be nil.
type collector struct {
	document *schemadoc.Document
}

func (c *collector) collect(e *jsonschema.ValidationError) []finding {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		return c.collectAll(e.Causes)
	case *kind.AnyOf:
		return c.branches(e, "anyOf")
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return c.branches(e, "oneOf")
		}
		return []finding{at(e, "oneOf", fixed("must match one of the allowed forms, and matches more than one"))}
	case *kind.Required:
		return atMembers(e, k.Missing, "required", fixed("is required"))
	case *kind.DependentRequired:
		return atMembers(e, k.Missing, "dependentRequired", fixed("is required together with "+quoteName(k.Prop)))
	case *kind.AdditionalProperties:
		return c.unknownProperties(e, k.Properties)
	case *kind.PropertyNames:
		return []finding{atMember(e, k.Property, "propertyNames", func() string { return wrongName(c.collectAll(e.Causes)) })}
	case *kind.FalseSchema:
		return []finding{forbidden(e)}
	default:
		keyword, message := describe(e.ErrorKind)
		return []finding{at(e, keyword, message)}
	}
}

func (c *collector) collectAll(causes []*jsonschema.ValidationError) []finding {
	var findings []finding
	for _, cause := range causes {
		findings = append(findings, c.collect(cause)...)
	}
	return findings
}

// branches reports a value that matches no branch of an anyOf or oneOf: by the
// types of the branches, by the violations of the intended one, or as a whole.
func (c *collector) branches(e *jsonschema.ValidationError, keyword string) []finding {
	var ofType []*jsonschema.ValidationError
	var types []string
	for _, branch := range e.Causes {
		wanted := wrongType(branch, len(e.InstanceLocation))
		if len(wanted) == 0 {
			ofType = append(ofType, branch)
		}
		for _, name := range wanted {
			if !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
	}
	if len(ofType) == 0 && len(types) > 0 {
		return []finding{at(e, "type", func() string { return mustBeType(types) })}
	}
	if len(ofType) == 1 {
		return c.collect(ofType[0])
	}
	intended := slices.DeleteFunc(slices.Clone(ofType), func(branch *jsonschema.ValidationError) bool {
		return wrongConstant(branch, len(e.InstanceLocation)+1)
	})
	if len(intended) == 1 {
		return c.collect(intended[0])
	}
	message := fmt.Sprintf("must match one of the %d allowed forms", len(e.Causes))
	number, closest := c.closest(e, ofType)
	if closest == nil {
		return []finding{at(e, keyword, fixed(message))}
	}
	return append([]finding{at(e, keyword, fixed(fmt.Sprintf("%s; form %d is the closest", message, number)))}, closest...)
}

// closest returns the number and the violations of the branch that has the
// fewest, among some. It returns nil if there is no such branch, or more than
// one.
func (c *collector) closest(e *jsonschema.ValidationError, among []*jsonschema.ValidationError) (number int, violations []finding) {
	tied := true
	for i, branch := range e.Causes {
		if !slices.Contains(among, branch) {
			continue
		}
		found := c.collect(branch)
		switch {
		case violations == nil || len(found) < len(violations):
			number, violations, tied = i+1, found, false
		case len(found) == len(violations):
			tied = true
		}
	}
	if tied {
		return 0, nil
	}
	return number, violations
}

// wrongType returns the types that a branch requires of the value itself, if
// the value has another.
func wrongType(branch *jsonschema.ValidationError, depth int) []string {
	if k, ok := branch.ErrorKind.(*kind.Type); ok && len(branch.InstanceLocation) == depth {
		return k.Want
	}
	if !isTransparent(branch) {
		return nil
	}
	for _, cause := range branch.Causes {
		if wanted := wrongType(cause, depth); wanted != nil {
			return wanted
		}
	}
	return nil
}

// wrongConstant reports whether a branch requires, down to depth, a constant
// that the value does not have.
func wrongConstant(branch *jsonschema.ValidationError, depth int) bool {
	switch branch.ErrorKind.(type) {
	case *kind.Const, *kind.Enum:
		return len(branch.InstanceLocation) <= depth
	}
	return isTransparent(branch) && slices.ContainsFunc(branch.Causes, func(cause *jsonschema.ValidationError) bool {
		return wrongConstant(cause, depth)
	})
}

// isTransparent reports whether an error means that all of its causes hold.
func isTransparent(e *jsonschema.ValidationError) bool {
	switch e.ErrorKind.(type) {
	case *kind.Group, *kind.AllOf, *kind.Reference:
		return true
	default:
		return false
	}
}

func (c *collector) unknownProperties(e *jsonschema.ValidationError, names []string) []finding {
	findings := make([]finding, 0, len(names))
	for _, name := range names {
		findings = append(findings, atMember(e, name, "additionalProperties", func() string { return unknownProperty(name, c.known(e)) }))
	}
	return findings
}

// known returns the properties, sorted, of the object schema that an error
// comes from.
func (c *collector) known(e *jsonschema.ValidationError) []string {
	_, fragment, _ := strings.Cut(e.SchemaURL, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil || c.document == nil {
		return nil
	}
	n := c.document.At(pointer)
	if n == nil {
		return nil
	}
	properties, _ := n.Keywords["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}

// forbidden reports a value whose schema is false. The keyword of that schema
// is the reason.
func forbidden(e *jsonschema.ValidationError) finding {
	switch keyword := e.SchemaURL[strings.LastIndexByte(e.SchemaURL, '/')+1:]; keyword {
	case "unevaluatedProperties":
		return at(e, keyword, fixed("is not a known property"))
	case "items", "unevaluatedItems":
		return at(e, keyword, fixed("is one item too many"))
	default:
		return at(e, "false", fixed("is not allowed"))
	}
}

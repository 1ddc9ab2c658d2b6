package oldschema

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A collector flattens the validator's errors. schemas is the document, or nil for one that is not known.
type collector struct {
	schemas *graph
}

func (c *collector) collect(e *jsonschema.ValidationError) []finding {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		return c.collectAll(e.Causes)
	case *kind.AnyOf:
		return c.collectForms(e, "anyOf")
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return c.collectForms(e, "oneOf")
		}
		return c.one(e, "oneOf", "must match one of the allowed forms, and matches more than one")
	case *kind.Required:
		return c.missing(e, k.Missing, "required", "is required")
	case *kind.DependentRequired:
		return c.missing(e, k.Missing, "dependentRequired", "is required together with "+quoteName(k.Prop))
	case *kind.AdditionalProperties:
		return c.unknownProperties(e, k.Properties)
	case *kind.PropertyNames:
		return c.propertyName(e, k.Property)
	case *kind.FalseSchema:
		return c.forbidden(e)
	default:
		rule, message := describe(e.ErrorKind)
		return []finding{at(e, "schema."+rule, message)}
	}
}

func (c *collector) collectAll(causes []*jsonschema.ValidationError) []finding {
	var findings []finding
	for _, cause := range causes {
		findings = append(findings, c.collect(cause)...)
	}
	return findings
}

// collectForms reports a value that matches none of the forms of an anyOf or oneOf.
func (c *collector) collectForms(e *jsonschema.ValidationError, keyword string) []finding {
	forms, types := e.Causes, []string(nil)
	forms = slices.DeleteFunc(slices.Clone(forms), func(form *jsonschema.ValidationError) bool {
		wanted := wrongType(form, len(e.InstanceLocation))
		for _, name := range wanted {
			if !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
		return len(wanted) > 0
	})
	if len(forms) == 0 && len(types) > 0 {
		return []finding{at(e, "schema.type", func() string { return mustBeType(types) })}
	}
	if len(forms) > 1 {
		meant := slices.DeleteFunc(slices.Clone(forms), func(form *jsonschema.ValidationError) bool {
			return wrongConstant(form, len(e.InstanceLocation)+1)
		})
		if len(meant) == 1 {
			forms = meant
		}
	}
	if len(forms) == 1 {
		return c.collect(forms[0])
	}
	return c.one(e, keyword, fmt.Sprintf("must match one of the %d allowed forms", len(e.Causes)))
}

// wrongType returns the types that a form demands of the value itself, where the value has another.
func wrongType(form *jsonschema.ValidationError, depth int) []string {
	if k, ok := form.ErrorKind.(*kind.Type); ok {
		if len(form.InstanceLocation) == depth {
			return k.Want
		}
		return nil
	}
	if !transparent(form) {
		return nil
	}
	for _, cause := range form.Causes {
		if wanted := wrongType(cause, depth); wanted != nil {
			return wanted
		}
	}
	return nil
}

// wrongConstant reports whether a form demands, down to depth, a constant that the value does not have.
func wrongConstant(form *jsonschema.ValidationError, depth int) bool {
	switch form.ErrorKind.(type) {
	case *kind.Const, *kind.Enum:
		return len(form.InstanceLocation) <= depth
	}
	return transparent(form) && slices.ContainsFunc(form.Causes, func(cause *jsonschema.ValidationError) bool {
		return wrongConstant(cause, depth)
	})
}

// transparent reports whether an error is that its causes hold, all of them.
func transparent(e *jsonschema.ValidationError) bool {
	switch e.ErrorKind.(type) {
	case *kind.Group, *kind.AllOf, *kind.Reference:
		return true
	default:
		return false
	}
}

func (c *collector) one(e *jsonschema.ValidationError, keyword, message string) []finding {
	return []finding{at(e, "schema."+keyword, fixed(message))}
}

// missing points to where the members should be.
func (c *collector) missing(e *jsonschema.ValidationError, names []string, keyword, message string) []finding {
	findings := make([]finding, 0, len(names))
	for _, name := range names {
		findings = append(findings, atMember(e, name, "schema."+keyword, fixed(message)))
	}
	return findings
}

func (c *collector) unknownProperties(e *jsonschema.ValidationError, names []string) []finding {
	findings := make([]finding, 0, len(names))
	for _, name := range names {
		findings = append(findings, atMember(e, name, "schema.additionalProperties", func() string {
			return unknownProperty(name, c.known(e))
		}))
	}
	return findings
}

// known returns the properties of the object schema that an error comes from.
func (c *collector) known(e *jsonschema.ValidationError) []string {
	n := c.schemaOf(e)
	if n == nil {
		return nil
	}
	return n.properties()
}

func (c *collector) schemaOf(e *jsonschema.ValidationError) *node {
	_, fragment, _ := strings.Cut(e.SchemaURL, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil || c.schemas == nil {
		return nil
	}
	return c.schemas.nodes[pointer]
}

func (c *collector) propertyName(e *jsonschema.ValidationError, name string) []finding {
	return []finding{atMember(e, name, "schema.propertyNames", func() string {
		for _, cause := range c.collectAll(e.Causes) {
			return "has a name that is not allowed: it " + cause.message()
		}
		return "has a name that is not allowed"
	})}
}

// forbidden reports a value where the schema is false; the keyword above it says why.
func (c *collector) forbidden(e *jsonschema.ValidationError) []finding {
	switch keyword := e.SchemaURL[strings.LastIndexByte(e.SchemaURL, '/')+1:]; keyword {
	case "unevaluatedProperties":
		return c.one(e, keyword, "is not a known property")
	case "items", "unevaluatedItems":
		return c.one(e, keyword, "is one item too many")
	default:
		return c.one(e, "false", "is not allowed")
	}
}

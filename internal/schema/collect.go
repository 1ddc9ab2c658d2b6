package schema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// A collector flattens the validator's tree of errors. document may be nil.
type collector struct {
	document *tree.Document
}

func (c *collector) collect(e *santhosh.ValidationError) []finding {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		return c.collectAll(e.Causes)
	case *kind.AnyOf:
		return c.branches(e, "anyOf")
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return c.branches(e, "oneOf")
		}
		return []finding{findingAt(e, "oneOf", fixed("must match one of the allowed forms, and matches more than one"))}
	case *kind.Required:
		return atMembers(e, k.Missing, "required", fixed("is required"))
	case *kind.DependentRequired:
		return atMembers(e, k.Missing, "dependentRequired", fixed("is required together with "+quoteName(k.Prop)))
	case *kind.AdditionalProperties:
		return c.unknownProperties(e, k.Properties)
	case *kind.PropertyNames:
		return []finding{findingAtMember(e, k.Property, "propertyNames", func() string { return wrongName(c.collectAll(e.Causes)) })}
	case *kind.FalseSchema:
		return []finding{forbidden(e)}
	default:
		keyword, message := describe(e.ErrorKind)
		if (keyword == "minProperties" || keyword == "maxProperties") && c.isChoice(e) {
			message = func() string { return mustHaveOneOf(c.knownProperties(e)) }
		}
		return []finding{findingAt(e, keyword, message)}
	}
}

func (c *collector) collectAll(causes []*santhosh.ValidationError) []finding {
	var findings []finding
	for _, cause := range causes {
		findings = append(findings, c.collect(cause)...)
	}
	return findings
}

func (c *collector) unknownProperties(e *santhosh.ValidationError, names []string) []finding {
	findings := make([]finding, 0, len(names))
	for _, name := range names {
		findings = append(findings, findingAtMember(e, name, "additionalProperties", func() string {
			return unknownProperty(name,
				c.knownProperties(e))
		}))
	}
	return findings
}

// knownProperties returns the properties, sorted, of the object schema an error comes
// from.
func (c *collector) knownProperties(e *santhosh.ValidationError) []string {
	n := c.schemaOf(e)
	if n == nil {
		return nil
	}
	properties, _ := n.Value("properties").(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}

// schemaOf returns the schema an error comes from, or nil.
func (c *collector) schemaOf(e *santhosh.ValidationError) *tree.Node {
	if c.document == nil {
		return nil
	}
	if text, ok := strings.CutPrefix(e.SchemaURL, indexURL); ok {
		index, err := strconv.Atoi(text)
		if err != nil {
			return nil
		}
		return c.document.All[index]
	}
	_, fragment, _ := strings.Cut(e.SchemaURL, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	return c.document.At(pointer)
}

// isChoice reports whether an error comes from an object that must have exactly
// one of its known members.
func (c *collector) isChoice(e *santhosh.ValidationError) bool {
	n := c.schemaOf(e)
	one := int64(1)
	return n != nil && n.Value("minProperties") == one && n.Value("maxProperties") == one && n.Value("additionalProperties") == false
}

// forbidden reports a value whose schema is false. The reason is the keyword
// that holds that schema.
func forbidden(e *santhosh.ValidationError) finding {
	switch keyword := e.SchemaURL[strings.LastIndexByte(e.SchemaURL, '/')+1:]; keyword {
	case "unevaluatedProperties":
		return findingAt(e, keyword, fixed("is not a known property"))
	case "items", "unevaluatedItems":
		return findingAt(e, keyword, fixed("is one item too many"))
	default:
		return findingAt(e, "false", fixed("is not allowed"))
	}
}

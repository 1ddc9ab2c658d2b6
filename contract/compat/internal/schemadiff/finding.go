package schemadiff

import "fmt"

// A Finding is one difference between two schemas.
type Finding struct {
	// Pointer leads to the keyword or subschema in the new document, or in the old one where it is gone, with references
	// followed as if what they lead to were written there.
	Pointer string
	Kind    Kind
	Effect  Effect
	// From and To are trees as strictjson.Parse makes them; nil is nothing.
	From, To any
	// Reason says why the effect is [Unknown].
	Reason string
}

// An Effect says what a difference does to the set of values that a schema accepts.
type Effect int

// The effects. What became narrower in one way and wider in another is two findings.
const (
	Undeclared Effect = iota // none of the others; no finding has it
	Narrowed                 // some values may not be accepted any more
	Widened                  // some values may be accepted that were not
	Unknown                  // either may be
	Reworded                 // the same values are accepted
)

// String returns the effect in lower-case letters.
func (e Effect) String() string {
	switch e {
	case Undeclared:
		return "undeclared"
	case Narrowed:
		return "narrowed"
	case Widened:
		return "widened"
	case Unknown:
		return "unknown"
	case Reworded:
		return "reworded"
	default:
		return fmt.Sprintf("effect(%d)", int(e))
	}
}

// A Kind groups the keywords that say one thing about a value.
type Kind string

// The kinds.
const (
	Type         Kind = "type"         // type
	Values       Kind = "values"       // enum, const
	Range        Kind = "range"        // minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf
	Length       Kind = "length"       // minLength and the others that count: of a text, an array, an object
	Pattern      Kind = "pattern"      // pattern
	Format       Kind = "format"       // format, contentEncoding, contentMediaType, contentSchema
	Required     Kind = "required"     // required, dependentRequired
	Property     Kind = "property"     // properties, patternProperties, propertyNames
	Additional   Kind = "additional"   // additionalProperties
	Items        Kind = "items"        // items, prefixItems, contains, uniqueItems
	Alternatives Kind = "alternatives" // anyOf, oneOf
	Condition    Kind = "condition"    // allOf, not, if, dependentSchemas
	Default      Kind = "default"      // default where Fill takes it; its effect is Reworded, or Unknown if what it brings may be refused
	Text         Kind = "text"         // annotations; their effect is Reworded
	Exposed      Kind = "exposed"      // a protection that went; its effect is Reworded
	Protected    Kind = "protected"    // a protection that came; its effect is Reworded
	Other        Kind = "other"        // what cannot be compared; its effect is Unknown
)

// Kinds returns the kinds that can be narrowed and widened, in a slice that belongs to the caller.
func Kinds() []Kind {
	return []Kind{Type, Values, Range, Length, Pattern, Format, Required, Property, Additional, Items, Alternatives, Condition}
}

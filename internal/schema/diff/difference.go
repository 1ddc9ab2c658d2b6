package diff

// A Difference is one difference between two schemas.
type Difference struct {
	// Pointer leads to the keyword or subschema in the new document, or in the
	// old one if it is gone. It follows references as if their targets were
	// written in their places.
	Pointer string
	Kind    Kind
	Effect  Effect
	// From and To are trees as strictjson.Parse returns them. Nil: there is
	// nothing.
	From, To any
	// Reason is why the effect is Unknown. It is empty for other effects.
	Reason string
}

// An Effect is the effect of a difference on the set of accepted values.
type Effect string

// The effects. A schema that became narrower in one way and wider in another
// has two findings.
const (
	Narrowed Effect = "narrowed" // some values may not be accepted any more
	Reworded Effect = "reworded" // the same values are accepted
	Unknown  Effect = "unknown"  // either may be
	Widened  Effect = "widened"  // some values may be accepted that were not
)

// A Kind is a group of keywords.
type Kind string

// The kinds.
const (
	Type         Kind = "type"         // type
	Values       Kind = "values"       // enum, const
	Range        Kind = "range"        // minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, bounds of durations
	Length       Kind = "length"       // minLength and the other bounds on a length or a number
	Pattern      Kind = "pattern"      // pattern
	Format       Kind = "format"       // format, contentEncoding, contentMediaType, contentSchema
	Required     Kind = "required"     // required, dependentRequired
	Property     Kind = "property"     // properties, patternProperties, propertyNames
	Additional   Kind = "additional"   // additionalProperties
	Items        Kind = "items"        // items, prefixItems, contains, uniqueItems
	Alternatives Kind = "alternatives" // anyOf, oneOf
	Condition    Kind = "condition"    // allOf, not, if, dependentSchemas
	Default      Kind = "default"      // defaults that are filled in; Reworded, or Unknown if there are too many
	Text         Kind = "text"         // annotations; Reworded
	Exposed      Kind = "exposed"      // a protection that is gone; Reworded
	Protected    Kind = "protected"    // a new protection; Reworded
	Other        Kind = "other"        // anything that cannot be compared; Unknown
)

// Kinds returns the kinds that can be narrowed and widened. The slice belongs
// to the caller.
func Kinds() []Kind {
	return []Kind{Type, Values, Range, Length, Pattern, Format, Required, Property, Additional, Items, Alternatives, Condition}
}

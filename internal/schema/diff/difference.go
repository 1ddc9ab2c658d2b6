package diff

// A Difference is one difference between two schemas.
type Difference struct {
	// Pointer leads to the keyword or subschema in the new document, or in the
	// old one if it was removed. It passes through references as if their
	// targets were written in place.
	Pointer string
	Kind    Kind
	Effect  Effect
	// From and To are values as strictjson.Parse returns them, or nil if there
	// is nothing on that side.
	From, To any
	// Reason says why the effect is Unknown. It is empty for other effects.
	Reason string
}

// An Effect is what a difference does to the set of accepted values.
type Effect string

// The effects. A schema that became narrower in one way and wider in another
// has two findings.
const (
	Narrowed Effect = "narrowed" // some values may no longer be accepted
	Reworded Effect = "reworded" // the same values are accepted
	Unknown  Effect = "unknown"  // any of the others is possible
	Widened  Effect = "widened"  // some values may be accepted that were refused before
)

// A Kind is a group of keywords.
type Kind string

// The kinds.
const (
	Type         Kind = "type"         // type
	Values       Kind = "values"       // enum, const
	Range        Kind = "range"        // minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, duration bounds
	Length       Kind = "length"       // minLength and other bounds on a length or a count
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
	Exposed      Kind = "exposed"      // a removed protection; Reworded
	Protected    Kind = "protected"    // a new protection; Reworded
	Other        Kind = "other"        // anything that can't be compared; Unknown
)

// Kinds returns the kinds that can be narrowed or widened. The slice belongs to
// the caller.
func Kinds() []Kind {
	return []Kind{Type, Values, Range, Length, Pattern, Format, Required, Property, Additional, Items, Alternatives, Condition}
}

package derive

// The rules for mistakes in types and tags. Mistakes in the derived schema have
// the rules of package schema.
const (
	RuleType          = "schema.type"            // a Go type that has no JSON Schema
	RuleField         = "schema.field"           // a json tag or an embedding that hides or loses a field
	RuleMarshaler     = "schema.marshaler"       // a type that writes its own JSON without describing it
	RuleTypeSchema    = "schema.typeSchema"      // a type that doesn't fit the schema declared for it
	RuleOneOf         = "schema.oneOf"           // a choice that isn't one of optional pointers
	RuleOutputPointer = "schema.output.pointer"  // an output pointer that would be written as null
	RuleTagUnknown    = "schema.tag.unknown"     // an unknown keyword
	RuleTagRefused    = "schema.tag.unsupported" // a keyword of the invopop/jsonschema package that is not supported
	RuleTagValue      = "schema.tag.value"       // a keyword whose value is missing or of the wrong type
	RuleTagApplies    = "schema.tag.applies"     // a keyword that does not apply to the type of the field
	RuleTagComma      = "schema.tag.comma"       // a comma that cuts a value
	RuleTagDuplicate  = "schema.tag.duplicate"   // a repeated keyword
)

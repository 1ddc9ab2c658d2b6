package oldschema

// A Problem is one mistake in an author's type, struct tag or schema.
type Problem struct {
	Rule    string // one of the rules below
	Field   string // a Go path such as SendInput.To or, where no type is involved, a JSON Pointer into the schema
	Message string // what is wrong; may quote what the author wrote
	Remedy  string // what to do about it
}

// The rules of problems.
const (
	RuleType          = "schema.type"            // a Go type that has no JSON Schema
	RuleRoot          = "schema.root"            // a root that is not an object
	RuleField         = "schema.field"           // a json tag or an embedding that hides or loses a field
	RuleMarshaler     = "schema.marshaler"       // a type that writes its own JSON and does not say what
	RuleOutputPointer = "schema.output.pointer"  // an output pointer that would be written as null
	RuleTagUnknown    = "schema.tag.unknown"     // a keyword that does not exist
	RuleTagRefused    = "schema.tag.unsupported" // a keyword that the reflector knows and that cannot be kept
	RuleTagValue      = "schema.tag.value"       // a keyword whose value is missing or of the wrong type
	RuleTagApplies    = "schema.tag.applies"     // a keyword that says nothing about this field's type
	RuleTagComma      = "schema.tag.comma"       // a comma that cuts a value
	RuleTagDuplicate  = "schema.tag.duplicate"   // a keyword given twice
	RuleDefault       = "schema.default"         // a default that would be refused, differs from another, or can never apply
	RuleExample       = "schema.example"         // an example that its own schema refuses
	RuleEnum          = "schema.enum"            // an enum value that the rest of its schema refuses
	RuleCompile       = "schema.compile"         // not a JSON Schema
	RuleUnknown       = "schema.unknown"         // a keyword of a schema that does not exist
	RuleDialect       = "schema.dialect"         // a schema of another draft than 2020-12
	RuleRef           = "schema.ref"             // a reference that leads out of the document or to nothing
	RulePattern       = "schema.pattern"         // a regular expression that is not RE2
	RuleFormat        = "schema.format"          // a format or content encoding that nothing checks
	RuleProperty      = "schema.property"        // a root that the library cannot add its own properties to
	RuleRecursion     = "schema.recursion"       // a schema whose checking has no useful bound
)

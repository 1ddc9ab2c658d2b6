package schema

// A Problem is one mistake in a schema, or in the type or struct tags it is
// derived from.
type Problem struct {
	Rule    string // such as "schema.compile"
	Field   string // a Go path such as SendInput.To or, without a type, a JSON Pointer into the schema, which may not be printable
	Message string // what is wrong; may quote the author
	Remedy  string // what to do
}

// The rules for problems in a schema.
const (
	RuleRoot        = "schema.root"         // a root that is not an object
	RuleDefault     = "schema.default"      // a default that is refused, or can't be proved to fit
	RuleDefaultPath = "schema.default.path" // a default that is not filled in at its position
	RuleExample     = "schema.example"      // an example that its schema refuses
	RuleEnum        = "schema.enum"         // an enum value that its schema refuses
	RuleCompile     = "schema.compile"      // not a JSON Schema
	RuleUnknown     = "schema.unknown"      // an unknown keyword
	RuleDialect     = "schema.dialect"      // a schema of a draft other than 2020-12
	RuleRef         = "schema.ref"          // a reference that leads out of the document or to nothing
	RulePattern     = "schema.pattern"      // a regular expression that is not RE2
	RuleFormat      = "schema.format"       // a format or content encoding that nothing checks
	RuleProperty    = "schema.property"     // a root the library can't add properties to
	RuleText        = "text.form"           // a text or a name with hidden characters
	RuleRecursion   = "schema.recursion"    // a schema whose validation has no useful bound
)

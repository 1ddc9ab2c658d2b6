package schema

// A Problem is one mistake in a schema, or in the type or the struct tags that
// it is derived from.
type Problem struct {
	Rule    string // one of the rules below
	Field   string // a Go path such as SendInput.To or, where no type is involved, a JSON Pointer into the schema
	Message string // what is wrong; may quote what the author wrote
	Remedy  string // what to do about it
}

// The rules of problems.
const (
	RuleRoot        = "schema.root"         // a root that is not an object
	RuleDefault     = "schema.default"      // a default that would be refused, differs from another, or can never apply
	RuleDefaultPath = "schema.default.path" // a default that is not filled in where it stands
	RuleExample     = "schema.example"      // an example that its own schema refuses
	RuleEnum        = "schema.enum"         // an enum value that the rest of its schema refuses
	RuleCompile     = "schema.compile"      // not a JSON Schema
	RuleUnknown     = "schema.unknown"      // a keyword of a schema that does not exist
	RuleDialect     = "schema.dialect"      // a schema of another draft than 2020-12
	RuleRef         = "schema.ref"          // a reference that leads out of the document or to nothing
	RulePattern     = "schema.pattern"      // a regular expression that is not RE2
	RuleFormat      = "schema.format"       // a format or content encoding that nothing checks
	RuleProperty    = "schema.property"     // a root that the library cannot add its own properties to
	RuleRecursion   = "schema.recursion"    // a schema whose checking has no useful bound
)

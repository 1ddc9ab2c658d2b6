package definition

import "github.com/toolcontract/toolcontract/internal/declare"

// The rules of an [Error]. Mistakes in the JSON itself have rules that begin
// with "json.", and mistakes in the schema of a return value have rules that
// begin with "schema.".
const (
	ruleType          = "definition.type"          // a value of another JSON type than its member has
	ruleMember        = "definition.member"        // a member that a definition does not have
	ruleMissing       = "definition.missing"       // a member that must be given, or a list that must not be empty
	ruleID            = "definition.id"            // an ID that cannot begin a tool's name
	ruleVersion       = "definition.version"       // a version that is not SemVer 2.0.0
	ruleCapability    = "definition.capability"    // a capability's name that cannot end a tool's name
	ruleParameter     = "definition.parameter"     // a parameter's name of more than 128 bytes
	ruleParameterType = "definition.parameterType" // a type that is none of the six
	ruleSecurityLevel = "definition.securityLevel" // a security level that is not an integer from 0 to 10
	ruleDuplicate     = "definition.duplicate"     // an ID, or the name of a capability or a parameter, that stands twice
	ruleText          = "definition.text"          // a text that is blank, or that hides or reorders something
	ruleMetadata      = "definition.metadata"      // metadata that cannot be written as JSON of one meaning
)

// An Error is one mistake in a definition. It holds no value of the definition
// except a well-formed ID.
type Error struct {
	// ID is the definition's ID. It is empty if there is no well-formed one.
	ID string
	// Rule is a stable identifier, such as "definition.missing".
	Rule string
	// Where is an RFC 6901 JSON Pointer into the definition. Empty: the whole
	// definition.
	Where string
	// Message says what is wrong.
	Message string
	// Remedy says how to fix it. It may be empty.
	Remedy string
}

// Error returns "definition ID: [RULE] WHERE: MESSAGE; REMEDY" without
// the empty parts.
func (e *Error) Error() string {
	text := "definition"
	if e.ID != "" {
		text += " " + e.ID
	}
	return text + ": " + declare.MistakeText(e.Rule, e.Where, e.Message, e.Remedy)
}

// Errors returns every [Error] in the tree of err, in order. It returns nil for
// a nil err.
func Errors(err error) []*Error { return declare.Mistakes[*Error](err) }

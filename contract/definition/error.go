package definition

import "errors"

// ErrInvalid matches, with [errors.Is], every [Error].
var ErrInvalid = errors.New("contract: definition")

// The rules of an [Error]. Mistakes in the JSON itself have rules that begin
// with "json.", and mistakes in the schema of a return value have rules that
// begin with "schema.".
const (
	RuleType          = "definition.type"          // a value of another JSON type than its member has
	RuleMember        = "definition.member"        // a member that a definition does not have
	RuleMissing       = "definition.missing"       // a member that must be given, or a list that must not be empty
	RuleID            = "definition.id"            // an ID that cannot begin a tool's name
	RuleVersion       = "definition.version"       // a version that is not SemVer 2.0.0
	RuleCapability    = "definition.capability"    // a capability's name that cannot end a tool's name
	RuleParameter     = "definition.parameter"     // a parameter's name of more than 128 bytes
	RuleParameterType = "definition.parameterType" // a type that is none of the six
	RuleSecurityLevel = "definition.securityLevel" // a security level that is not an integer from 0 to 10
	RuleDuplicate     = "definition.duplicate"     // an ID, or the name of a capability or a parameter, that stands twice
	RuleText          = "definition.text"          // a text that is blank, or that hides or reorders something
	RuleMetadata      = "definition.metadata"      // metadata that cannot be written as JSON of one meaning
)

// An Error is one mistake in a definition. It holds no value of the definition
// except a well-formed ID.
type Error struct {
	// ID is the definition's ID. It is empty if there is no well-formed one.
	ID string
	// Rule is a stable identifier, such as [RuleMissing].
	Rule string
	// Pointer is an RFC 6901 JSON Pointer into the definition. Empty: the whole
	// definition.
	Pointer string
	// Message says what is wrong.
	Message string
}

// Error returns "contract: definition ID: [RULE] POINTER: MESSAGE" without the
// empty parts.
func (e *Error) Error() string {
	text := "contract: definition"
	if e.ID != "" {
		text += " " + e.ID
	}
	text += ": [" + e.Rule + "]"
	if e.Pointer != "" {
		text += " " + e.Pointer
	}
	return text + ": " + e.Message
}

// Is reports whether target is [ErrInvalid].
func (e *Error) Is(target error) bool { return target == ErrInvalid }

// Errors returns every [Error] in the tree of err, in order. It returns nil for
// a nil err.
func Errors(err error) []*Error {
	switch e := err.(type) { //nolint:errorlint // this walks the tree itself
	case nil:
		return nil
	case *Error:
		return []*Error{e}
	case interface{ Unwrap() []error }:
		var all []*Error
		for _, sub := range e.Unwrap() {
			all = append(all, Errors(sub)...)
		}
		return all
	case interface{ Unwrap() error }:
		return Errors(e.Unwrap())
	}
	return nil
}

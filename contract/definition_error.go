package contract

import "errors"

// ErrDefinition matches, with [errors.Is], every [DefinitionError].
var ErrDefinition = errors.New("contract: definition")

// The rules a [DefinitionError] can name, besides those of JSON itself, which
// begin with "json.", and those of a return value's schema, which begin with
// "schema.".
const (
	RuleDefinitionType          = "definition.type"          // a value of another JSON type than its member has
	RuleDefinitionMember        = "definition.member"        // a member that a definition does not have
	RuleDefinitionMissing       = "definition.missing"       // a member that must be given, or a list that must not be empty
	RuleDefinitionID            = "definition.id"            // an ID that cannot begin a tool's name
	RuleDefinitionVersion       = "definition.version"       // a version that is not SemVer 2.0.0
	RuleDefinitionCapability    = "definition.capability"    // a capability's name that cannot end a tool's name
	RuleDefinitionParameter     = "definition.parameter"     // a parameter's name of more than 128 bytes
	RuleDefinitionParameterType = "definition.parameterType" // a type that is none of the six
	RuleDefinitionSecurityLevel = "definition.securityLevel" // a security level that is not an integer from 0 to 10
	RuleDefinitionDuplicate     = "definition.duplicate"     // an ID, or the name of a capability or a parameter, that stands twice
	RuleDefinitionText          = "definition.text"          // a text that is blank, or that hides or reorders something
	RuleDefinitionMetadata      = "definition.metadata"      // metadata that cannot be written as JSON of one meaning
)

// A DefinitionError is one thing wrong with a definition. It holds none of its
// values but the ID, where that is formed as one.
type DefinitionError struct {
	// ID is the definition's, as far as it is known.
	ID string
	// Rule is a stable identifier, such as [RuleDefinitionMissing].
	Rule string
	// Pointer is an RFC 6901 JSON Pointer into the definition; "" is all of it.
	Pointer string
	// Message says what is wrong.
	Message string
}

// Error returns "contract: definition ID: [RULE] POINTER: MESSAGE", without the
// parts that are empty.
func (e *DefinitionError) Error() string {
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

// Is reports whether target is [ErrDefinition].
func (e *DefinitionError) Is(target error) bool { return target == ErrDefinition }

// DefinitionErrors returns every [DefinitionError] that is err or joined in it,
// in order.
func DefinitionErrors(err error) []*DefinitionError {
	switch e := err.(type) { //nolint:errorlint // this walks the tree itself
	case nil:
		return nil
	case *DefinitionError:
		return []*DefinitionError{e}
	case interface{ Unwrap() []error }:
		var all []*DefinitionError
		for _, sub := range e.Unwrap() {
			all = append(all, DefinitionErrors(sub)...)
		}
		return all
	case interface{ Unwrap() error }:
		return DefinitionErrors(e.Unwrap())
	}
	return nil
}

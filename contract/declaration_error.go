package contract

import (
	"errors"

	"github.com/toolcontract/toolcontract/contract/internal/mistake"
)

// ErrDeclaration matches, with [errors.Is], every [DeclarationError].
var ErrDeclaration = errors.New("contract: declaration")

// A DeclarationError is one mistake in the declaration of a tool or a server. It
// comes from Build or from the registration of a tool. Both report all mistakes
// at once, joined; [DeclarationErrors] lists them.
type DeclarationError struct {
	// Rule is a stable identifier, such as "risk.floor"; [Rules] lists those
	// of Build.
	Rule string
	// Tool is the tool's name as far as it is known.
	Tool string
	// Where names what is wrong: a clause of the document, or a Go field.
	Where string
	// Message says what is wrong.
	Message string
	// Remedy says what to do.
	Remedy string
}

// Error returns "contract: tool NAME: [RULE] WHERE: MESSAGE; REMEDY", without
// the parts that are empty.
func (e *DeclarationError) Error() string {
	text := "contract: "
	if e.Tool != "" {
		text += "tool " + e.Tool + ": "
	}
	return text + mistake.Text(e.Rule, e.Where, e.Message, e.Remedy)
}

// Is reports whether target is [ErrDeclaration].
func (e *DeclarationError) Is(target error) bool { return target == ErrDeclaration }

// DeclarationErrors returns every [DeclarationError] in the tree of err, in
// order. It returns nil for a nil err.
func DeclarationErrors(err error) []*DeclarationError { return mistake.List[*DeclarationError](err) }

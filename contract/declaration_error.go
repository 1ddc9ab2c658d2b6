package contract

import (
	"errors"
	"strings"
)

// ErrDeclaration matches, with [errors.Is], every [DeclarationError].
var ErrDeclaration = errors.New("contract: declaration")

// A DeclarationError is one mistake of a contract's author, found by Build or
// when a tool is registered. Both report all mistakes at once, joined; use
// [DeclarationErrors] to take them apart.
type DeclarationError struct {
	// Rule is a stable identifier, such as "risk.floor"; [Rules] lists those
	// of Build.
	Rule string
	// Tool is the tool's name as far as it is known.
	Tool string
	// Clause names what is wrong: a clause of the document, or a Go field.
	Clause string
	// Message says what is wrong.
	Message string
	// Remedy says what to do.
	Remedy string
}

// Error returns "contract: tool NAME: [RULE] CLAUSE: MESSAGE; REMEDY", without
// the parts that are empty.
func (e *DeclarationError) Error() string {
	var b strings.Builder
	b.WriteString("contract: ")
	if e.Tool != "" {
		b.WriteString("tool " + e.Tool + ": ")
	}
	b.WriteString("[" + e.Rule + "]")
	if e.Clause != "" {
		b.WriteString(" " + e.Clause)
	}
	b.WriteString(": " + e.Message)
	if e.Remedy != "" {
		b.WriteString("; " + e.Remedy)
	}
	return b.String()
}

// Is reports whether target is [ErrDeclaration].
func (e *DeclarationError) Is(target error) bool { return target == ErrDeclaration }

// DeclarationErrors returns every [DeclarationError] in err's tree, in order.
func DeclarationErrors(err error) []*DeclarationError {
	switch e := err.(type) { //nolint:errorlint // this walks the tree itself
	case nil:
		return nil
	case *DeclarationError:
		return []*DeclarationError{e}
	case interface{ Unwrap() []error }:
		var all []*DeclarationError
		for _, sub := range e.Unwrap() {
			all = append(all, DeclarationErrors(sub)...)
		}
		return all
	case interface{ Unwrap() error }:
		return DeclarationErrors(e.Unwrap())
	}
	return nil
}

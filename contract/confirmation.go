package contract

import "github.com/toolcontract/toolcontract/internal/enum"

// A Confirmation is when a person is asked before a tool runs.
type Confirmation uint8

const (
	// UndeclaredConfirmation is the zero value: the level decides. Low and
	// medium tools run without a question, all others ask.
	UndeclaredConfirmation Confirmation = iota
	// ConfirmationNever tools run without a question. A tool at high declares
	// it with a published reason; a critical one cannot.
	ConfirmationNever
	// ConfirmationWhen tools decide by their arguments.
	ConfirmationWhen
	// ConfirmationAlways tools never run without a question.
	ConfirmationAlways
)

var confirmations = enum.Of[Confirmation]("contract", "confirmation", "", "never", "when", "always")

// IsValid reports whether c is declared.
func (c Confirmation) IsValid() bool { return confirmations.IsValid(c) }

// IsZero reports whether c is undeclared.
func (c Confirmation) IsZero() bool { return c == UndeclaredConfirmation }

// String returns the wire text of c, "undeclared" for the zero value.
func (c Confirmation) String() string { return confirmations.String(c) }

// MarshalText returns the wire text of c; undeclared is an error.
func (c Confirmation) MarshalText() ([]byte, error) { return confirmations.Marshal(c) }

// UnmarshalText sets c from its wire text. Any other text is an error and
// leaves c unchanged.
func (c *Confirmation) UnmarshalText(text []byte) error { return confirmations.Unmarshal(c, text) }

package contract

// A Confirmation says when a person is asked before a tool runs.
type Confirmation uint8

const (
	// UndeclaredConfirmation is the zero value: the level decides. Low and
	// medium tools are not asked about, all others are.
	UndeclaredConfirmation Confirmation = iota
	// ConfirmationNever tools run without a question. A tool at high says so
	// with a published reason; a critical one cannot.
	ConfirmationNever
	// ConfirmationWhen tools decide by their arguments.
	ConfirmationWhen
	// ConfirmationAlways tools never run unasked.
	ConfirmationAlways
)

var confirmationTexts = [...]string{"", "never", "when", "always"}

// IsValid reports whether c is declared.
func (c Confirmation) IsValid() bool { return c >= ConfirmationNever && c <= ConfirmationAlways }

// IsZero reports whether c is undeclared.
func (c Confirmation) IsZero() bool { return c == UndeclaredConfirmation }

// String returns the wire text of c, "undeclared" for the zero value.
func (c Confirmation) String() string {
	return enumString("confirmation", confirmationTexts[:], uint8(c))
}

// MarshalText returns the wire text of c; undeclared is an error.
func (c Confirmation) MarshalText() ([]byte, error) {
	return enumMarshal("confirmation", confirmationTexts[:], uint8(c))
}

// UnmarshalText sets c from its wire text. Any other text is an error and
// leaves c unchanged.
func (c *Confirmation) UnmarshalText(text []byte) error {
	return enumUnmarshal("confirmation", confirmationTexts[:], text, (*uint8)(c))
}

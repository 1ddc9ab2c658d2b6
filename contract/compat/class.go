package compat

import "github.com/toolcontract/toolcontract/internal/enum"

// A Class is the number of the version that a change of a contract asks for, by
// Semantic Versioning. Classes compare with <. The zero value is below them all
// and means that nothing changed.
type Class uint8

const (
	// UndeclaredClass is the zero value: nothing changed.
	UndeclaredClass Class = iota
	// Patch changes concern texts, and parts that no caller notices: PATCH.
	Patch
	// Additive changes do not affect existing calls, and allow or promise more:
	// MINOR.
	Additive
	// Breaking changes may refuse or surprise a caller that followed the old
	// contract: MAJOR.
	Breaking
)

var classes = enum.Of[Class]("compat", "change class", "", "patch", "additive", "breaking")

// IsValid reports whether c is one of the declared classes.
func (c Class) IsValid() bool { return classes.IsValid(c) }

// IsZero reports whether c is undeclared.
func (c Class) IsZero() bool { return c == UndeclaredClass }

// String returns the text of c, "undeclared" for the zero value.
func (c Class) String() string { return classes.String(c) }

// MarshalText returns the text of c. An undeclared or unknown class is an
// error.
func (c Class) MarshalText() ([]byte, error) { return classes.Marshal(c) }

// UnmarshalText sets c from its text. Any other text is an error and leaves c
// unchanged.
func (c *Class) UnmarshalText(text []byte) error { return classes.Unmarshal(c, text) }

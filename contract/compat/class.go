package compat

import "github.com/toolcontract/toolcontract/internal/enum"

// A Class says how far a change of a contract reaches, by Semantic
// Versioning: which number of the version has to be raised for it. Classes
// compare with <; the zero value is below them all, so the largest class of no
// changes is none.
type Class uint8

const (
	// UndeclaredClass is the zero value: nothing changed.
	UndeclaredClass Class = iota
	// Patch changes concern words, and what no caller can tell: PATCH.
	Patch
	// Additive changes leave every call as it was and allow or promise more:
	// MINOR.
	Additive
	// Breaking changes may refuse or surprise a caller that kept to the old
	// contract: MAJOR.
	Breaking
)

var classes = enum.Of[Class]("contract", "change class", "", "patch", "additive", "breaking")

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

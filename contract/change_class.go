package contract

// A ChangeClass says how far a change of a contract reaches, by Semantic
// Versioning: which number of the version has to be raised for it. Classes
// compare with <; the zero value is below them all, so the largest class of no
// changes is none.
type ChangeClass uint8

const (
	// UndeclaredChangeClass is the zero value: nothing changed.
	UndeclaredChangeClass ChangeClass = iota
	// Patch changes concern words, and what no caller can tell: PATCH.
	Patch
	// Additive changes leave every call as it was and allow or promise more:
	// MINOR.
	Additive
	// Breaking changes may refuse or surprise a caller that kept to the old
	// contract: MAJOR.
	Breaking
)

var changeClassTexts = [...]string{"", "patch", "additive", "breaking"}

// IsValid reports whether c is one of the declared classes.
func (c ChangeClass) IsValid() bool { return c >= Patch && c <= Breaking }

// IsZero reports whether c is undeclared.
func (c ChangeClass) IsZero() bool { return c == UndeclaredChangeClass }

// String returns the wire text of c, "undeclared" for the zero value.
func (c ChangeClass) String() string {
	return enumString("changeClass", changeClassTexts[:], uint8(c))
}

// MarshalText returns the wire text of c; undeclared is an error.
func (c ChangeClass) MarshalText() ([]byte, error) {
	return enumMarshal("change class", changeClassTexts[:], uint8(c))
}

// UnmarshalText sets c from its wire text. Any other text is an error and
// leaves c unchanged.
func (c *ChangeClass) UnmarshalText(text []byte) error {
	return enumUnmarshal("change class", changeClassTexts[:], text, (*uint8)(c))
}

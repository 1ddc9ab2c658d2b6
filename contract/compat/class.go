package compat

import (
	"fmt"
	"strings"
)

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

var classTexts = [...]string{"", "patch", "additive", "breaking"}

// IsValid reports whether c is one of the declared classes.
func (c Class) IsValid() bool { return c >= Patch && c <= Breaking }

// IsZero reports whether c is undeclared.
func (c Class) IsZero() bool { return c == UndeclaredClass }

// String returns the wire text of c, "undeclared" for the zero value.
func (c Class) String() string {
	switch {
	case c.IsZero():
		return "undeclared"
	case c.IsValid():
		return classTexts[c]
	default:
		return fmt.Sprintf("changeClass(%d)", uint8(c))
	}
}

// MarshalText returns the wire text of c; undeclared is an error.
func (c Class) MarshalText() ([]byte, error) {
	if !c.IsValid() {
		return nil, fmt.Errorf("contract: change class %d has no text", uint8(c))
	}
	return []byte(classTexts[c]), nil
}

// UnmarshalText sets c from its wire text. Any other text is an error and
// leaves c unchanged.
func (c *Class) UnmarshalText(text []byte) error {
	for class := Patch; class <= Breaking; class++ {
		if classTexts[class] == string(text) {
			*c = class
			return nil
		}
	}
	return fmt.Errorf("contract: unknown change class: allowed are %s", strings.Join(classTexts[Patch:], ", "))
}

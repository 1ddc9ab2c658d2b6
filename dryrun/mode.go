package dryrun

import (
	"errors"
	"fmt"
)

// A Mode says whether a tool can be run dry. The zero value is [Undeclared].
type Mode uint8

const (
	// Undeclared means that nothing was said. It offers no dry run, as None does, and has no text.
	Undeclared Mode = 0
	// None says that there is no dry run.
	None Mode = 1
	// Supported says that a caller may ask for a dry run.
	Supported Mode = 2
	// Required says that a real call is accepted only after a dry run with the same arguments, by the same
	// principal, a short while ago: one call for one preview.
	Required Mode = 3
)

// Modes returns the declared modes None, Supported and Required, in a slice that belongs to the caller.
func Modes() []Mode { return []Mode{None, Supported, Required} }

// IsValid reports whether m is a declared mode, None to Required.
func (m Mode) IsValid() bool { return m >= None && m <= Required }

// IsZero reports whether m is [Undeclared]. It makes `json:",omitzero"` leave the field out.
func (m Mode) IsZero() bool { return m == Undeclared }

// String returns the mode's text, "undeclared" for the zero value, and a form such as "mode(42)" for a
// number that is no mode.
func (m Mode) String() string {
	switch m {
	case Undeclared:
		return "undeclared"
	case None:
		return "none"
	case Supported:
		return "supported"
	case Required:
		return "required"
	default:
		return fmt.Sprintf("mode(%d)", uint8(m))
	}
}

// MarshalText returns the mode's text. An undeclared mode has none, for a document leaves the field out;
// it and a number that is no mode are errors.
func (m Mode) MarshalText() ([]byte, error) {
	if !m.IsValid() {
		return nil, fmt.Errorf("dryrun: mode %v has no text form", m)
	}
	return []byte(m.String()), nil
}

// UnmarshalText sets m from a mode's text. Any other text, also another case of it and "undeclared", is
// an error that lists the allowed ones and leaves m unchanged.
func (m *Mode) UnmarshalText(text []byte) error {
	switch string(text) {
	case "none":
		*m = None
	case "supported":
		*m = Supported
	case "required":
		*m = Required
	default:
		return errors.New("dryrun: unknown mode: allowed are none, supported, required")
	}
	return nil
}

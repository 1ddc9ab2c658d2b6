package idempotency

import (
	"errors"
	"fmt"
)

// A Mode says who makes the repetition of a call harmless. The zero value is [UndeclaredMode].
type Mode uint8

const (
	// UndeclaredMode means that nothing was said. It promises nothing, as None does, and has no text.
	UndeclaredMode Mode = 0
	// None says that a repeated call has its effect again.
	None Mode = 1
	// Native says that the handler itself guarantees that a repeated call changes nothing more.
	Native Mode = 2
	// Managed says that calls with the same key are deduplicated before they reach the handler, and the
	// recorded outcome is replayed.
	Managed Mode = 3
)

// Modes returns the declared modes None, Native and Managed, in a slice that belongs to the caller.
func Modes() []Mode { return []Mode{None, Native, Managed} }

// IsValid reports whether m is a declared mode, None to Managed.
func (m Mode) IsValid() bool { return m >= None && m <= Managed }

// IsZero reports whether m is [UndeclaredMode]. It makes `json:",omitzero"` leave the field out.
func (m Mode) IsZero() bool { return m == UndeclaredMode }

// String returns the mode's text, "undeclared" for the zero value, and a form such as "mode(42)" for a
// number that is no mode.
func (m Mode) String() string {
	switch m {
	case UndeclaredMode:
		return "undeclared"
	case None:
		return "none"
	case Native:
		return "native"
	case Managed:
		return "managed"
	default:
		return fmt.Sprintf("mode(%d)", uint8(m))
	}
}

// MarshalText returns the mode's text. An undeclared mode has none, for a document leaves the field out;
// it and a number that is no mode are errors.
func (m Mode) MarshalText() ([]byte, error) {
	if !m.IsValid() {
		return nil, fmt.Errorf("idempotency: mode %v has no text form", m)
	}
	return []byte(m.String()), nil
}

// UnmarshalText sets m from a mode's text. Any other text, also another case of it and "undeclared", is
// an error that lists the allowed ones and leaves m unchanged.
func (m *Mode) UnmarshalText(text []byte) error {
	switch string(text) {
	case "none":
		*m = None
	case "native":
		*m = Native
	case "managed":
		*m = Managed
	default:
		return errors.New("idempotency: unknown mode: allowed are none, native, managed")
	}
	return nil
}
